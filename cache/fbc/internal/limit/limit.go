// Package limit says what a limit in options means.
package limit

import "cmp"

// None stands for no limit. It leaves room to add to it.
const None = int(^uint(0)>>1) / 4

// Of returns what a limit set to n means: 0 is its default, and a negative number lifts it.
func Of[T int | int64](n, standard T) T {
	if n < 0 {
		return T(None)
	}
	return cmp.Or(n, standard)
}
