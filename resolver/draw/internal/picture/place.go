package picture

import (
	"cmp"
	"slices"
)

// order sorts the rows by the barycentres of their neighbours above, from the
// top down, and then of those below, from the bottom up.
func (l *layout) order() {
	where := make([]float64, len(l.items)) // positions of the items, from 0 to 1 in their rows
	settle := func(row []int) {
		for i, n := range row {
			where[n] = (float64(i) + .5) / float64(len(row))
		}
	}
	for _, row := range l.rows {
		settle(row)
	}
	sort := func(row []int, by func(*item) []int) {
		middle := make(map[int]float64, len(row))
		for _, n := range row {
			middle[n] = mean(by(&l.items[n]), where, where[n])
		}
		slices.SortStableFunc(row, func(a, b int) int { return cmp.Compare(middle[a], middle[b]) })
		settle(row)
	}
	for _, row := range l.rows {
		sort(row, func(it *item) []int { return it.up })
	}
	for _, row := range slices.Backward(l.rows) {
		sort(row, func(it *item) []int { return it.down })
	}
}

// mean returns the mean of the values of items, or a default if there are no
// items.
func mean(items []int, values []float64, otherwise float64) float64 {
	if len(items) == 0 {
		return otherwise
	}
	sum := 0.0
	for _, n := range items {
		sum += values[n]
	}
	return sum / float64(len(items))
}

// place computes the centres of the items: near the mean of their neighbours,
// in row order, without overlap.
func (l *layout) place() {
	x := make([]float64, len(l.items))
	for _, row := range l.rows { // initially, rows are centred
		offsets := l.offsets(row)
		for i, n := range row {
			x[n] = offsets[i] - offsets[len(row)-1]/2
		}
	}
	fit := func(row []int, by func(*item) []int) {
		offsets, wanted := l.offsets(row), make([]float64, len(row))
		for i, n := range row {
			wanted[i] = mean(by(&l.items[n]), x, x[n]) - offsets[i]
		}
		for i, v := range monotone(wanted) {
			x[row[i]] = v + offsets[i]
		}
	}
	for range sweeps {
		for _, row := range l.rows {
			fit(row, func(it *item) []int { return it.up })
		}
		for _, row := range slices.Backward(l.rows) {
			fit(row, func(it *item) []int { return it.down })
		}
	}
	left, right := 0.0, 0.0
	for n := range l.items {
		left, right = min(left, x[n]-l.items[n].w/2), max(right, x[n]+l.items[n].w/2)
	}
	for n := range l.items {
		l.items[n].x = x[n] - left + margin + padding
	}
	l.width = right - left + 2*(margin+padding)
}

// offsets returns the minimum distances of the items of a row from its first
// one.
func (l *layout) offsets(row []int) []float64 {
	out := make([]float64, len(row))
	for i := 1; i < len(row); i++ {
		a, b := &l.items[row[i-1]], &l.items[row[i]]
		gap := lineGap
		if a.node != nil && b.node != nil {
			gap = between
		}
		out[i] = out[i-1] + a.w/2 + gap + b.w/2
	}
	return out
}

// monotone returns the non-decreasing sequence nearest to another one by least
// squares: decreasing neighbours are pooled at their mean.
func monotone(wanted []float64) []float64 {
	type pool struct {
		sum   float64
		count int
	}
	var pools []pool
	for _, v := range wanted {
		p := pool{v, 1}
		for len(pools) > 0 {
			last := pools[len(pools)-1]
			if last.sum/float64(last.count) <= p.sum/float64(p.count) {
				break
			}
			p = pool{p.sum + last.sum, p.count + last.count}
			pools = pools[:len(pools)-1]
		}
		pools = append(pools, p)
	}
	out := make([]float64, 0, len(wanted))
	for _, p := range pools {
		for range p.count {
			out = append(out, p.sum/float64(p.count))
		}
	}
	return out
}

// stack positions the rows below each other, and frames around groups.
func (l *layout) stack(d *Diagram, ends []int) {
	y, row := margin, 0
	for band, end := range ends {
		top := y
		if band > 0 {
			y += titleRoom
		}
		for ; row < end; row++ {
			high := 0.0
			for _, n := range l.rows[row] {
				high = max(high, l.items[n].h)
			}
			l.tops, l.bottoms = append(l.tops, y), append(l.bottoms, y+high)
			y += high + rowGap
		}
		if band > 0 {
			bottom := y - rowGap + padding
			l.frames = append(l.frames, frame{d.Groups[band-1].Title, top, bottom})
			y = bottom + rowGap*.75
		}
	}
	l.height = margin
	if n := len(l.bottoms); n > 0 {
		l.height = l.bottoms[n-1] + margin
	}
	for _, f := range l.frames {
		l.height = max(l.height, f.bottom+margin)
	}
	for _, e := range l.lines { // a line within a row runs below it
		if from, to := e.items[0], e.items[len(e.items)-1]; l.items[from].row == l.items[to].row {
			l.height = max(l.height, l.edge(from, 1)+rowGap/2)
		}
	}
	l.width = max(l.width, 240)
}
