//go:build !race

package fbc_test

// underRace tells that the race detector slows everything down.
const underRace = false
