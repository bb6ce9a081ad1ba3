package snapshot

import (
	"bytes"
	"context"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// tampered returns the error of opening a catalog whose tables were changed
// behind the back of everybody.
func tampered(t *testing.T, change func(*encoder)) *CorruptError {
	data, err := os.ReadFile("testdata/small.jsonl")
	require.NoError(t, err)
	c, err := fbc.Read(context.Background(), bytes.NewReader(data), "small.jsonl", fbc.Options{})
	require.NoError(t, err)
	e := &encoder{}
	e.catalog(c)
	require.NoError(t, e.err)
	change(e)
	w := &writer{buf: []byte{0, 0, 0, 0}}
	e.write(w)
	_, _, corrupt := decodeBody(w.buf, nil)
	return corrupt
}

// TestTampered: what others rely on is checked, though a file whose checksum is
// right never lacks it.
func TestTampered(t *testing.T) {
	require.Nil(t, tampered(t, func(*encoder) {}))
	last := func(column []uint32) *uint32 { return &column[len(column)-1] }
	swap := func(column []uint32) { column[0], column[1] = column[1], column[0] }
	// The first channel of package etcd is stable, with three entries, of
	// which the first and last are on the chain; its broken channel lists one
	// name twice.
	for name, tt := range map[string]struct {
		change func(*encoder)
		want   string
	}{
		"packages out of order":         {func(e *encoder) { swap(e.packages.name) }, "packages are not in order"},
		"packages of one name":          {func(e *encoder) { e.packages.name[1] = e.packages.name[0] }, "packages are not in order"},
		"bundles out of order":          {func(e *encoder) { swap(e.bundles.name) }, "bundles of a package are not in order"},
		"bundles of one name":           {func(e *encoder) { e.bundles.name[1] = e.bundles.name[0] }, "bundles of a package are not in order"},
		"bundle without a name":         {func(e *encoder) { e.bundles.name[0] = e.names.number("") }, "bundles of a package are not in order"},
		"channel without a name":        {func(e *encoder) { e.channels.name[0] = e.names.number("") }, "channels of a package are not in order"},
		"channels out of order":         {func(e *encoder) { swap(e.channels.name[1:]) }, "channels of a package are not in order"},
		"channels of one name":          {func(e *encoder) { e.channels.name[2] = e.channels.name[1] }, "channels of a package are not in order"},
		"default channel second":        {func(e *encoder) { swap(e.channels.name) }, "channels of a package are not in order"},
		"default channel last":          {func(e *encoder) { e.packages.defaultChannel[1] = *last(e.channels.name) }, "channels of a package are not in order"},
		"bundle of another package":     {func(e *encoder) { e.entries.bundle[0] = 5 }, "stands for another bundle"},
		"bundle of another name":        {func(e *encoder) { e.entries.bundle[0]-- }, "stands for another bundle"},
		"entry twice in the order":      {func(e *encoder) { e.entries.byName[1] = e.entries.byName[0] }, "entries of a channel are not in order"},
		"entry of another channel":      {func(e *encoder) { e.entries.byName[0] = 3 }, "entries of a channel are not in order"},
		"entries out of order":          {func(e *encoder) { swap(e.entries.byName) }, "entries of a channel are not in order"},
		"chain with a gap":              {func(e *encoder) { e.entries.position[2] = 3 }, "entries of a channel are not in order"},
		"chain far from its end":        {func(e *encoder) { e.entries.position[2] = 1 << 30 }, "entries of a channel are not in order"},
		"chain with two heads":          {func(e *encoder) { e.entries.position[2] = 1 }, "entries of a channel are not in order"},
		"chain that is not linked":      {func(e *encoder) { e.entries.replaces[0] = e.entries.name[0] }, "entries of a channel are not in order"},
		"one bundle twice on the chain": {twiceOnChain, "entries of a channel are not in order"},
		"more entries than there are":   {func(e *encoder) { *last(e.channels.entries)++ }, ""},
		"fewer entries than there are":  {func(e *encoder) { *last(e.channels.entries)-- }, ""},
		"more bundles than there are":   {func(e *encoder) { *last(e.packages.bundles)++ }, ""},
		"fewer properties":              {func(e *encoder) { *last(e.bundles.properties)-- }, ""},
		"more requirements":             {func(e *encoder) { *last(e.bundles.requirements)++ }, ""},
		"more skips":                    {func(e *encoder) { *last(e.entries.skips) += 7 }, ""},
		"text that is not there":        {func(e *encoder) { e.bundles.image[0] = uint32(len(e.texts.list)) + 1000 }, "not there"},
		"version that is not there":     {func(e *encoder) { e.bundles.version[0] = uint32(len(e.versionList)) }, "not there"},
		"range that is not there":       {func(e *encoder) { e.entries.skipRange[0] = uint32(len(e.ranges.list)) + 1 }, "not there"},
		"problem that is not there":     {func(e *encoder) { e.bundles.quarantine[0] = uint32(len(e.pool.list)) + 1 }, "not there"},
		"requirement that is not there": {func(e *encoder) { e.bundleRequirements[0] = uint32(len(e.requirements.list)) }, "not there"},
		"neither true nor false":        {func(e *encoder) { e.bundles.barred[0] = 2 }, "not there"},
		"known type without a value":    {func(e *encoder) { renameType(e, properties.TypeGVK) }, `a property of type "olm.gvk" is none`},
		"property without a type":       {func(e *encoder) { renameType(e, "") }, `a property of type "" is none`},
		"APIs out of order":             {swapAPIs, "APIs are not in order"},
		"constraint nested too deep":    {nest, "nested deeper than 10 levels"},
	} {
		t.Run(name, func(t *testing.T) {
			corrupt := tampered(t, tt.change)
			require.NotNil(t, corrupt)
			require.Contains(t, corrupt.Reason, tt.want)
		})
	}
}

// twiceOnChain lets a chain come by one bundle twice, which has a channel that
// lists it twice.
func twiceOnChain(e *encoder) {
	at := slices.Index(e.channels.entries, 2)
	row := 0
	for _, n := range e.channels.entries[:at] {
		row += int(n)
	}
	e.entries.position[row], e.entries.position[row+1] = 1, 2
	e.entries.replaces[row] = e.entries.name[row+1]
}

// renameType gives a property of an unknown type another type.
func renameType(e *encoder, name string) {
	for i := range e.properties.list {
		if e.properties.list[i].kind == kindOther {
			e.properties.list[i].row[0] = e.names.number(name)
		}
	}
}

// swapAPIs swaps two APIs.
func swapAPIs(e *encoder) {
	first := slices.IndexFunc(e.properties.list, func(p savedProperty) bool { return p.kind == kindGVK })
	list := e.properties.list[first:]
	end := slices.IndexFunc(list, func(p savedProperty) bool { return p.kind != kindGVK })
	list[0], list[end-1] = list[end-1], list[0]
}

// nest puts a constraint into so many others that nobody would have read it.
func nest(e *encoder) {
	r := &e.requirements.list[0]
	for range constraints.MaxDepth + 1 {
		r.Constraint = constraints.NewAll(r.Constraint)
	}
	e.note(r.Constraint)
}

// TestMangled: numbers in constraints that lead nowhere are refused.
func TestMangled(t *testing.T) {
	for name, tail := range map[string][]byte{
		"unknown kind":    {99, 0},
		"no such message": {byte(formulaAll), 9, 0},
		"no such name":    {byte(formulaLabel), 0, 9},
		"no such range":   {byte(formulaPackage), 0, 0, 9},
		"no such rule":    {byte(formulaCEL), 0, 9, 0},
		"unknown needs":   {byte(formulaCEL), 0, 0, needsAll + 1},
		"no such type":    {byte(formulaCEL), 0, 0, needsTypes, 1, 9},
		"endless types":   {byte(formulaCEL), 0, 0, needsTypes, 0xff, 0xff, 0xff, 0xff, 7},
		"endless list":    {byte(formulaAll), 0, 0xff, 0xff, 0xff, 0xff, 7},
		"nothing":         {},
	} {
		t.Run(name, func(t *testing.T) {
			d := &decoder{reader: newReader(tail), parser: constraints.NewParser(constraints.ParserOptions{})}
			d.names, d.texts = []string{"a"}, []string{"b"}
			require.Nil(t, d.constraint(0))
			require.NotNil(t, d.err)
		})
	}
}

// TestWidths: numbers come back in columns of every width.
func TestWidths(t *testing.T) {
	for _, top := range []uint64{0, 1, 255, 256, 65535, 65536, 1<<31 - 3, 1 << 32, 1<<64 - 1} {
		want := []uint64{0, top, top / 2, 1 & top}
		w := &writer{}
		w.wide(want)
		require.Equal(t, want, newReader(w.buf).wide(len(want)))
		if top < maxCount {
			narrow := []uint32{0, uint32(top), uint32(top / 2)}
			w := &writer{}
			w.column(narrow)
			require.Equal(t, narrow, newReader(w.buf).column(len(narrow), uint32(top)+1))
			if top > 0 {
				require.Nil(t, newReader(w.buf).column(len(narrow), uint32(top)))
			}
		}
	}
	w := &writer{}
	w.wide([]uint64{1 << 40})
	require.Nil(t, newReader(w.buf).column(1, maxCount))
}

// TestEqualRequirements: one property that was read twice gives one
// requirement, two formulas of one property give two.
func TestEqualRequirements(t *testing.T) {
	p, err := properties.New(properties.TypeConstraint, []byte(`{"all":{"constraints":[{"cel":{"rule":"true"}}]}}`))
	require.NoError(t, err)
	read := func() constraints.Constraint {
		c, err := constraints.Parse(p.Raw())
		require.NoError(t, err)
		return c
	}
	e := &encoder{}
	first := e.requirement(graph.Requirement{Constraint: read(), Property: p})
	require.Equal(t, first, e.requirement(graph.Requirement{Constraint: read(), Property: p}))
	inner := constraints.NewAll(constraints.WithMessage(constraints.Children(read())[0], "message"))
	require.Equal(t, read().Key(), inner.Key())
	require.NotEqual(t, first, e.requirement(graph.Requirement{Constraint: inner, Property: p}))
	require.NoError(t, e.err)
	e.requirement(graph.Requirement{Constraint: read()})
	require.Error(t, e.err)
}
