package cel

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/properties"
)

func TestNeeds(t *testing.T) {
	var (
		anything = Needs{Anything: true}
		cluster  = Needs{Anything: true, ClusterOnly: true}
		certain  = Needs{Types: []string{"a"}}
		isBlue   = Needs{Types: []string{"olm.package"}, Packages: []string{"blue"}}
	)
	types := func(ts ...string) Needs { return Needs{Types: ts} }
	tests := []struct {
		rule string
		want Needs
	}{
		// constants and the cluster
		{`true`, cluster},
		{`false`, Needs{Never: true, ClusterOnly: true}},
		{`1 == 2`, cluster},
		{`cluster.exists(c, c.type == "a")`, cluster},
		{`cluster.exists(c, cluster.exists(d, c.type == d.type && {"x": [c.value]} != {}))`, cluster},
		{`cluster.exists(properties, properties.type == "a")`, anything},
		{`cluster.exists(c, properties.exists(p, p.type == c.type))`, anything},
		{`cluster.exists(c, properties.exists(p, p.type == "a"))`, certain},
		{`cluster.exists(c, c.type == "b") && properties.exists(p, p.type == "a")`, certain},

		{`cluster.exists(c, {"x": properties} != {})`, anything},
		{`cluster.exists(c, {properties[0].type: c} != {})`, anything},

		// a property of a type
		{`properties.exists(p, p.type == "a")`, certain},
		{`properties.exists(p, "a" == p.type)`, certain},
		{`properties.exists(p, p["type"] == "a")`, certain},
		{`properties.exists_one(p, p.type == "a" && p.value.x > 3)`, certain},
		{`properties.exists(p, p.value.x > 3 && p.type == "a" && p.value.y < 3)`, certain},
		{`properties.exists(p, p.type in ["b", "a", "a"])`, types("a", "b")},
		{`properties.exists(p, p.type in [])`, Needs{Never: true}},
		{`properties.exists(p, p.type in ["a", p.value])`, anything},
		{`properties.exists(p, p.type == "b" || p.type == "a")`, types("a", "b")},
		{`properties.exists(p, p.type == "a" || p.value == 1)`, anything},
		{`properties.exists(p, p.type == "a" && p.type == "b")`, Needs{Never: true}},
		{`properties.exists(p, p.type == "a") && properties.exists(p, p.type in ["b", "c"])`, certain},
		{`properties.exists(p, p.type == "a") || properties.exists(p, p.type == "b")`, types("a", "b")},
		{`properties.exists(p, p.type == "a") || false`, certain},
		{`properties.exists(p, p.type == "a") || true`, anything},
		{`properties.exists(p, p.type == "a") && false`, Needs{Never: true}},
		{`properties.exists(p, p.type.startsWith("a"))`, anything},
		{`properties.exists(p, p.value.type == "a")`, anything},
		{`properties.filter(p, p.type == "a")[0].value == 1`, anything},
		{`cluster[0].type == "a"`, cluster},

		// negation
		{`!properties.exists(p, p.type == "a")`, anything},
		{`!(!properties.exists(p, p.type == "a"))`, certain},
		{`properties.all(p, p.type == "a")`, anything},
		{`!properties.all(p, p.type != "a")`, certain},
		{`!properties.all(p, !(p.type == "a"))`, certain},
		{`!properties.all(p, p.type != "a" || p.value == 1)`, certain},
		{`!(!properties.exists(p, p.type == "a") || properties.exists(p, p.type == "b"))`, certain},
		{`!(!properties.exists(p, p.type == "a") && !properties.exists(p, p.type == "b"))`, types("a", "b")},
		{`properties.exists(p, p.type == "a") == true`, certain},
		{`false == !properties.exists(p, p.type == "a")`, certain},
		{`(!properties.exists(p, p.type == "a")) != true`, certain},
		{`properties.exists(p, p.type == "a") != false`, certain},
		{`properties.exists(p, p.value == true && p.type == "a")`, certain},
		{`properties.exists(p, (p.type == "b" ? p.value : dyn(false)) != true)`, anything},
		{`properties.exists(p, (p.type == "b" ? p.value : dyn(true)) != true)`, anything},

		// either way
		{`properties.exists(p, p.type == "a") ? false : true`, anything},

		// two properties
		{`properties.exists(p, properties.exists(q, p.type == "a" && q.type in ["b", "c"]))`, types("b", "c")},
		{`properties.exists(p, properties.exists(q, q.type in ["b", "c"] && p.type == "a"))`, types("b", "c")},
		{`properties.exists(p, cluster.exists(c, p.type == "a" && c.type == "b"))`, certain},
		{`properties.map(p, p).exists(q, q.type == "a")`, anything},

		// packages
		{`properties.exists(p, p.type == "olm.package" && p.value.packageName == "blue")`, isBlue},
		{`properties.exists(p, "blue" == p.value["packageName"] && p.type == "olm.package")`, isBlue},
		{`properties.exists(p, p.type == "olm.package" && p.value.packageName in ["red", "blue"])`,
			Needs{Types: []string{"olm.package"}, Packages: []string{"blue", "red"}}},
		{`properties.exists(p, p.value.packageName == "blue")`, anything},
		{`properties.exists(p, p.type == "a" && p.value.packageName == "blue")`, certain},
		{`properties.exists(p, p.type in ["a", "olm.package"] && p.value.packageName == "blue")`, types("a", "olm.package")},
		{`properties.exists(p, p.type == "olm.package" && p.value.packageName == "blue" && p.value.packageName == "red")`, Needs{Never: true}},
		{`properties.exists(p, p.type == "olm.package" && p.value.packageName == "blue") && properties.exists(p, p.type == "a")`,
			Needs{Types: []string{"olm.package"}, Packages: []string{"blue"}}},
		{`properties.exists(p, p.type == "olm.package" && p.value.packageName == "blue") || properties.exists(p, p.type == "a")`, types("a", "olm.package")},

		// lists that must not be empty
		{`properties.filter(p, p.type == "a").size() <= 1`, anything},
		{`properties.filter(p, p.type == "a").size() >= 0`, anything},
		{`properties.filter(p, p.type == "a").size() == 0`, anything},
		{`properties.filter(p, p.type == "a") == []`, anything},
		{`["a"].exists(x, properties.exists(p, p.type == x))`, anything},
		{`["a"].exists(p, properties.exists(p, p.type == "a"))`, certain},
		{`!("a" in properties.map(p, p.type))`, anything},
		{`"a" in cluster.map(c, c.type)`, cluster},

		// names that hide other names
		{`cluster.exists(properties, properties.exists(k, k == "type"))`, anything},
		{`[[{"type": "a"}]].exists(properties, properties.exists(p, p.type == "a"))`, anything},
		{`properties.exists(p, cluster.exists(p, p.type == "a"))`, anything},
		{`properties.exists(p, properties.exists(q, q.type == "b") && p.type in ["a", "c"])`, types("b")},
		{`properties.exists(properties, properties.type == "a")`, certain},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			if diff := cmp.Diff(test.want, compile(t, test.rule).Needs()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNeedsGivesUpInTime(t *testing.T) {
	// A conditional is looked at from two sides, its condition twice from each.
	rule := `properties.exists(p, p.type == "a")`
	for range 13 {
		rule = `(` + rule + ` ? ` + `true` + ` : false)`
	}
	require.False(t, compile(t, rule).Needs().Never)

	var names []string
	for i := range maxAlternatives + 1 {
		names = append(names, strconv.Quote(strconv.Itoa(i)))
	}
	require.True(t, compile(t, `properties.exists(p, p.type in [`+strings.Join(names, ",")+`])`).Needs().Anything)
	most := compile(t, `properties.exists(p, p.type in [`+strings.Join(names[:maxAlternatives], ",")+`])`).Needs()
	require.False(t, most.Anything)
	require.Len(t, most.Types, maxAlternatives)
	half := len(names) / 2
	two := `properties.exists(p, p.type in [` + strings.Join(names[:half], ",") + `] || p.type in [` + strings.Join(names[half:], ",") + `])`
	require.True(t, compile(t, two).Needs().Anything)
}

func TestMaybe(t *testing.T) {
	s := set(t, blue)
	tests := []struct {
		needs Needs
		want  bool
	}{
		{Needs{Anything: true}, true},
		{Needs{Never: true}, false},
		{Needs{Types: []string{"certified", "x"}}, true},
		{Needs{Types: []string{"x"}}, false},
		{Needs{Types: []string{"olm.package"}, Packages: []string{"blue"}}, true},
		{Needs{Types: []string{"olm.package"}, Packages: []string{"red"}}, false},
	}
	for _, test := range tests {
		require.Equal(t, test.want, test.needs.Maybe(s), "%+v", test.needs)
	}
	require.False(t, Needs{Types: []string{"a"}}.Maybe(properties.Set{}))
}
