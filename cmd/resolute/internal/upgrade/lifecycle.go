package upgrade

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// noteCatalogs notes the catalogs without a replacement.
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
		c.notes = append(c.notes, Reason{sameCatalog, fmt.Sprintf("no catalog of %s is given for %s; the current one is used", which, text.And(text.Names(w.kept)))})
	}
}

// Lifecycles has the support periods of the versions of packages, by package. Create it with make.
type Lifecycles map[string][]lifecycle

// lifecycle is the lifecycle of a version, "major.minor" or a full one. Dates are as the catalog
// writes them, the first and the last day.
type lifecycle struct {
	Name   string `json:"name"`
	Phases []struct {
		Name  string `json:"name"`
		Start string `json:"startDate"`
		End   string `json:"endDate"`
	} `json:"phases"`
	Compatibility []struct {
		Name     string   `json:"name"`
		Versions []string `json:"versions"`
	} `json:"platformCompatibility"`
}

// Add adds the lifecycle of a package from a blob with the schema
// io.openshift.operators.lifecycles.v1alpha1, which is not stable yet. Blobs of other schemas and
// malformed ones are ignored. A package with several such blobs has no lifecycle.
func (l Lifecycles) Add(schema string, raw []byte) {
	var blob struct {
		Package  string      `json:"package"`
		Versions []lifecycle `json:"versions"`
	}
	if schema != "io.openshift.operators.lifecycles.v1alpha1" || json.Unmarshal(raw, &blob) != nil || blob.Package == "" {
		return
	}
	if _, twice := l[blob.Package]; twice {
		blob.Versions = nil
	}
	l[blob.Package] = blob.Versions
}

// of returns the lifecycle of a version of a package, or nil.
func (l Lifecycles) of(pkg, version string) *lifecycle {
	minor := version
	if parts := strings.SplitN(version, ".", 3); len(parts) == 3 {
		minor = parts[0] + "." + parts[1]
	}
	versions := l[pkg]
	for _, name := range []string{version, minor} {
		for i := range versions {
			if versions[i].Name == name {
				return &versions[i]
			}
		}
	}
	return nil
}

// String returns the lifecycle in one line.
func (v *lifecycle) String() string {
	var parts []string
	for _, p := range v.Phases {
		parts = append(parts, fmt.Sprintf("%s from %s to %s", text.Inert(p.Name), cmp.Or(text.Inert(p.Start), "?"), cmp.Or(text.Inert(p.End), "?")))
	}
	for _, c := range v.Compatibility {
		parts = append(parts, fmt.Sprintf("for %s %s", text.Inert(c.Name), text.Short(text.Names(c.Versions), 10)))
	}
	return text.Clip("version "+text.Name(v.Name)+": "+strings.Join(parts, "; "), maxReason)
}
