package scenario

import (
	"strings"

	"github.com/seed109e2655/resolute/resolver"
)

// option is one option of a policy: its names in the order of the resolver's
// constants, the default first, and where it stands.
type option struct {
	key   string
	names []string
	text  func(*Policy) *string
	set   func(*resolver.Policy, int)
	get   func(resolver.Policy) int
}

// options lists the options of a policy in the order of the file format.
func options() []option {
	return []option{
		{
			"upgrades", []string{"Catalog", "SelfCertified"},
			func(p *Policy) *string { return &p.Upgrades },
			func(p *resolver.Policy, i int) { p.Upgrades = resolver.Upgrades(i) },
			func(p resolver.Policy) int { return int(p.Upgrades) },
		},
		{
			"compounds", []string{"Set", "PerBundle"},
			func(p *Policy) *string { return &p.Compounds },
			func(p *resolver.Policy, i int) { p.Compounds = resolver.Compounds(i) },
			func(p resolver.Policy) int { return int(p.Compounds) },
		},
		{
			"goal", []string{"Newest", "MinimalChange", "Oldest"},
			func(p *Policy) *string { return &p.Goal },
			func(p *resolver.Policy, i int) { p.Goal = resolver.Goal(i) },
			func(p resolver.Policy) int { return int(p.Goal) },
		},
		{
			"deprecations", []string{"Warn", "Avoid"},
			func(p *Policy) *string { return &p.Deprecations },
			func(p *resolver.Policy, i int) { p.Deprecations = resolver.Deprecations(i) },
			func(p resolver.Policy) int { return int(p.Deprecations) },
		},
		{
			"failures", []string{"All", "Partial"},
			func(p *Policy) *string { return &p.Failures },
			func(p *resolver.Policy, i int) { p.Failures = resolver.Failures(i) },
			func(p resolver.Policy) int { return int(p.Failures) },
		},
	}
}

// index finds a name of the option; the empty name is the default.
func (o option) index(name string) (int, bool) {
	if name == "" {
		return 0, true
	}
	for i, n := range o.names {
		if n == name {
			return i, true
		}
	}
	return 0, false
}

// allowed lists the names of the option in words.
func (o option) allowed() string {
	last := len(o.names) - 1
	return strings.Join(o.names[:last], ", ") + " or " + o.names[last]
}

// PolicyOf returns the names of a resolver's policy, those of defaults left out.
// What to do about catalogs that cannot be read has no place in the file format.
func PolicyOf(p resolver.Policy) Policy {
	var named Policy
	for _, o := range options() {
		if i := o.get(p); i > 0 && i < len(o.names) {
			*o.text(&named) = o.names[i]
		}
	}
	return named
}

// policy translates the names; ones that do not exist count as the default and
// are reported by Validate.
func (p Policy) policy() resolver.Policy {
	var out resolver.Policy
	for _, o := range options() {
		if i, ok := o.index(*o.text(&p)); ok {
			o.set(&out, i)
		}
	}
	return out
}
