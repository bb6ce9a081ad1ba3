package declare

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// fullDecl returns a declaration in which nothing is empty.
func fullDecl(t *testing.T) *graph.PackageDecl {
	property, err := properties.New("a", []byte(`1`))
	require.NoError(t, err)
	pos := graph.Pos{File: "f", Line: 1}
	flaws := func() []graph.Flaw { return []graph.Flaw{{Code: "c", Property: "p", Line: 2, Message: "m"}} }
	return &graph.PackageDecl{
		Name:         "n",
		Definitions:  []graph.DefinitionDecl{{DefaultChannel: "c", Flaws: flaws(), Pos: pos}},
		Channels:     []graph.ChannelDecl{{Name: "c", Entries: []graph.EntryDecl{{Name: "b", Replaces: "r", Skips: []string{"s"}, SkipRange: "<1", Line: 3}}, Flaws: flaws(), Pos: pos}},
		Bundles:      []graph.BundleDecl{{Name: "b", Image: "i", Properties: properties.NewSet(property), Compatibility: &properties.Compatibility{Malformed: []string{"m"}}, CompatibilityLine: 5, Lines: []int{4}, Flaws: flaws(), Pos: pos}},
		Deprecations: []graph.DeprecationDecl{{Schema: "s", Name: "n", Message: "m", Pos: pos}},
	}
}

// TestSameDecl changes each field of a declaration, however deep, also fields
// that are added to it some day.
func TestSameDecl(t *testing.T) {
	require.True(t, sameDecl(fullDecl(t), fullDecl(t)))
	changed := 0
	walk := func(path string, v reflect.Value, decl *graph.PackageDecl) {
		switch v.Kind() {
		case reflect.String:
			v.SetString(v.String() + "x")
		case reflect.Int:
			v.SetInt(v.Int() + 1)
		case reflect.Slice:
			require.Equal(t, 1, v.Len(), path)
			v.Set(reflect.AppendSlice(v, v))
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
		default:
			if v.Type() != reflect.TypeFor[properties.Set]() {
				t.Fatalf("%s is of an unexpected kind", path)
			}
			v.Set(reflect.ValueOf(properties.NewSet()))
		}
		require.False(t, sameDecl(fullDecl(t), decl), path)
		changed++
	}
	// visit calls walk with each field of a fresh declaration.
	var visit func(path string, get func(*graph.PackageDecl) reflect.Value)
	visit = func(path string, get func(*graph.PackageDecl) reflect.Value) {
		v := get(fullDecl(t))
		switch {
		case v.Kind() == reflect.Struct && v.Type() != reflect.TypeFor[properties.Set]():
			for i := range v.NumField() {
				visit(path+"."+v.Type().Field(i).Name, func(d *graph.PackageDecl) reflect.Value { return get(d).Field(i) })
			}
			return
		case v.Kind() == reflect.Slice:
			visit(path+"[0]", func(d *graph.PackageDecl) reflect.Value { return get(d).Index(0) })
		}
		decl := fullDecl(t)
		walk(path, get(decl), decl)
	}
	visit("PackageDecl", func(d *graph.PackageDecl) reflect.Value { return reflect.ValueOf(d).Elem() })
	require.Greater(t, changed, 30)
}
