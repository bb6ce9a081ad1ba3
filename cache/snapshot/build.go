package snapshot

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"reflect"
	"runtime/debug"
	"sync"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/constraints/cel"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// thisBuild identifies what a catalog means to this program. Beside the format
// it is part of every snapshot: what one build made of a catalog, with its
// bugs, is not for another to believe.
var thisBuild = sync.OnceValue(func() uint64 {
	info, _ := debug.ReadBuildInfo()
	return buildOf(info, shape())
})

// meaningful are the modules whose version decides what becomes of a catalog.
var meaningful = [...]string{
	"github.com/seed109e2655/resolute", "github.com/blang/semver/v4",
	"github.com/google/cel-go", "github.com/go-json-experiment/json",
}

// buildOf identifies a build by the versions of the modules in it and the
// shape of what is saved.
func buildOf(info *debug.BuildInfo, shape string) uint64 {
	h := sha256.New()
	io.WriteString(h, shape)
	if info != nil {
		module(h, &info.Main)
		for _, m := range info.Deps {
			module(h, m)
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && info.Main.Path == meaningful[0] {
				fmt.Fprintln(h, s.Key, s.Value)
			}
		}
	}
	return binary.LittleEndian.Uint64(h.Sum(nil))
}

// module adds the version of a module, if that matters.
func module(w io.Writer, m *debug.Module) {
	for _, path := range meaningful {
		if m.Path != path {
			continue
		}
		for ; m != nil; m = m.Replace {
			fmt.Fprintln(w, m.Path, m.Version, m.Sum)
		}
		return
	}
}

// shape describes the Go types that are saved, field by field: a field that is
// added and forgotten here would be lost.
func shape() string {
	var text []byte
	for _, t := range []reflect.Type{
		reflect.TypeFor[cache.Content](), reflect.TypeFor[cache.Catalog](), reflect.TypeFor[graph.Package](), reflect.TypeFor[graph.Channel](),
		reflect.TypeFor[graph.Entry](), reflect.TypeFor[graph.Bundle](), reflect.TypeFor[graph.Requirement](), reflect.TypeFor[graph.Place](),
		reflect.TypeFor[graph.Problem](), reflect.TypeFor[graph.Pos](), reflect.TypeFor[properties.Property](), reflect.TypeFor[properties.Package](),
		reflect.TypeFor[properties.Compatibility](), reflect.TypeFor[properties.MinKubeVersion](), reflect.TypeFor[properties.MaxOpenShift](),
		reflect.TypeFor[properties.GVK](), reflect.TypeFor[properties.PackageRequired](), reflect.TypeFor[properties.GVKRequired](),
		reflect.TypeFor[constraints.GVK](), reflect.TypeFor[constraints.Package](), reflect.TypeFor[constraints.Label](), reflect.TypeFor[constraints.CEL](),
		reflect.TypeFor[constraints.All](), reflect.TypeFor[constraints.Any](), reflect.TypeFor[constraints.Not](), reflect.TypeFor[cel.Needs](),
	} {
		text = fmt.Appendln(text, t)
		for i := range t.NumField() {
			f := t.Field(i)
			text = fmt.Appendln(text, "\t", f.Name, f.Type)
		}
	}
	return string(text)
}
