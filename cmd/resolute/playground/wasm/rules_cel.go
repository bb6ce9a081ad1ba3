//go:build js && wasm && !nocel

package main

// watchRules does nothing: package cel compiles rules.
func (p *program) watchRules() {}
