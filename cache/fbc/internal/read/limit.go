package read

import "cmp"

// NoLimit stands for no limit. It leaves room to add to it.
const NoLimit = int(^uint(0)>>1) / 4

// LimitOf returns what a limit set to n means: 0 is its default, and a negative number lifts it.
func LimitOf[T int | int64](n, standard T) T {
	if n < 0 {
		return T(NoLimit)
	}
	return cmp.Or(n, standard)
}
