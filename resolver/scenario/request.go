package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// Request returns the request of the scenario without the content of its catalogs, which
// [Scenario.Load] reads. The error is an [*Error] if the scenario is invalid.
func (s *Scenario) Request() (resolver.Request, error) {
	if err := s.Validate(); err != nil {
		return resolver.Request{}, err
	}
	return s.request(&problems{origin: &s.origin}), nil
}

// request converts everything except the content of the catalogs.
func (s *Scenario) request(ps *problems) resolver.Request {
	req := resolver.Request{
		Namespace:     s.namespace(),
		Installed:     requestInstalled(ps, "installed", s.Installed),
		Subscriptions: requestSubscriptions(ps, "subscriptions", s.Subscriptions),
		Extensions:    s.Extensions,
		OperatorGroup: s.OperatorGroup,
		Policy:        s.Policy,
		Now:           requestNow(ps, s.Now),
		Forbid:        requestForbid(ps, "forbid", s.Forbid),
		Relax:         requestRelax(ps, s.Relax),
		Cluster: resolver.Cluster{
			Properties: propertySet(ps, "cluster.properties", s.Cluster.Properties),
			APIs:       s.Cluster.APIs,
			CRDs:       s.Cluster.CRDs,

			KubernetesVersion: s.Cluster.KubernetesVersion,
			OpenShiftVersion:  s.Cluster.OpenShiftVersion,
		},
	}
	s.markGenerated(req.Subscriptions)
	for _, c := range s.Catalogs {
		req.Catalogs = append(req.Catalogs, resolver.Catalog{Key: s.key(c), Priority: c.Priority, Labels: c.Labels})
	}
	return req
}

// requestNow parses the time of a scenario.
func requestNow(ps *problems, now string) time.Time {
	if now == "" {
		return time.Time{}
	}
	t, err := ParseTime(now)
	if err != nil {
		ps.add("now", "%v", err)
	}
	return t
}

// ParseTime parses a time as a scenario gives it: a time as in RFC 3339, or a date for its
// midnight in UTC.
func ParseTime(s string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time; write it like 2026-08-22T00:00:00Z or 2026-08-22", text.Clip(s, 100))
}

func (s *Scenario) namespace() string { return cmp.Or(s.Namespace, DefaultNamespace) }

func (s *Scenario) key(c Catalog) cache.Key {
	return cache.Key{Namespace: cmp.Or(c.Namespace, s.namespace()), Name: c.Name}
}

// PackageOf returns the package of an installed bundle for a scenario.
func PackageOf(in *resolver.Installed) *string {
	if in.Package == "" && !in.PackageUnknown {
		return nil
	}
	return &in.Package
}

func requestInstalled(ps *problems, path string, list []Installed) []resolver.Installed {
	out := make([]resolver.Installed, 0, len(list))
	for i, in := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		ps.required(at, "name", in.Name)
		r := resolver.Installed{
			Name:       in.Name,
			Catalog:    catalogKey(ps, at+".catalog", in.Catalog),
			Channel:    in.Channel,
			Automatic:  in.Automatic,
			ReplacedBy: in.ReplacedBy,
		}
		if in.Package != nil {
			r.Package, r.PackageUnknown = *in.Package, *in.Package == ""
		}
		if in.Version != "" {
			v, err := semver.Parse(in.Version)
			if err != nil {
				ps.add(at+".version", "%q is not a semantic version such as 1.4.0: %v%s", in.Version, err, text.NearVersion(in.Version))
			}
			r.Version = &v
		}
		if in.Properties != nil {
			set := propertySet(ps, at+".properties", in.Properties)
			r.Properties = &set
		}
		out = append(out, r)
	}
	return out
}

func requestSubscriptions(ps *problems, path string, list []Subscription) []resolver.Subscription {
	out := make([]resolver.Subscription, 0, len(list))
	for i, s := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		ps.required(at, "name", s.Name)
		ps.required(at, "package", s.Package)
		r := resolver.Subscription{
			Name:         s.Name,
			Package:      s.Package,
			Channels:     s.Channels,
			Hold:         s.Hold,
			Catalog:      catalogKey(ps, at+".catalog", s.Catalog),
			StartingCSV:  s.StartingCSV,
			InstalledCSV: s.InstalledCSV,
		}
		switch {
		case s.Channel != "" && len(s.Channels) > 0:
			ps.add(at, "the subscription has both a channel and channels; give one of them")
		case s.Channel != "":
			r.Channels = []string{s.Channel}
		case slices.Contains(s.Channels, ""):
			ps.add(at+".channels", "a channel has no name")
		}
		if s.VersionRange != "" {
			rng, err := properties.ParseRange(s.VersionRange)
			if err != nil {
				ps.versionRange(at+".versionRange", s.VersionRange, err)
			}
			r.VersionRange = rng
		}
		out = append(out, r)
	}
	return out
}

// versionRange reports an invalid range, for which the error may already propose a correction.
func (ps *problems) versionRange(path, value string, err error) {
	hint := ""
	if text.NearRange(value) == "" {
		hint = "; write it like \">=1.2.0 <2.0.0\""
	}
	ps.add(path, "%q %v%s", value, err, hint)
}

// markGenerated marks generated subscriptions, for which the file has no key: they have a
// generated name and own an automatic bundle.
func (s *Scenario) markGenerated(subs []resolver.Subscription) {
	automatic := make(map[string]bool)
	for _, in := range s.Installed {
		if in.Automatic {
			automatic[in.Name] = true
		}
	}
	for i := range subs {
		sub := &subs[i]
		channels := slices.Compact(slices.Clone(sub.Channels)) // repeated channels count once
		sub.Generated = len(channels) == 1 && automatic[sub.InstalledCSV] &&
			sub.Name == resolver.GeneratedName(sub.Package, channels[0], sub.Catalog)
	}
}

func requestForbid(ps *problems, path string, list []Forbid) []resolver.Forbidden {
	out := make([]resolver.Forbidden, 0, len(list))
	for i, f := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		ps.required(at, "bundle", f.Bundle)
		key := catalogKey(ps, at+".catalog", f.Catalog)
		out = append(out, resolver.Forbidden{Bundle: resolver.BundleRef{Catalog: key, Name: f.Bundle}, Message: f.Message})
	}
	return out
}

func requestRelax(ps *problems, list []Relax) []resolver.BundleConstraint {
	var out []resolver.BundleConstraint
	for i, r := range list {
		at := fmt.Sprintf("relax[%d]", i)
		ps.required(at, "bundle", r.Bundle)
		relaxed := resolver.BundleConstraint{Bundle: resolver.BundleRef{Catalog: catalogKey(ps, at+".catalog", r.Catalog), Name: r.Bundle}}
		if r.Constraint != nil {
			relaxed.Constraint = relaxedConstraint(ps, at+".constraint", r.Constraint)
		}
		out = append(out, relaxed)
	}
	return out
}

// relaxedConstraint parses the constraint in a property.
func relaxedConstraint(ps *problems, path string, p *Property) constraints.Constraint {
	prop, err := properties.New(p.Type, p.Value)
	if err != nil {
		ps.add(path, "%v", err)
		return nil
	}
	c, known, err := constraints.NewParser().FromProperty(prop)
	switch {
	case err != nil:
		ps.add(path, "%v", err)
	case !known:
		ps.add(path+".type", "%q holds no constraint; give olm.constraint, olm.package.required, olm.gvk.required or olm.label.required", p.Type)
	}
	return c
}

func propertySet(ps *problems, path string, list []Property) properties.Set {
	props := make([]*properties.Property, 0, len(list))
	for i, p := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		ps.required(at, "type", p.Type)
		ps.required(at, "value", string(p.Value))
		if p.Type == "" || len(p.Value) == 0 {
			continue
		}
		prop, err := properties.New(p.Type, p.Value)
		if err != nil {
			ps.add(at, "%v", err)
			continue
		}
		props = append(props, prop)
	}
	return properties.NewSet(props...)
}

func catalogKey(ps *problems, path, text string) cache.Key {
	if text == "" {
		return cache.Key{}
	}
	key, err := cache.ParseKey(text)
	if err != nil {
		ps.add(path, "%v", err)
	}
	return key
}
