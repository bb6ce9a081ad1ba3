package fbc_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/graph"
)

// TestFields changes one blob of a good catalog: fields of wrong types, absent
// ones, and ones that are given twice. Each is a problem where it stands, and
// quarantines as little as can be.
func TestFields(t *testing.T) {
	const (
		no1   = "f:2 warning entryWithoutBundle" // the bundle could not be kept
		quBun = " quarantines bundle"
		quCh  = " quarantines channel"
		quPkg = " quarantines package"
	)
	tests := map[string]struct {
		line     int // of the blob that is changed
		old, new string
		problems []string
	}{
		"unknown fields": {1, `"name"`, `"icon":{"base64data":"x"},"description":[],"name"`, nil},
		"null fields":    {3, `"image":"i1"`, `"image":null,"relatedImages":null`, []string{"f:3 error imageMissing"}},

		"package: name of a wrong type": {1, `"etcd"`, `["etcd"]`, []string{"f:1 error fieldMissing", "f:1 error fieldType", "f:2 error packageMissing" + quPkg}},
		"package: no name":              {1, `"name"`, `"nome"`, []string{"f:1 error fieldMissing", "f:2 error packageMissing" + quPkg}},
		"package: default channel":      {1, `"stable"`, `7`, []string{"f:1 error defaultChannelMissing", "f:1 error fieldType"}},
		"package: name twice":           {1, `"name"`, `"name":"x","name"`, []string{"f:1 error fieldDuplicate quarantines package", "f:2 error packageMissing" + quPkg}},

		"channel: no name":               {2, `"name":"stable"`, `"x":1`, []string{"f:1 error noChannels", "f:2 error fieldMissing", "f:3 warning bundleUnlisted", "f:4 warning bundleUnlisted"}},
		"channel: no package":            {2, `"package":"etcd",`, ``, []string{"f:1 error noChannels", "f:2 error fieldMissing", "f:3 warning bundleUnlisted", "f:4 warning bundleUnlisted"}},
		"channel: entries of a kind":     {2, `"entries":[`, `"entries":{},"x":[`, []string{"f:2 error fieldType" + quCh, "f:3 warning bundleUnlisted", "f:4 warning bundleUnlisted"}},
		"channel: entries twice":         {2, `"entries":[`, `"entries":[{"name":"etcd.v1"}],"entries":[`, []string{"f:2 error fieldDuplicate" + quCh, "f:4 warning bundleUnlisted"}},
		"channel: entry of a kind":       {2, `{"name":"etcd.v1"}`, `{"name":"etcd.v1"},7`, []string{"f:2 error fieldType" + quCh}},
		"channel: entry's name":          {2, `{"name":"etcd.v1"}`, `{"name":{}}`, []string{"f:2 error channelInvalid" + quCh, "f:2 error fieldType" + quCh, "f:3 warning bundleUnlisted"}},
		"channel: entry's replaces":      {2, `"replaces":"etcd.v1"`, `"replaces":["etcd.v1"]`, []string{"f:2 error fieldType" + quCh}},
		"channel: entry's skips":         {2, `"replaces":"etcd.v1"`, `"replaces":"etcd.v1","skips":"x"`, []string{"f:2 error fieldType" + quCh}},
		"channel: entry's skips' items":  {2, `"replaces":"etcd.v1"`, `"replaces":"etcd.v1","skips":["x",1]`, []string{"f:2 error fieldType" + quCh}},
		"channel: entry's skips, null":   {2, `"replaces":"etcd.v1"`, `"replaces":"etcd.v1","skips":null,"skipRange":null`, nil},
		"channel: entry's skipRange":     {2, `"replaces":"etcd.v1"`, `"replaces":"etcd.v1","skipRange":1`, []string{"f:2 error fieldType" + quCh}},
		"channel: entry's replaces, two": {2, `"replaces":"etcd.v1"`, `"replaces":"etcd.v1","replaces":"x"`, []string{"f:2 error fieldDuplicate" + quCh}},

		"bundle: no name":               {3, `"name":"etcd.v1",`, ``, []string{no1, "f:3 error fieldMissing"}},
		"bundle: no package":            {3, `"package":"etcd",`, ``, []string{"f:3 error fieldMissing" + quBun}},
		"bundle: no package anywhere":   {3, `"package":"etcd",`, `"package":null,"properties":[],"x":`, []string{"f:3 error syntax", no1}},
		"bundle: package of a kind":     {3, `"package":"etcd"`, `"package":1`, []string{"f:3 error fieldMissing" + quBun, "f:3 error fieldType" + quBun}},
		"bundle: image of a kind":       {3, `"i1"`, `["i1"]`, []string{"f:3 error fieldType" + quBun}},
		"bundle: properties of a kind":  {3, `"properties":[`, `"properties":1,"x":[`, []string{"f:3 error fieldType" + quBun, "f:3 error packagePropertyMissing" + quBun}},
		"bundle: no properties":         {3, `"properties":[`, `"x":[`, []string{"f:3 error packagePropertyMissing" + quBun}},
		"bundle: property of a kind":    {3, `"properties":[`, `"properties":["x",`, []string{"f:3 error fieldType" + quBun}},
		"bundle: property's type":       {3, `"properties":[`, `"properties":[{"type":1,"value":1},`, []string{"f:3 error fieldType" + quBun}},
		"bundle: property without type": {3, `"properties":[`, `"properties":[{"value":1},`, []string{"f:3 error propertyInvalid" + quBun}},
		"bundle: property's type twice": {3, `"properties":[`, `"properties":[{"type":"x","type":"y","value":1},`, []string{"f:3 error fieldDuplicate" + quBun}},
		"bundle: property's value, two": {3, `"properties":[`, `"properties":[{"type":"x","value":1,"value":2},`, []string{"f:3 error fieldDuplicate" + quBun}},
		"bundle: property, no value":    {3, `"properties":[`, `"properties":[{"type":"x"},`, []string{"f:3 error propertyInvalid" + quBun}},
		"bundle: bad API":               {3, `"properties":[`, `"properties":[{"type":"olm.gvk","value":{"group":"Bad","version":"v1","kind":"X"}},`, []string{"f:3 error propertyInvalid" + quBun}},
		"bundle: bad version":           {3, `1.0.0`, `1`, []string{"f:3 error propertyInvalid" + quBun}},
		"bundle: another package":       {3, `"packageName":"etcd"`, `"packageName":"consul"`, []string{"f:3 error packageMismatch" + quBun}},
		"bundle: in a package unknown":  {3, `"package":"etcd"`, `"package":"consul"`, []string{"f:3 error packageMissing" + quPkg, no1, "f:3 warning bundleUnlisted", "f:3 error packageMismatch" + quBun}},
	}
	good := []string{packageBlob, channelBlob, bundleV1, bundleV2}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			changed := append([]string(nil), good...)
			changed[test.line-1] = strings.Replace(changed[test.line-1], test.old, test.new, 1)
			require.NotEqual(t, good, changed)
			c := read(t, "f", lines(changed...), fbc.Options{})
			require.ElementsMatch(t, test.problems, found(c), "%v", c.Problems())
			for _, p := range c.Problems() {
				require.NotEmpty(t, p.Message)
			}
			require.NotNil(t, c.Package("etcd"))
			require.NotNil(t, c.Package("etcd").Bundle("etcd.v2"), "what is not wrong is kept")
		})
	}
}

// TestLinesInsideOfBlobs: in a blob of many lines each problem has its own,
// however often reading goes back and forth in it.
func TestLinesInsideOfBlobs(t *testing.T) {
	const channel = `{"schema":"olm.channel","package":"etcd","name":"stable",
"entries":[
{"name":"etcd.v1",
"skips":[],
"replaces":7},
{"name":"gone.v1",

"skipRange":[]},
{"name":"gone.v2"}
]}`
	const bundle = `{"schema":"olm.bundle","name":"etcd.v1","name":"x","properties":[
{"type":"olm.package",
"value":{"packageName":"etcd","version":"1.0.0"}},
{"type":7,
"value":1},
{"type":"olm.gvk","value":{}},
7],
"image":[]}`
	c := read(t, "f", lines(packageBlob, channel, bundle), fbc.Options{})
	require.Equal(t, []string{
		"f:6 error fieldType quarantines channel",
		"f:7 warning entryWithoutBundle",
		"f:9 error fieldType quarantines channel",
		"f:10 warning entryWithoutBundle",
		"f:12 error fieldDuplicate quarantines bundle",
		"f:12 error fieldMissing quarantines bundle",
		"f:15 error fieldType quarantines bundle",
		"f:17 error propertyInvalid quarantines bundle",
		"f:18 error fieldType quarantines bundle",
		"f:19 error fieldType quarantines bundle",
	}, sorted(found(c)), "%v", c.Problems())
}

// TestQuarantinedNamesItself: of a bundle that cannot be used, all is kept
// that could be read.
func TestQuarantinedNamesItself(t *testing.T) {
	broken := strings.Replace(bundleV2, `"properties":[`, `"properties":[{"type":"olm.gvk","value":1},`, 1)
	c := read(t, "f", lines(packageBlob, channelBlob, bundleV1, broken), fbc.Options{})
	b := c.Package("etcd").Bundle("etcd.v2")
	require.Equal(t, graph.Code("propertyInvalid"), b.Quarantine.Code)
	require.Equal(t, "2.0.0", b.Version.String())
	require.Equal(t, "i2", b.Image)
	require.Equal(t, 2, b.Properties.Len())
	require.Equal(t, graph.Pos{File: "f", Line: 4}, b.Pos())
	require.Equal(t, []string{"etcd.v1", "etcd.v2"}, bundleNames(c), "it has no place, and comes last")
}

func TestDeprecations(t *testing.T) {
	deprecations := `{"schema":"olm.deprecations","package":"etcd","entries":[
{"reference":{"schema":"olm.package"},"message":"use consul"},
{"reference":{"schema":"olm.channel","name":"stable"},"message":"use beta"},
{"reference":{"schema":"olm.bundle","name":"etcd.v1"},"message":"too \u006fld"},
{"reference":{"schema":"olm.bundle","name":"etcd.v2"}},
{"reference":{"schema":"olm.bundle","name":"etcd.v9"},"message":"?"},
{"reference":{"schema":"olm.bundle","name":7},"message":"?"},
{"reference":7},
{},
7,
{"reference":{"schema":"olm.bundle","name":"etcd.v1"},"message":"again"},
{"reference":{},"reference":{}}
]}`
	c := read(t, "f", lines(goodLines+deprecations, `{"schema":"olm.deprecations","package":"consul","entries":[{"reference":{"schema":"olm.package"}}]}`,
		`{"schema":"olm.deprecations","entries":[]}`, `{"schema":"olm.deprecations","package":"etcd","entries":7}`), fbc.Options{})
	require.Equal(t, []string{
		"f:10 warning deprecationUnknown",
		"f:11 error fieldType",
		"f:11 warning deprecationUnknown",
		"f:12 error fieldType",
		"f:13 error fieldType",
		"f:14 error fieldType",
		"f:15 warning deprecationDuplicate",
		"f:16 error fieldDuplicate",
		"f:16 warning deprecationUnknown",
		"f:18 error deprecationDangling",
		"f:19 error fieldMissing",
		"f:20 error deprecationsSeveral",
		"f:20 error fieldType",
	}, sorted(found(c)), "%v", c.Problems())
	p := c.Package("etcd")
	require.Equal(t, "use consul", p.Deprecation)
	require.Equal(t, "use beta", p.Channel("stable").Deprecation)
	require.Equal(t, "too old", p.Bundle("etcd.v1").Deprecation)
	require.True(t, p.Bundle("etcd.v2").Deprecated)
	require.Nil(t, c.Package("consul"), "deprecations alone make no package")
	require.Equal(t, 2, c.Choosable(), "deprecations bar nothing")
}

// TestDropProperties: properties that are not wanted are not kept, and what is
// wrong with them does not matter.
func TestDropProperties(t *testing.T) {
	large := `{"type":"example.large","value":{"data":"` + strings.Repeat("x", 10_000) + `"}}`
	small := `{"type":"example.small","value":{}}`
	blob := strings.Replace(bundleV1, `"properties":[`, `"properties":[`+large+","+small+","+small+",", 1)
	c := read(t, "f", lines(packageBlob, channelBlob, blob, bundleV2), fbc.Options{})
	require.Equal(t, 4, c.Package("etcd").Bundle("etcd.v1").Properties.Len())
	c = read(t, "f", lines(packageBlob, channelBlob, blob, bundleV2), fbc.Options{DropProperties: []string{"example.large", "example.small"}})
	require.Empty(t, c.Problems())
	require.Equal(t, 1, c.Package("etcd").Bundle("etcd.v1").Properties.Len())
}

// TestSharing: equal properties of different bundles are one.
func TestSharing(t *testing.T) {
	gvk := `{"type":"olm.gvk","value":{"group":"etcd.example.com","version":"v1","kind":"Etcd"}}`
	v1 := strings.Replace(bundleV1, `"properties":[`, `"properties":[`+gvk+",", 1)
	c := read(t, "f", lines(packageBlob, channelBlob, v1, bundleV2), fbc.Options{})
	require.Same(t, c.Package("etcd").Bundle("etcd.v1").Properties.At(0), c.Package("etcd").Bundle("etcd.v2").Properties.At(1))
}
