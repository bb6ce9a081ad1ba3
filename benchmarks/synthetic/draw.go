package synthetic

import (
	"math/bits"
	"math/rand/v2"
	"slices"
)

// draw is the random source of one package. It uses only 64-bit numbers of the
// PCG generator, whose sequence is specified; the standard library's other
// methods may change.
type draw struct{ pcg *rand.PCG }

func newDraw(seed uint64, pkg int) draw {
	return draw{rand.NewPCG(seed, uint64(pkg))}
}

// below returns a number from 0 to n-1.
func (d draw) below(n int) int {
	hi, _ := bits.Mul64(d.pcg.Uint64(), uint64(n))
	return int(hi)
}

// chance returns true with the given probability.
func (d draw) chance(share float64) bool {
	return float64(d.pcg.Uint64()>>11) < share*(1<<53)
}

// distinct returns up to n different numbers from lo to hi-1, in the order
// drawn.
func (d draw) distinct(n, lo, hi int) []int {
	n = min(n, hi-lo)
	out := make([]int, 0, max(n, 0))
	for len(out) < n {
		// The k-th draw is among the remaining ones, in ascending order.
		v := lo + d.below(hi-lo-len(out))
		for _, taken := range slices.Sorted(slices.Values(out)) {
			if v >= taken {
				v++
			}
		}
		out = append(out, v)
	}
	return out
}

// spread returns the n-th of a low-discrepancy sequence in [0, 1): the
// fractional parts of multiples of the golden ratio. Any subsequence is spread
// evenly, so the shares of requirement kinds are met more exactly than by
// chance.
func spread(n uint64) float64 {
	const golden = 0x9E3779B97F4A7C15
	return float64(n*golden>>11) / (1 << 53)
}
