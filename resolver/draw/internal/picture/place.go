package picture

import (
	"cmp"
	"slices"
)

// order sorts the layers by the barycentres of their neighbours before them, from
// left to right, and then of those after them, from right to left.
func (l *layout) order() {
	where := make([]float64, len(l.items)) // positions of the items, from 0 to 1 in their layers
	settle := func(layer []int) {
		for i, n := range layer {
			where[n] = (float64(i) + .5) / float64(len(layer))
		}
	}
	for _, layer := range l.layers {
		settle(layer)
	}
	sort := func(layer []int, by func(*item) []int) {
		middle := make(map[int]float64, len(layer))
		for _, n := range layer {
			middle[n] = mean(by(&l.items[n]), where, where[n])
		}
		slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(middle[a], middle[b]) })
		settle(layer)
	}
	for _, layer := range l.layers {
		sort(layer, func(it *item) []int { return it.before })
	}
	for _, layer := range slices.Backward(l.layers) {
		sort(layer, func(it *item) []int { return it.after })
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
// in layer order, without overlap.
func (l *layout) place() {
	y := make([]float64, len(l.items))
	for _, layer := range l.layers { // initially, layers are centred
		offsets := l.offsets(layer)
		for i, n := range layer {
			y[n] = offsets[i] - offsets[len(layer)-1]/2
		}
	}
	fit := func(layer []int, by func(*item) []int) {
		offsets, wanted := l.offsets(layer), make([]float64, len(layer))
		for i, n := range layer {
			wanted[i] = mean(by(&l.items[n]), y, y[n]) - offsets[i]
		}
		for i, v := range monotone(wanted) {
			y[layer[i]] = v + offsets[i]
		}
	}
	for range sweeps {
		for _, layer := range l.layers {
			fit(layer, func(it *item) []int { return it.before })
		}
		for _, layer := range slices.Backward(l.layers) {
			fit(layer, func(it *item) []int { return it.after })
		}
	}
	top, bottom := 0.0, 0.0
	for n := range l.items {
		top, bottom = min(top, y[n]-l.items[n].h/2), max(bottom, y[n]+l.items[n].h/2)
	}
	for n := range l.items {
		l.items[n].y = y[n] - top
	}
	l.height = bottom - top
}

// offsets returns the minimum distances of the items of a layer from its first
// one.
func (l *layout) offsets(layer []int) []float64 {
	out := make([]float64, len(layer))
	for i := 1; i < len(layer); i++ {
		a, b := &l.items[layer[i-1]], &l.items[layer[i]]
		gap := lineGap
		if a.node != nil && b.node != nil {
			gap = between
		}
		out[i] = out[i-1] + a.h/2 + gap + b.h/2
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

// stack positions the layers beside each other. Layers without lines between them are closer.
func (l *layout) stack() {
	x := 0.0
	for _, layer := range l.layers {
		wide := 0.0
		for _, n := range layer {
			wide = max(wide, l.items[n].w)
		}
		l.lefts, l.rights = append(l.lefts, x), append(l.rights, x+wide)
		if x += wide + layerGap; len(l.lines) == 0 {
			x -= layerGap - between
		}
	}
	if n := len(l.rights); n > 0 {
		l.width = l.rights[n-1]
	}
	for _, e := range l.lines { // a line within a layer runs to the right of it
		if from, to := e.items[0], e.items[len(e.items)-1]; l.items[from].layer == l.items[to].layer {
			l.width = max(l.width, l.edge(from, 1)+layerGap/2)
		}
	}
}
