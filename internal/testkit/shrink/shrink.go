// Package shrink makes what fails smaller, for tests and for the test kit for users.
package shrink

import "slices"

// Least takes away from a value whatever it still fails without, until nothing more can
// be taken away. Edits lists, in groups, what can be taken away from a value, and takes it
// away from that very value: of a group it leaves out ever smaller runs, those at the end
// first, so that an edit may rely on the positions that come before its own. The value
// itself is not changed: each try is a clone of it. Once on says no, nothing more is tried.
func Least[T any](v T, clone func(T) T, edits func(T) [][]func(), fails func(T) bool, on func() bool) T {
	for again := true; again; {
		again = false
		for group := range edits(v) {
			if !on() {
				return v
			}
			all := len(edits(v)[group])
			left := make([]bool, all) // which edits were made
			small := v
			for size := (all + 1) / 2; size > 0; size /= 2 {
				for from := 0; from < all && on(); from += size {
					try, edited := slices.Clone(left), clone(v)
					for i := from; i < min(from+size, all); i++ {
						try[i] = true
					}
					if slices.Equal(try, left) {
						continue
					}
					for i, edit := range slices.Backward(edits(edited)[group]) {
						if try[i] {
							edit()
						}
					}
					if fails(edited) {
						left, small, again = try, edited, true
					}
				}
			}
			v = small
		}
	}
	return v
}
