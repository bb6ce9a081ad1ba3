package resolver

import (
	"errors"
	"fmt"

	masterminds "github.com/Masterminds/semver/v3"
	"github.com/blang/semver/v4"
)

// extensionRange is a range of versions as OLM v1 reads it. Nil holds all versions.
type extensionRange struct{ constraints *masterminds.Constraints }

// maxExtensionRange bounds the text of a range, in bytes: that of a catalog has room
// for a list of versions, and OLM v1 itself takes 64.
const maxExtensionRange = 4096

func parseExtensionRange(text string) (*extensionRange, error) {
	if text == "" {
		return nil, nil
	}
	if len(text) > maxExtensionRange {
		return nil, fmt.Errorf("it has more than %d bytes", maxExtensionRange)
	}
	c, err := masterminds.NewConstraint(text)
	if err != nil {
		return nil, err
	}
	return &extensionRange{c}, nil
}

// contains reports whether a version is inside.
func (r *extensionRange) contains(v semver.Version) bool {
	if r == nil {
		return true
	}
	m, err := masterminds.StrictNewVersion(v.String())
	return err == nil && r.constraints.Check(m)
}

// extensions holds the extensions of a request against the rules that no catalog can
// change.
func (v *validator) extensions(req *Request) {
	if len(req.Extensions) > 0 && len(req.Subscriptions) > 0 {
		v.add("extensions", "", "the request has extensions and subscriptions; give one or the other", nil)
	}
	seen := make(map[string]bool, len(req.Extensions))
	for i := range req.Extensions {
		e := &req.Extensions[i]
		switch {
		case e.Name == "":
			v.at(i, "extensions[%d].name", "", "missing", nil)
		case seen[e.Name]:
			v.at(i, "extensions[%d].name", e.Name, "two extensions have this name; names must differ", nil)
		}
		seen[e.Name] = true
		if e.Package == "" {
			v.at(i, "extensions[%d].package", "", "missing; say which package to install", nil)
		}
		if _, err := parseExtensionRange(e.VersionRange); err != nil {
			v.at(i, "extensions[%d].versionRange", e.VersionRange, err.Error()+"; write it like \">=1.2.0, <2.0.0\" or ^1.2", err)
		}
		if u := e.Upgrades; u != "" && u != UpgradesCatalog && u != UpgradesSelfCertified {
			v.at(i, "extensions[%d].upgrades", string(u), fmt.Sprintf("not one of its values; use %s or %s", UpgradesCatalog, UpgradesSelfCertified), nil)
		}
		for _, r := range e.Catalogs.MatchExpressions {
			switch r.Operator {
			case "In", "NotIn", "Exists", "DoesNotExist":
			default:
				v.at(i, "extensions[%d].catalogs", r.Operator, "not an operator of selectors; use In, NotIn, Exists or DoesNotExist", nil)
			}
		}
	}
}

// Validate reports what is wrong with the range of an extension, nil if nothing is.
func (e *Extension) Validate() error {
	v := validator{}
	v.extensions(&Request{Extensions: []Extension{*e}})
	var out []error
	for _, p := range v.problems {
		out = append(out, errors.New(p.Message))
	}
	return errors.Join(out...)
}

// editExtension changes an extension, and reports whether the request has it.
func (a *applier) editExtension(name string, change func(*Extension)) bool {
	for i := range a.req.Extensions {
		if a.req.Extensions[i].Name == name {
			change(&a.req.Extensions[i])
			return true
		}
	}
	return false
}
