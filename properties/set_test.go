package properties

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
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
	s, err := Parse([]byte(sample))
	require.NoError(t, err)
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
	data, err := s.MarshalJSON()
	require.NoError(t, err)
	require.Equal(t, "[]", string(data))
}

func TestSetEqual(t *testing.T) {
	a, b := newProperty(t, "a", `1`), newProperty(t, "b", `1`)
	require.True(t, NewSet(a, b).Equal(NewSet(newProperty(t, "a", ` 1 `), b)))
	require.False(t, NewSet(a, b).Equal(NewSet(b, a)))
	require.False(t, NewSet(a).Equal(NewSet(a, b)))
}

func TestInterner(t *testing.T) {
	in := NewInterner()
	property := func(typ, value string) *Property {
		p, err := in.Property(typ, []byte(value))
		require.NoError(t, err)
		return p
	}
	a := property(TypeLabel, `{"label":"a"}`)
	require.Same(t, a, property(TypeLabel, `{"label":"a"}`))
	require.Same(t, a, property(TypeLabel, ` { "label" : "a" } `))
	require.Same(t, a, property(TypeLabel, ` { "label" : "a" } `))
	require.NotSame(t, a, property(TypeLabelRequired, `{"label":"a"}`))
	require.Equal(t, LabelRequired("a"), property(TypeLabelRequired, `{"label":"a"}`).Value())

	// the spaced form first
	spaced := property(TypeLabel, `{"label": "b"}`)
	require.Same(t, spaced, property(TypeLabel, `{"label":"b"}`))

	for range 2 {
		_, err := in.Property(TypeLabel, []byte(`{}`))
		require.Equal(t, "label", asError(t, err).Field)
	}
	_, err := in.Property("", nil)
	require.Equal(t, "type", asError(t, err).Field)

	s, err := in.Parse([]byte(`[{"type": "olm.label", "value": {"label":"a"}}, {"type": "olm.label"}]`))
	require.Equal(t, 1, asError(t, err).Index)
	require.True(t, a.Equal(s.At(0)))
	require.Equal(t, "text", in.Text([]byte("text")))
}
