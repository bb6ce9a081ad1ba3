// Package clusterapi plans the upgrades of Cluster API providers. The core provider provides the
// contracts that it supports as APIs, and every other provider requires the contract of its release.
package clusterapi

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// Release is a version of a provider with the contract that it implements.
type Release struct {
	Version  semver.Version
	Contract string
}

// Provider is an installed provider with its releases.
type Provider struct {
	Name      string
	Installed semver.Version
	Releases  []Release
}

// Cluster is a management cluster.
type Cluster struct {
	Core   Provider
	Others []Provider
	// Supports lists the contracts that a core provider of a contract supports.
	Supports func(contract string) []string
}

// Plan is an upgrade to a contract: the next version of each provider that moves.
type Plan struct {
	Contract string
	Next     map[string]semver.Version
}

var terms = graph.Terms{Operator: "provider", Bundle: "release", Subscription: "provider"}

// Plans returns the plan with the newest releases for each contract of a release of the core provider
// that is not older than the installed one, in ascending order.
func (c *Cluster) Plans(ctx context.Context) ([]Plan, error) {
	var contracts []string
	for _, r := range c.Core.Releases {
		if r.Version.GTE(c.Core.Installed) {
			contracts = append(contracts, r.Contract)
		}
	}
	var plans []Plan
	slices.Sort(contracts)
	for _, contract := range slices.Compact(contracts) {
		next, err := c.Upgrade(ctx, contract, nil)
		if conflict := (*resolver.Conflict)(nil); errors.As(err, &conflict) {
			continue // not every provider has a release for it
		} else if err != nil {
			return nil, err
		}
		plans = append(plans, Plan{contract, next})
	}
	return plans, nil
}

// Upgrade returns the next version of each provider that moves when the core provider implements a
// contract. With targets these move to the given versions and the others stay; without, all move as
// far as possible. The error is a *resolver.Conflict if that is impossible.
func (c *Cluster) Upgrade(ctx context.Context, contract string, targets map[string]semver.Version) (map[string]semver.Version, error) {
	req := resolver.Request{Policy: resolver.Policy{Upgrades: resolver.UpgradesSelfCertified},
		Subscriptions: []resolver.Subscription{{Name: "the contract " + contract, Package: contractPackage}}}
	for _, p := range append([]Provider{c.Core}, c.Others...) {
		s := resolver.Subscription{Name: p.Name, Package: p.Name, InstalledCSV: bundle(p.Name, p.Installed),
			VersionRange: properties.NewRange("newer than "+p.Installed.String(), func(v semver.Version) bool { return v.GT(p.Installed) && len(v.Pre) == 0 })}
		if to, moves := targets[p.Name]; moves {
			s.Pin = bundle(p.Name, to)
		} else if targets != nil {
			s.Hold = "it is not part of the upgrade"
		}
		req.Subscriptions = append(req.Subscriptions, s)
		req.Installed = append(req.Installed, resolver.Installed{Name: s.InstalledCSV, Package: p.Name, Version: &p.Installed})
	}
	content, err := c.catalog(contract)
	if err != nil {
		return nil, err
	}
	req.Catalogs = []resolver.Catalog{{Key: cache.Key{Namespace: "clusterctl", Name: "repositories"}, Content: content}}
	solution, err := resolver.New(resolver.WithTerms(terms)).Resolve(ctx, req)
	if err != nil {
		return nil, err
	}
	next := make(map[string]semver.Version)
	for _, step := range solution.Steps {
		if step.Package != contractPackage && step.Action != resolver.Keep {
			next[step.Package] = *step.Version
		}
	}
	return next, nil
}

const contractPackage = "contract"                    // has no content, and requires the contract of a plan
func bundle(provider string, v semver.Version) string { return provider + "." + v.String() }
func api(contract, kind string) properties.GVK {
	return properties.GVK{Group: "cluster.x-k8s.io", Version: contract, Kind: kind}
}

// catalog has the releases of all providers.
func (c *Cluster) catalog(contract string) (*cache.Catalog, error) {
	b := cache.Builder{Options: graph.Options{Terms: terms}}
	add := func(pkg string, v semver.Version, after string, requires, provides []properties.GVK) error {
		identity, err := properties.NewPackage(pkg, &v)
		list := []*properties.Property{identity}
		for _, g := range provides {
			value, marshal := json.Marshal(g)
			property, invalid := properties.New(properties.TypeGVK, value)
			list, err = append(list, property), errors.Join(err, marshal, invalid)
		}
		if err != nil {
			return err
		}
		decl := graph.BundleDecl{Name: bundle(pkg, v), Properties: properties.NewSet(list...)}
		for _, g := range requires {
			decl.Requires = append(decl.Requires, &constraints.GVK{GVK: g})
		}
		b.Add(pkg, "releases", true, graph.EntryDecl{Name: decl.Name, Replaces: after}, decl)
		return nil
	}
	err := add(contractPackage, semver.Version{}, "", []properties.GVK{api(contract, "Contract")}, nil)
	for _, p := range append([]Provider{c.Core}, c.Others...) {
		after := ""
		for _, r := range slices.SortedFunc(slices.Values(p.Releases), func(a, b Release) int { return a.Version.Compare(b.Version) }) {
			requires, provides := []properties.GVK{api(r.Contract, "Supported")}, []properties.GVK(nil)
			if p.Name == c.Core.Name {
				requires, provides = nil, []properties.GVK{api(r.Contract, "Contract")}
				for _, supported := range c.Supports(r.Contract) {
					provides = append(provides, api(supported, "Supported"))
				}
			}
			err = errors.Join(err, add(p.Name, r.Version, after, requires, provides))
			after = bundle(p.Name, r.Version)
		}
	}
	return b.Build(), err
}
