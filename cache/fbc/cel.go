//go:build !nocel

package fbc

import _ "github.com/seed109e2655/resolute/constraints/cel" // catalogs have rules
