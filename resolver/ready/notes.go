package ready

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// noteCatalogs says which catalogs stay as they are, for no other was given.
func (c *checker) noteCatalogs() {
	for i, w := range c.worlds[1:] {
		if len(w.kept) == 0 {
			continue
		}
		slices.Sort(w.kept)
		which := "the next version"
		if len(c.versions) > 1 {
			which = fmt.Sprintf("version %d", i+1)
		}
		c.notes = append(c.notes, Reason{SameCatalog, fmt.Sprintf("no catalog of %s was given for %s: taken as it is today", which, text.And(text.Names(w.kept)))})
	}
}

// PackageLifecycle is what a catalog says of how long the versions of a package are
// supported: the blob io.openshift.operators.lifecycles.v1alpha1.
type PackageLifecycle struct {
	Package  string             `json:"package"`
	Versions []VersionLifecycle `json:"versions"`
}

// VersionLifecycle is the lifecycle of a version, "major.minor" or a whole one.
type VersionLifecycle struct {
	Name          string           `json:"name"`
	Phases        []LifecyclePhase `json:"phases"`
	Compatibility []struct {
		Name     string   `json:"name"`
		Versions []string `json:"versions"`
	} `json:"platformCompatibility"`
}

// LifecyclePhase is a phase of support. Dates are as the catalog writes them, the first
// and the last day.
type LifecyclePhase struct {
	Name  string `json:"name"`
	Start string `json:"startDate"`
	End   string `json:"endDate"`
}

// SchemaLifecycles is the schema of the blobs that [PackageLifecycle] is read from. It
// is not stable yet.
const SchemaLifecycles = "io.openshift.operators.lifecycles.v1alpha1"

// AddLifecycle adds what a blob of a catalog says of the lifecycle of a package, by its
// name. Blobs of other schemas and what cannot be understood are passed over. Of a
// package that has several, nothing is known.
func AddLifecycle(to map[string]PackageLifecycle, schema string, raw []byte) {
	var l PackageLifecycle
	if schema != SchemaLifecycles || json.Unmarshal(raw, &l) != nil || l.Package == "" {
		return
	}
	if _, twice := to[l.Package]; twice {
		l.Versions = nil
	}
	to[l.Package] = l
}

// of is what a catalog says of the version of an operator.
func (l *PackageLifecycle) of(version string) *VersionLifecycle {
	minor := version
	if parts := strings.SplitN(version, ".", 3); len(parts) == 3 {
		minor = parts[0] + "." + parts[1]
	}
	for _, name := range []string{version, minor} {
		for i := range l.Versions {
			if l.Versions[i].Name == name {
				return &l.Versions[i]
			}
		}
	}
	return nil
}

// tellLifecycle says what the next version says of how long an operator is supported.
func (m *mover) tellLifecycle(o *operator) {
	l, ok := m.versions[m.hop].Lifecycles[o.Package]
	i := slices.IndexFunc(m.state.Installed, func(in resolver.Installed) bool { return in.Name == o.start })
	if !ok || i < 0 {
		return
	}
	version, known := versionOf(&m.state.Installed[i])
	if v := l.of(version.String()); known && v != nil {
		o.tell(Reason{Lifecycle, v.String()})
	}
}

// String says the lifecycle in one line.
func (v *VersionLifecycle) String() string {
	var parts []string
	for _, p := range v.Phases {
		parts = append(parts, fmt.Sprintf("%s from %s to %s", text.Inert(p.Name), cmp.Or(text.Inert(p.Start), "?"), cmp.Or(text.Inert(p.End), "?")))
	}
	for _, c := range v.Compatibility {
		parts = append(parts, fmt.Sprintf("for %s %s", text.Inert(c.Name), text.Short(text.Names(c.Versions), 10)))
	}
	return text.Clip("version "+text.Name(v.Name)+": "+strings.Join(parts, "; "), maxReason)
}
