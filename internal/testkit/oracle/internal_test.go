package oracle

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/resolver"
)

// TestTypes compares the list of types with the properties.
func TestTypes(t *testing.T) {
	b := Bundle{Name: "a.v1", Provides: []string{"Foo", "Bar"}, Labels: []string{"red"},
		Extras: []Extra{{Type: "tier", Tier: "gold"}, {Type: "certified", Text: "yes"}}, Deprecated: true,
		Release: "1", Metadata: &CSV{}, Object: &CSV{MinKube: "1.30.0"}, MaxOpenShift: []string{"4.18", "4.19"},
		Requires: []Constraint{{Kind: GVK, Name: "Foo", Plain: true}, {Kind: Pkg, Name: "a", Plain: true},
			{Kind: Label, Name: "red", Plain: true}, {Kind: Any}}}
	for _, defect := range []Defect{Sound, BadVersion, BadRelease, BadRule, UnknownKey, MissingIdentity, ForeignIdentity, TwoKindsAtOnce, MalformedBinding} {
		b.Defect = defect
		var want []string
		for _, p := range b.Properties("a") {
			if p.Type != "olm.csv.metadata" && p.Type != "olm.bundle.object" {
				want = append(want, p.Type)
			}
		}
		switch defect { // invalid
		case BadVersion, BadRelease:
			want = want[1:]
		case MalformedBinding:
			want = want[:len(want)-1]
		}
		require.Equal(t, want, b.types(), "defect %q", defect)
	}
}

// TestVerdicts evaluates each template on one bundle.
func TestVerdicts(t *testing.T) {
	b := Bundle{Name: "a.v2", Version: Version{N: 2}, Provides: []string{"Foo"},
		Extras: []Extra{{Type: "tier", Tier: "gold"}, {Type: "certified", Text: "yes"}}}
	kube := Cluster{Kube: &Version{N: 2}}
	yes, no := Rule{Kind: Constant, Index: 1}, Rule{Kind: Constant}
	wrong := Rule{Kind: TypeAt, Index: 9}
	of := func(k RuleKind, rs ...Rule) Rule { return Rule{Kind: k, Of: rs} }
	for _, c := range []struct {
		rule Rule
		want verdict
	}{
		{Rule{Kind: HasType, Type: "tier"}, isTrue},
		{Rule{Kind: HasType, Type: "other"}, isFalse},
		{Rule{Kind: LacksType, Type: "other"}, isTrue},
		{Rule{Kind: AllOtherTypes, Type: "tier"}, isFalse},
		{Rule{Kind: OfPackage, Text: "a"}, isTrue},
		{Rule{Kind: OfPackage, Text: "b"}, isFalse},
		{Rule{Kind: OfPackageVersion, Text: "a", Op: ">=", Version: Version{N: 2}}, isTrue},
		{Rule{Kind: OfPackageVersion, Text: "a", Op: "<", Version: Version{N: 2}}, isFalse},
		{Rule{Kind: OfPackageVersion, Text: "a", Op: ">", Version: Version{N: 2, RC: true}}, isTrue},
		{Rule{Kind: TextIs, Type: "certified", Text: "yes"}, isTrue},
		{Rule{Kind: TextIs, Type: "tier", Text: "yes"}, isFalse},
		{Rule{Kind: TierIs, Text: "gold"}, isTrue},
		{Rule{Kind: TierIs, Text: "silver"}, isError},
		{Rule{Kind: TierIsNot, Text: "gold"}, isFalse},
		{Rule{Kind: TierIsNot, Text: "silver"}, isError},
		{Rule{Kind: TypeAt, Index: 1, Type: "olm.gvk"}, isTrue},
		{Rule{Kind: TypeAt, Index: 4, Type: "olm.gvk"}, isError},
		{Rule{Kind: AtLeast, Index: 4}, isTrue},
		{Rule{Kind: AtLeast, Index: 5}, isFalse},
		{Rule{Kind: KubeAtLeast, Version: Version{N: 2}}, isTrue},
		{Rule{Kind: KubeAtLeast, Version: Version{N: 3}}, isFalse},
		{of(NotRule, wrong), isError},
		{of(AndRule, wrong, no), isFalse},
		{of(AndRule, yes, wrong), isError},
		{of(OrRule, wrong, yes), isTrue},
		{of(OrRule, no, wrong), isError},
		{of(OrRule, no, no), isFalse},
	} {
		require.Equal(t, c.want, c.rule.eval("a", &b, &kube), "%s", c.rule)
	}
	bare := Bundle{Defect: MissingIdentity, Extras: []Extra{{Type: "tier", Tier: "gold"}}}
	require.Equal(t, isTrue, Rule{Kind: TierIsNot, Text: "silver"}.eval("a", &bare, &kube), "every property has a tier")
}

// TestSupports compares operator groups of the namespace ns with install
// modes.
func TestSupports(t *testing.T) {
	const own, single, multi, all = "OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"
	for _, c := range []struct {
		targets []string
		need    []string
	}{
		{nil, []string{all}}, {[]string{""}, []string{all}},
		{[]string{"ns"}, []string{own}}, {[]string{"ns", "ns"}, []string{own}},
		{[]string{"shop"}, []string{single}}, {[]string{"shop", "shop"}, []string{single}},
		{[]string{"shop", "store"}, []string{multi}}, {[]string{"shop", "ns"}, []string{own, multi}},
	} {
		p := &Problem{Namespace: "ns", Group: &resolver.OperatorGroup{TargetNamespaces: c.targets}}
		for drop := range len(c.need) + 1 { // each needed mode is required, and no other
			var modes []Mode
			for _, m := range []string{own, single, multi, all} {
				i := slices.Index(c.need, m)
				modes = append(modes, Mode{m, i >= 0 && i != drop})
			}
			require.Equal(t, drop == len(c.need), p.supports(modes), "%q and %v", c.targets, modes)
		}
		require.False(t, p.supports(nil), "an unlisted mode is unsupported")
		require.True(t, (&Problem{}).supports(nil), "without an operator group install modes are ignored")
	}
}

func TestVersionsOfTheCluster(t *testing.T) {
	for _, c := range []struct {
		cluster, minimum string
		want             bool
	}{
		{"1.33.0", "1.33.0", true}, {"1.33.0", "1.33.1", false}, {"1.33.1", "1.33", true}, {"v1.33", "v1.33.0", true},
		{"1.9.0", "1.10.0", false}, {"1.33.0-rc.1", "1.33.0", true}, {"1.33.0", "1.33.0-rc.1", true}, {"1.33.0", "1.34.0-alpha", false},
		{"1.33.0+k3s1", "1.33.0", true}, {"1.33.0", "newest", false}, {"1.33.0", "", true}, {"", "1.33.0", true}, {"", "newest", true},
	} {
		require.Equal(t, c.want, (&Cluster{Kubernetes: c.cluster}).newEnough(c.minimum), "%q and %q", c.cluster, c.minimum)
	}
	for _, c := range []struct {
		cluster string
		limit   []string
		want    bool
	}{
		{"4.19", []string{"4.19"}, true}, {"4.19.7", []string{"4.19"}, true}, {"4.20", []string{"4.19"}, false}, {"4.9", []string{"4.10"}, true},
		{"4.23", []string{"5.0"}, true}, {"5.0", []string{"4.23"}, true}, {"5.1", []string{"4.23"}, false}, {"5.1.2", []string{"4.24"}, true},
		{"4.24", []string{"5.0"}, false}, {"4.19", []string{"four"}, false}, {"4.19", []string{""}, false}, {"4.19", []string{"4.19.0"}, false},
		{"4.19", []string{"4"}, false}, {"4.19", []string{"4.19", "4.19"}, false}, {"4.19", nil, true}, {"", []string{"four"}, true},
	} {
		require.Equal(t, c.want, (&Cluster{OpenShift: c.cluster}).oldEnough(c.limit), "%q and %q", c.cluster, c.limit)
	}
	require.True(t, (&Cluster{}).serves([]string{"Foo"}), "the cluster's APIs are unknown")
	require.True(t, (&Cluster{APIs: []string{"Bar", "Foo"}}).serves([]string{"Foo"}))
	require.False(t, (&Cluster{APIs: []string{"Bar"}}).serves([]string{"Bar", "Foo"}))
}
