package fbc

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"
	"time"

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

// TestStamp: what a file system notes of a change is in the stamp.
func TestStamp(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	at := time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC)
	write := func(text string) stamp {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(name, at, at))
		info, err := os.Stat(name)
		require.NoError(t, err)
		return newStamp(info)
	}
	one := write("a")
	info, err := os.Stat(name)
	require.NoError(t, err)
	require.Equal(t, one, newStamp(info))
	require.NotEqual(t, one, write("ab"))
	if runtime.GOOS == "linux" {
		time.Sleep(20 * time.Millisecond) // Linux counts in ticks
		require.NotEqual(t, one, write("b"), "size and time are the same")
		require.False(t, one.settled(time.Now()), "it was changed just now, whatever its time says")
		require.True(t, one.settled(time.Now().Add(time.Minute)))
	}
}

func TestSettled(t *testing.T) {
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		stamp stamp
		want  bool
	}{
		{stamp{}, false},
		{stamp{modified: time.Unix(0, 0)}, false},
		{stamp{modified: time.Unix(1, 0)}, false},
		{stamp{modified: time.Unix(2, 0)}, true},
		{stamp{modified: now.Add(-2 * time.Second)}, false},
		{stamp{modified: now.Add(-2*time.Second - 1)}, true},
		{stamp{modified: now.Add(time.Hour)}, false},
		{stamp{modified: now.Add(-time.Hour), change: change{inode: 1, nanoseconds: now.UnixNano()}}, false},
		{stamp{modified: now.Add(-time.Hour), change: change{inode: 1, nanoseconds: now.Add(-time.Hour).UnixNano()}}, true},
	} {
		require.Equal(t, tt.want, tt.stamp.settled(now), "%+v", tt.stamp)
	}
}
