package properties_test

import (
	"encoding/json"
	"fmt"
	"log"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
)

// The install modes that most operators support.
const ownAndAll = `"installModes":[{"type":"OwnNamespace","supported":true},{"type":"SingleNamespace","supported":false},{"type":"AllNamespaces","supported":true}]`

// TestParseCompatibility reads what metadata says, and says what of it cannot
// be understood.
func TestParseCompatibility(t *testing.T) {
	none, both := properties.NewInstallModes(), properties.NewInstallModes(properties.OwnNamespace, properties.AllNamespaces)
	secret := properties.GVK{Version: "v1", Kind: "Secret"}
	deployment := properties.GVK{Group: "apps", Version: "v1", Kind: "Deployment"}
	tests := map[string]struct {
		metadata string
		modes    properties.InstallModes
		kube     string // "" for none, "!" before an invalid one
		apis     []properties.GVK
		bad      string // in Malformed
	}{
		"nothing":        {metadata: `{}`, modes: none},
		"null":           {metadata: `{"installModes":null,"minKubeVersion":null,"nativeAPIs":null}`, modes: none},
		"modes":          {metadata: `{` + ownAndAll + `}`, modes: both},
		"spaced":         {metadata: " {\n \"installModes\" : [ { \"supported\" : true , \"type\" : \"OwnNamespace\" } ] } ", modes: properties.NewInstallModes(properties.OwnNamespace)},
		"escaped name":   {metadata: `{"install\u004dodes":[{"typ\u0065":"OwnNamespace","supported":true}]}`, modes: properties.NewInstallModes(properties.OwnNamespace)},
		"half surrogate": {metadata: `{"description":"\ud800` + `\udc00",` + ownAndAll + `}`, modes: both},
		"deep":           {metadata: `{"annotations":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `,` + ownAndAll + `}`, modes: both},
		"inside":         {metadata: `{"annotations":{"minKubeVersion":"1.2.3"},"x":[{"installModes":[]}],` + ownAndAll + `}`, modes: both},
		"unknown mode":   {metadata: `{"installModes":[{"type":"Galaxy","supported":true}]}`, modes: none},
		"unsupported":    {metadata: `{"installModes":[{"type":"OwnNamespace"}]}`, modes: none},
		"twice": {metadata: `{"installModes":[{"type":"OwnNamespace","supported":true},{"type":"OwnNamespace","supported":true},{"type":"AllNamespaces","supported":true}]}`,
			modes: none, bad: "lists the install mode OwnNamespace more than once"},
		"no list":       {metadata: `{"installModes":{}}`, bad: "has installModes that are not a list, but an object"},
		"no mode":       {metadata: `{"installModes":["OwnNamespace",{"type":"AllNamespaces","supported":true}]}`, modes: properties.NewInstallModes(properties.AllNamespaces), bad: `has an install mode that is not an object`},
		"no truth":      {metadata: `{"installModes":[{"type":"OwnNamespace","supported":"true"}]}`, modes: none, bad: `has an install mode that is not an object`},
		"kube":          {metadata: `{"minKubeVersion":"1.25.0"}`, modes: none, kube: "1.25.0"},
		"kube, lenient": {metadata: `{"minKubeVersion":" v1.16 "}`, modes: none, kube: "1.16.0"},
		"kube, number":  {metadata: `{"minKubeVersion":1.16}`, modes: none, kube: "1.16.0"},
		"kube, pre":     {metadata: `{"minKubeVersion":"1.19.0-0"}`, modes: none, kube: "1.19.0-0"},
		"kube, empty":   {metadata: `{"minKubeVersion":""}`, modes: none},
		"kube, word":    {metadata: `{"minKubeVersion":"latest"}`, modes: none, kube: "!latest"},
		"kube, list":    {metadata: `{"minKubeVersion":[]}`, modes: none, kube: "![]"},
		"native APIs": {metadata: `{"nativeAPIs":[{"kind":"Secret","group":"","version":"v1"},{"kind":"Secret","version":"v1"},{"group":"apps","version":"v1","kind":"Deployment"}]}`,
			modes: none, apis: []properties.GVK{secret, secret, deployment}},
		"no native APIs": {metadata: `{"nativeAPIs":"none"}`, modes: none, bad: "has nativeAPIs that are not a list, but a string"},
		"half an API": {metadata: `{"nativeAPIs":[{"group":"apps"},{"group":"apps","version":"v1","kind":"Deployment"},7]}`, modes: none,
			apis: []properties.GVK{deployment}, bad: `has a native API that is not an object with group, version and kind: {"group":"apps"}`},
		"no object": {metadata: `"x"`, bad: "is not an object, but a string"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := testkit.Must(properties.ParseCompatibility([]byte(test.metadata)))(t)
			require.Equal(t, test.modes, c.InstallModes)
			require.Equal(t, test.apis, c.NativeAPIs)
			require.Zero(t, c.MaxOpenShift)
			wrong, invalid := strings.CutPrefix(test.kube, "!")
			switch {
			case invalid:
				require.Equal(t, wrong, c.MinKubeVersion.Text)
				require.NotEmpty(t, c.MinKubeVersion.Invalid)
			case test.kube == "":
				require.True(t, c.MinKubeVersion.IsZero())
			default:
				require.Equal(t, test.kube, c.MinKubeVersion.Version.String())
				require.Empty(t, c.MinKubeVersion.Invalid)
			}
			if test.bad == "" {
				require.Empty(t, c.Malformed)
			} else {
				require.Len(t, c.Malformed, 1)
				require.Contains(t, c.Malformed[0], test.bad)
			}
		})
	}
	_, err := properties.ParseCompatibility([]byte(`{"installModes":[}`))
	invalid := testkit.As[*properties.Error](t, err)
	require.Equal(t, properties.TypeCSVMetadata, invalid.Type)
}

// TestManyNativeAPIs: the kept APIs are limited, and dropped ones are reported.
func TestManyNativeAPIs(t *testing.T) {
	list := strings.Repeat(`{"version":"v1","kind":"Secret"},`, 1000)
	c, err := properties.ParseCompatibility([]byte(`{"nativeAPIs":[` + strings.TrimSuffix(list, ",") + `]}`))
	require.NoError(t, err)
	require.Len(t, c.NativeAPIs, 1000)
	require.Empty(t, c.Malformed)
	c, err = properties.ParseCompatibility([]byte(`{"nativeAPIs":[` + list + `{"version":"v1","kind":"Service"}]}`))
	require.NoError(t, err)
	require.Len(t, c.NativeAPIs, 1000)
	require.Equal(t, []string{"has more than 1000 nativeAPIs; the others are ignored"}, c.Malformed)
	c, err = properties.ParseCompatibility([]byte(`{"installModes":[` + strings.Repeat(`{"type":"new"},`, 1000) + `{"type":"AllNamespaces","supported":true}]}`))
	require.NoError(t, err)
	require.Equal(t, []string{"has more than 1000 installModes; the others are ignored"}, c.Malformed)
}

// TestParseOwned reads which definitions metadata has as owned, and leaves out what cannot
// be understood: it says nothing of where the bundle runs.
func TestParseOwned(t *testing.T) {
	const foo = `{"name":"foos.sub.example.com","version":"v1","kind":"Foo","resources":[{"kind":"Pod","name":"","version":"v2"}]}`
	for metadata, want := range map[string]int{
		`{"crdDescriptions":{"required":[` + foo + `]}}`: 0,
		`{"crdDescriptions":{"owned":[` + foo + `]}}`:    1,
		" { \"crdDescriptions\" : { \"owned\" : [ " + foo + ` , 7, null, {}, {"name":"foos","version":"v1","kind":"Foo"}, {"name":"foos.a.b","version":"V 1","kind":"Foo"}, {"name":[],"version":"v1","kind":"Foo"} ] } } `: 1,
		`{"crdDescriptions":{"owned":{"foos.example.com":7}}}`:                        0,
		`{"crdDescriptions":[` + foo + `]}`:                                           0,
		`{"crdDescriptions":null}`:                                                    0,
		`{"crdDescriptions":{"owned":[` + strings.Repeat(foo+",", 1000) + foo + `]}}`: 1000,
	} {
		owned := properties.OwnedCRDs(json.RawMessage(metadata))
		require.Len(t, owned, want)
		for _, d := range owned {
			require.Equal(t, properties.CRD{Group: "sub.example.com", Kind: "Foo", Versions: []properties.CRDVersion{{Name: "v1", Served: true}}}, d)
		}
	}
}

// TestSetCompatibility finds the facts in the properties of a bundle, as those
// of an installed one are given.
func TestSetCompatibility(t *testing.T) {
	parse := func(list string) *properties.Compatibility {
		s := testkit.Must(properties.Parse([]byte(list)))(t)
		return s.Compatibility()
	}
	maxOf := func(version string) string {
		return fmt.Sprintf(`{"type":"olm.maxOpenShiftVersion","value":%s}`, version)
	}
	metadata := `{"type":"olm.csv.metadata","value":{` + ownAndAll + `}}`
	both := properties.NewInstallModes(properties.OwnNamespace, properties.AllNamespaces)

	require.Nil(t, parse(`[{"type":"olm.package","value":{"packageName":"p","version":"1.0.0"}}]`))
	c := parse(`[` + metadata + `,{"type":"olm.csv.metadata","value":{}}]`)
	require.Equal(t, both, c.InstallModes, "the first counts")
	require.True(t, c.MaxOpenShift.IsZero())
	c = parse(`[` + maxOf(`"4.18"`) + `,` + metadata + `]`)
	require.Equal(t, both, c.InstallModes)
	require.Equal(t, properties.MaxOpenShift{Text: "4.18", Version: properties.OpenShiftVersion{Major: 4, Minor: 18}}, c.MaxOpenShift)
	c = parse(`[` + maxOf(`"4.18"`) + `]`)
	require.False(t, c.InstallModes.Known(), "nothing says so")

	for text, want := range map[string]string{
		`"4.9"`: "4.9", `4.9`: "4.9", `4.10`: "4.10", `"\"4.9\""`: "4.9", `"4.9.0"`: "4.9", `" v4.9 "`: "4.9", `"5"`: "5.0",
		`""`: "", `" "`: "", `"\"\""`: "", `"4.9.1"`: "", `"4.9.0-rc.1"`: "", `"next"`: "", `null`: "", `["4.9"]`: "", `{}`: "", `"4.9.0.0"`: "",
		`"` + strings.Repeat("4", 300) + `"`: "",
	} {
		m := parse(`[` + maxOf(text) + `]`).MaxOpenShift
		require.False(t, m.IsZero(), text)
		require.Equal(t, want, m.Version.String(), text)
		require.Equal(t, want == "", m.Invalid != "", text)
		require.Equal(t, want != "", m.Allows(properties.OpenShiftVersion{Major: 4, Minor: 1}), text)
		require.Less(t, len(m.Text), 100)
	}
	m := parse(`[` + maxOf(`"4.9"`) + `,` + maxOf(`"4.9"`) + `]`).MaxOpenShift
	require.Equal(t, properties.MaxOpenShift{Text: "4.9", Invalid: "is given more than once"}, m)
	require.False(t, m.Allows(properties.OpenShiftVersion{Major: 4, Minor: 1}))
}

// TestOpenShiftVersions: 4.23 and 5.0 are one release.
func TestOpenShiftVersions(t *testing.T) {
	parse := func(text string) properties.OpenShiftVersion {
		return testkit.Must(properties.ParseOpenShiftVersion(text))(t)
	}
	ascending := []string{"3.11", "4.9", "4.10", "4.22.7", "4.23", "5.1.0-rc.1", "5.2"}
	for i, a := range ascending {
		for j, b := range ascending {
			require.Equal(t, i < j, parse(a).Compare(parse(b)) < 0, "%s and %s", a, b)
			require.Equal(t, i > j, parse(a).Compare(parse(b)) > 0, "%s and %s", a, b)
		}
	}
	require.Zero(t, parse("4.23").Compare(parse("5.0.3")))
	require.Zero(t, parse("4.25").Compare(parse("5.2")))
	require.Equal(t, "4.23", parse("4.23.1").String())
	for _, text := range []string{"", "four", "4.20.x", strings.Repeat("4", 300)} {
		_, err := properties.ParseOpenShiftVersion(text)
		require.Error(t, err, text)
	}
}

// TestMinKubeVersion: of a cluster's version only the three numbers count, of
// that of a bundle all does.
func TestMinKubeVersion(t *testing.T) {
	for _, test := range []struct {
		least, cluster string
		want           bool
	}{
		{"1.25.0", "1.25.0", true}, {"1.25.0", "v1.25.3+k3s1", true}, {"1.25.0", "1.24.17", false}, {"1.25", "1.25.0-rc.1", true},
		{"1.25.0-0", "1.25.0", true}, {"1.25.0-0", "1.24.9", false}, {"1.25.1", "1.25.1-gke.7", true}, {"1.25.2", "1.25.1-gke.7", false},
	} {
		c := testkit.Must(properties.ParseCompatibility([]byte(`{"minKubeVersion":"` + test.least + `"}`)))(t)
		cluster := testkit.Must(properties.ParseKubernetesVersion(test.cluster))(t)
		allowed, ok := c.MinKubeVersion.Allows(cluster)
		require.True(t, ok)
		require.Equal(t, test.want, allowed, "%s on %s", test.least, test.cluster)
	}
	_, ok := properties.MinKubeVersion{Text: "x", Invalid: "is not a version"}.Allows(semver.Version{Major: 9})
	require.False(t, ok)
}

// TestInstallModes: a set that says nothing has nothing.
func TestInstallModes(t *testing.T) {
	var unknown properties.InstallModes
	none := properties.NewInstallModes()
	some := properties.NewInstallModes(properties.AllNamespaces, properties.OwnNamespace)
	require.False(t, unknown.Known())
	require.True(t, none.Known())
	require.Equal(t, []string{"unknown", "none", "OwnNamespace, AllNamespaces"}, []string{unknown.String(), none.String(), some.String()})
	require.True(t, some.Has(properties.OwnNamespace))
	require.True(t, some.Has(properties.OwnNamespace|properties.AllNamespaces))
	require.False(t, some.Has(properties.OwnNamespace|properties.MultiNamespace))
	require.False(t, none.Has(properties.SingleNamespace))
	require.False(t, properties.OwnNamespace.Has(properties.OwnNamespace), "a mode alone is not a set that is known")
}

// TestNeededInstallModes: the modes by the namespaces of an operator group.
func TestNeededInstallModes(t *testing.T) {
	for targets, want := range map[string]string{
		"": "AllNamespaces", "a,": "AllNamespaces", "own": "OwnNamespace", "own,own": "OwnNamespace", "a": "SingleNamespace", "a,b": "MultiNamespace", "a,own": "OwnNamespace, MultiNamespace",
	} {
		modes := properties.NeededInstallModes("own", strings.Split(targets, ","))
		require.Equal(t, want, strings.Join(modes.Names(), ", "), targets)
	}
	require.Equal(t, []string{"AllNamespaces"}, properties.NeededInstallModes("own", nil).Names())
}

// FuzzCompatibility: metadata that Go's own JSON library can read gives what
// that library finds in it, and other text is an error.
func FuzzCompatibility(f *testing.F) {
	for _, s := range []string{
		`{}`, `null`, `{` + ownAndAll + `}`, `{"minKubeVersion":"1.16"}`, `{"nativeAPIs":[{"kind":"Secret","version":"v1"}]}`,
		`{"installModes":[{"type":"OwnNamespace","supported":true},{"type":"OwnNamespace"}]}`, `{"installModes":[7]} {`,
		"{\"description\":\"\xff\"}", `{"a":"\ud800","minKubeVersion":"1.2"}`, `[` + ownAndAll + `]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, metadata []byte) {
		c, err := properties.ParseCompatibility(metadata)
		if err != nil {
			return
		}
		require.True(t, json.Valid(metadata))
		var want struct {
			InstallModes []struct {
				Type      string
				Supported bool
			}
		}
		if strings.Contains(string(metadata), `\`) || json.Unmarshal(metadata, &want) != nil || len(c.Malformed) > 0 || !strings.Contains(string(metadata), `"installModes"`) {
			return
		}
		var keys map[string]json.RawMessage
		lower := strings.ToLower(string(metadata))
		if json.Unmarshal(metadata, &keys) != nil || strings.Count(lower, "installmodes") != 1 || keys["installModes"] == nil ||
			strings.Count(lower, "type") != strings.Count(string(metadata), "type") || strings.Count(lower, "supported") != strings.Count(string(metadata), "supported") {
			return // Go's library does not tell upper from lower case
		}
		for _, m := range want.InstallModes {
			for bit, name := range map[properties.InstallModes]string{
				properties.OwnNamespace: "OwnNamespace", properties.SingleNamespace: "SingleNamespace",
				properties.MultiNamespace: "MultiNamespace", properties.AllNamespaces: "AllNamespaces",
			} {
				if m.Type == name {
					require.Equal(t, m.Supported, c.InstallModes.Has(bit), "%s", metadata)
				}
			}
		}
	})
}

func ExampleSet_Compatibility() {
	set, err := properties.Parse([]byte(`[
		{"type": "olm.csv.metadata", "value": {"minKubeVersion": "1.25.0", "installModes": [{"type": "AllNamespaces", "supported": true}]}},
		{"type": "olm.maxOpenShiftVersion", "value": "4.18"}
	]`))
	if err != nil {
		log.Fatal(err)
	}
	c := set.Compatibility()
	fmt.Println(c.InstallModes)
	fmt.Println(c.MinKubeVersion.Allows(semver.MustParse("1.24.3")))
	fmt.Println(c.MaxOpenShift.Allows(properties.OpenShiftVersion{Major: 4, Minor: 19}))
	// Output:
	// AllNamespaces
	// false true
	// false
}
