package operatorset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"

	"github.com/seed109e2655/resolute/examples/controller/api/v1alpha1"
)

// InvalidError reports an invalid spec.
type InvalidError struct {
	// Problems are sentences that begin with the field, for example
	// "spec.subscriptions[0].versionRange: …".
	Problems []string
}

// Error lists the problems, one per line.
func (e *InvalidError) Error() string { return strings.Join(e.Problems, "\n") }

// newRequest converts an object and a snapshot of the catalogs to a request.
// The error is an *InvalidError, or that of the context.
//
// Apart from its catalogs, a spec has the content of a scenario file, so a
// scenario converts and validates it.
func newRequest(ctx context.Context, set *v1alpha1.OperatorSet, snapshot *cache.Snapshot) (resolver.Request, error) {
	spec := &set.Spec
	loaded, err := newScenario(set).Load(ctx)
	if err != nil {
		var bad *scenario.Error
		if !errors.As(err, &bad) {
			return resolver.Request{}, err
		}
		invalid := new(InvalidError)
		for _, p := range bad.Problems {
			invalid.Problems = append(invalid.Problems, fmt.Sprintf("spec.%s: %s", p.Path, p.Message))
		}
		return resolver.Request{}, invalid
	}
	req := loaded.Request
	if req.Catalogs, err = chooseCatalogs(spec.Catalogs, snapshot); err != nil {
		return resolver.Request{}, err
	}
	return req, nil
}

// newScenario converts a spec to a scenario without catalogs.
func newScenario(set *v1alpha1.OperatorSet) *scenario.Scenario {
	spec := &set.Spec
	s := &scenario.Scenario{
		Namespace: set.Namespace,
		Cluster:   scenario.Cluster{Properties: newProperties(spec.Cluster.Properties)},
		Policy: resolver.Policy{
			Upgrades:     resolver.Upgrades(spec.Policy.Upgrades),
			Compounds:    resolver.Compounds(spec.Policy.Compounds),
			Goal:         resolver.Goal(spec.Policy.Goal),
			Deprecations: resolver.Deprecations(spec.Policy.Deprecations),
			Failures:     resolver.Failures(spec.Policy.Failures),
			Unavailable:  resolver.Unavailable(spec.Policy.Unavailable),
		},
	}
	for _, api := range spec.Cluster.APIs {
		s.Cluster.APIs = append(s.Cluster.APIs, properties.GVK(api))
	}
	for _, in := range spec.Installed {
		s.Installed = append(s.Installed, scenario.Installed{
			Name: in.Name, Package: scenario.PackageOf(&resolver.Installed{Package: in.Package}), Version: in.Version, Catalog: in.Catalog, Channel: in.Channel,
			Automatic: in.Automatic, ReplacedBy: in.ReplacedBy, Properties: newProperties(in.Properties),
		})
	}
	for _, sub := range spec.Subscriptions {
		s.Subscriptions = append(s.Subscriptions, scenario.Subscription{
			Name: sub.Name, Package: sub.Package, Channel: sub.Channel, Catalog: sub.Catalog,
			StartingCSV: sub.StartingCSV, VersionRange: sub.VersionRange, InstalledCSV: sub.InstalledCSV,
		})
	}
	for _, f := range spec.Forbid {
		s.Forbid = append(s.Forbid, scenario.Forbid(f))
	}
	return s
}

// newProperties keeps nil distinct from empty: an installed bundle without a
// list has the properties of the catalog's bundle, one with an empty list has
// none.
func newProperties(list []v1alpha1.Property) []scenario.Property {
	if list == nil {
		return nil
	}
	out := make([]scenario.Property, 0, len(list))
	for _, p := range list {
		out = append(out, scenario.Property{Type: p.Type, Value: json.RawMessage(p.Value.Raw)})
	}
	return out
}

// chooseCatalogs returns the named catalogs, or all if none is named.
func chooseCatalogs(refs []v1alpha1.CatalogRef, snapshot *cache.Snapshot) ([]resolver.Catalog, error) {
	all := snapshot.Catalogs()
	if len(refs) == 0 {
		out := make([]resolver.Catalog, 0, len(all))
		for _, c := range all {
			out = append(out, newCatalog(c))
		}
		return out, nil
	}
	named := make(map[string]*int32, len(refs))
	for _, ref := range refs {
		named[ref.Name] = ref.Priority
	}
	var out []resolver.Catalog
	for _, c := range all {
		priority, wanted := named[c.Key.String()]
		if !wanted {
			continue
		}
		chosen := newCatalog(c)
		if priority != nil {
			chosen.Priority = int(*priority)
		}
		out = append(out, chosen)
		delete(named, c.Key.String())
	}
	invalid := new(InvalidError)
	for i, ref := range refs {
		if _, missing := named[ref.Name]; missing {
			invalid.Problems = append(invalid.Problems,
				fmt.Sprintf("spec.catalogs[%d].name: the controller has no catalog %q; it has %s", i, ref.Name, listKeys(all)))
		}
	}
	if len(invalid.Problems) > 0 {
		return nil, invalid
	}
	return out, nil
}

func newCatalog(c cache.SnapshotCatalog) resolver.Catalog {
	out := resolver.Catalog{Key: c.Key, Priority: c.Priority, Content: c.Content}
	if c.Unavailable != nil {
		out.Unavailable = errors.New(lastingCause(c.Unavailable))
	}
	return out
}

func listKeys(all []cache.SnapshotCatalog) string {
	if len(all) == 0 {
		return "none"
	}
	var names []string
	for _, c := range all {
		names = append(names, c.Key.String())
	}
	return strings.Join(names, ", ")
}

// lastingCause returns the stable part of a read error. Attempt counters,
// local ports and further text of a server, perhaps with a request ID, would
// change the status, and cause a write, on every attempt.
func lastingCause(err error) string {
	var source *cache.SourceError
	if errors.As(err, &source) && source.Err != nil {
		err = source.Err
	}
	var op *net.OpError
	var status *cache.StatusError
	switch {
	case errors.As(err, &op):
		at := ""
		if op.Addr != nil {
			at = " " + op.Addr.String()
		}
		return fmt.Sprintf("%s%s: %v", op.Op, at, op.Err)
	case errors.As(err, &status):
		lasting := *status
		lasting.Wait, lasting.Excerpt = 0, ""
		return lasting.Error()
	}
	return err.Error()
}
