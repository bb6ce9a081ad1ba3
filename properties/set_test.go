package properties

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

const sample = `[
	{"type": "olm.gvk", "value": {"group": "example.com", "version": "v1", "kind": "Foo"}},
	{"type": "olm.package", "value": {"packageName": "blue", "version": "1.2.3"}},
	{"type": "olm.gvk", "value": {"group": "example.com", "version": "v2", "kind": "Foo"}},
	{"type": "olm.gvk.required", "value": {"group": "example.com", "version": "v3", "kind": "Foo"}},
	{"type": "olm.label", "value": {"label": "b"}},
	{"type": "olm.label", "value": {"label": "a"}},
	{"type": "olm.label.required", "value": {"label": "c"}},
	{"type": "olm.package", "value": {"packageName": "red", "version": "1.2.3"}}
]`

func TestSet(t *testing.T) {
	s := testkit.Must(Parse([]byte(sample)))(t)
	require.Equal(t, 8, s.Len())
	require.Equal(t, "olm.package", s.At(1).Type())
	require.Nil(t, s.At(8))
	require.Nil(t, s.At(-1))
	require.Len(t, slices.Collect(s.All()), 8)

	p, ok := s.Package()
	require.True(t, ok)
	require.Equal(t, Package{Name: "blue", Version: version("1.2.3")}, p)

	v1, v2, v3 := GVK{"example.com", "v1", "Foo"}, GVK{"example.com", "v2", "Foo"}, GVK{"example.com", "v3", "Foo"}
	require.Equal(t, []GVK{v1, v2}, slices.Collect(s.GVKs()))
	require.True(t, s.Provides(v2))
	require.False(t, s.Provides(v3), "required is not provided")

	require.Equal(t, []string{"b", "a"}, slices.Collect(s.Labels()))
	for range s.Labels() {
		break
	}
	require.True(t, s.HasLabel("a"))
	require.False(t, s.HasLabel("c"), "required is not had")

	require.True(t, s.HasType("olm.label.required"))
	require.False(t, s.HasType("olm"))
	require.False(t, s.Deprecated())
	require.True(t, NewSet(nil, newProperty(t, TypeDeprecated, `{}`)).Deprecated())
}

func TestEmptySet(t *testing.T) {
	var s Set
	require.Zero(t, s.Len())
	require.Empty(t, slices.Collect(s.All()))
	_, ok := s.Package()
	require.False(t, ok)
	require.False(t, s.Provides(GVK{}))
	require.True(t, s.Equal(NewSet(nil)))
	data := testkit.Must(s.MarshalJSON())(t)
	require.Equal(t, "[]", string(data))
}

func TestSetEqual(t *testing.T) {
	a, b := newProperty(t, "a", `1`), newProperty(t, "b", `1`)
	require.True(t, NewSet(a, b).Equal(NewSet(newProperty(t, "a", ` 1 `), b)))
	require.False(t, NewSet(a, b).Equal(NewSet(b, a)))
	require.False(t, NewSet(a).Equal(NewSet(a, b)))
}

// TestLike: a set is the same however it is made, and shares what it can.
func TestLike(t *testing.T) {
	a, b, c := newProperty(t, "a", `1`), newProperty(t, "b", `1`), newProperty(t, "c", `1`)
	before := NewSet(a, b, c)
	for _, list := range [][]*Property{{}, {a}, {c, b, c}, {a, c, b}, {a, b}, {a, b, c, a}} {
		got := before.Like(list...)
		require.True(t, got.Equal(NewSet(list...)))
		require.Equal(t, len(list) == 3 && list[1] == b, got.SharesRest(before))
	}
}
