package read

import "cmp"

// NoLimit means no limit. It leaves room for additions.
const NoLimit = int(^uint(0)>>1) / 4

// LimitOf returns the effective limit: 0 means the default, and a negative number none.
func LimitOf[T int | int64](n, standard T) T {
	if n < 0 {
		return T(NoLimit)
	}
	return cmp.Or(n, standard)
}
