package cel

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

func equal(_ *meter, left, right ref.Val) ref.Val { return types.Equal(left, right) }

func notEqual(_ *meter, left, right ref.Val) ref.Val {
	return types.Bool(types.Equal(left, right) != types.True)
}

func contains(_ *meter, left, right ref.Val) ref.Val {
	if c, ok := right.(traits.Container); ok {
		return c.Contains(left)
	}
	return types.MaybeNoSuchOverloadErr(right)
}

func add(_ *meter, left, right ref.Val) ref.Val {
	a, ok := left.(traits.Adder)
	if !ok {
		return types.MaybeNoSuchOverloadErr(left)
	}
	if _, collects := left.(traits.MutableLister); !collects {
		if l, ok := left.(traits.Lister); ok {
			return addLists(l, right)
		}
	}
	return a.Add(right)
}

// addLists joins two lists into a flat one. The library would make a view of
// both, and views of views are slow to read.
func addLists(left traits.Lister, right ref.Val) ref.Val {
	r, ok := right.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(right)
	}
	joined := make([]ref.Val, 0, size(left)+size(r))
	for _, l := range []traits.Lister{left, r} {
		for i := range types.Int(size(l)) {
			joined = append(joined, l.Get(i))
		}
	}
	return types.NewRefValList(types.DefaultTypeAdapter, joined)
}

func equalLists(left traits.Lister, right ref.Val) ref.Val {
	r, ok := right.(traits.Lister)
	if !ok || size(left) != size(r) {
		return types.False
	}
	for i := range types.Int(size(left)) {
		if types.Equal(left.Get(i), r.Get(i)) != types.True {
			return types.False
		}
	}
	return types.True
}

func equalMaps(left traits.Mapper, right ref.Val) ref.Val {
	r, ok := right.(traits.Mapper)
	if !ok || size(left) != size(r) {
		return types.False
	}
	for it := left.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		other, found := r.Find(key)
		if !found || types.Equal(left.Get(key), other) != types.True {
			return types.False
		}
	}
	return types.True
}
