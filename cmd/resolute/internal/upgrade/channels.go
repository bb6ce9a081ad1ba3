package upgrade

import (
	"context"
	"errors"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// ChannelReport is a channel of a package in one catalog, and what following it means for a
// subscription or an extension.
type ChannelReport struct {
	Channel string `json:"channel"`
	// Catalog is the key of the catalog, or the name that it was given.
	Catalog string `json:"catalog"`
	// Absent reports that the catalog does not have the channel, which another catalog has.
	Absent bool `json:"absent,omitempty"`
	// Default reports whether it is the default channel, and Followed whether the subscription
	// names it.
	Default  bool `json:"default,omitempty"`
	Followed bool `json:"followed,omitempty"`
	// Deprecated reports whether the catalog deprecates the channel, with this message.
	Deprecated bool   `json:"deprecated,omitempty"`
	Message    string `json:"message,omitempty"`
	// Head is the bundle that the channel leads to, and Version its version. An extension of
	// OLM v1 goes to the highest version.
	Head    string `json:"head,omitempty"`
	Version string `json:"version,omitempty"`
	// Reaches reports whether the installed bundle gets to the head, or whether the head can be
	// installed if nothing is. Reason says why not.
	Reaches bool   `json:"reaches"`
	Reason  string `json:"reason,omitempty"`
	// Path lists the bundles on the way, one for each round; the last one is the head. It is empty
	// if the head is installed.
	Path []string `json:"path,omitempty"`
	// Along lists the other bundles that have to move or come along, in order.
	Along []Along `json:"along,omitempty"`
}

// Along is a change of another operator that a move needs.
type Along struct {
	Action   resolver.Action `json:"action"`
	Bundle   string          `json:"bundle"`
	Replaces []string        `json:"replaces,omitempty"`
	// Round is the round of the path in which it happens, from 1.
	Round int `json:"round"`
}

// Channels reports on every channel of the package of a subscription or an extension in every
// catalog of a request: the default channel first, then by name, and each in the catalogs that have
// it, best first. The error is a [*TargetError] if the request has no such subscription, or one of
// [resolver.Resolver.Resolve] other than a conflict.
func Channels(ctx context.Context, r *resolver.Resolver, req resolver.Request, name string) ([]ChannelReport, error) {
	req, err := req.Apply() // with the subscriptions of dependencies
	if err != nil {
		return nil, err
	}
	if _, err := find(&req, Target{Subscription: name}); err != nil {
		return nil, err
	}
	if _, err := r.Session(ctx, req); err != nil { // checks the request
		return nil, err
	}
	at := slices.IndexFunc(demands(&req), func(a demand) bool { return a.Name == name })
	s := demands(&req)[at]
	out := []ChannelReport{}
	for _, channel := range allChannels(&req, s.Package) {
		for c, pkg := range req.Packages(cache.Key{}, s.Package) {
			ch := pkg.Channel(channel)
			if ch == nil {
				continue
			}
			report := ChannelReport{Channel: channel, Catalog: c.Key.String(), Default: channel == pkg.DefaultChannel,
				Followed: slices.Contains(s.Channels, channel), Deprecated: ch.Deprecated, Message: ch.Deprecation}
			if err := report.follow(ctx, r, &req, at, c.Key, ch); err != nil {
				return nil, err
			}
			out = append(out, report)
		}
	}
	return out, nil
}

// allChannels lists the channels of a package in all catalogs, the default channel of the best one
// first, then by name.
func allChannels(req *resolver.Request, pkg string) []string {
	var first, names []string
	for _, p := range req.Packages(cache.Key{}, pkg) {
		if len(first) == 0 && p.Channel(p.DefaultChannel) != nil {
			first = append(first, p.DefaultChannel)
		}
		for _, ch := range p.Channels {
			names = append(names, ch.Name)
		}
	}
	slices.Sort(names)
	return text.Distinct(slices.Concat(first, names))
}

// follow fills in what following the channel means.
func (c *ChannelReport) follow(ctx context.Context, r *resolver.Resolver, req *resolver.Request, at int, key cache.Key, ch *graph.Channel) error {
	head := headOf(ch, len(req.Extensions) > 0)
	switch q := ch.Quarantined(); {
	case q != nil:
		c.Reason = "the catalog is broken there: " + q.Message
		return nil
	case head == nil:
		c.Reason = "the channel offers nothing"
		return nil
	}
	c.Head, c.Version = head.Name, head.VersionText()
	next := followed(req, at, key, ch.Name)
	s := demands(&next)[at]
	owned := next.Owned()[s.Name]
	if owned == head.Name {
		c.Reaches = true
		return nil
	}
	var rounds []*resolver.Solution
	var err error
	if owned == "" {
		rounds, err = installed(ctx, r, next, at, head.Name)
	} else {
		var up *Upgraded
		if up, err = Least(ctx, r, next, []Target{{Subscription: s.Name, Version: head.Name}}); err == nil {
			for _, round := range up.Rounds {
				rounds = append(rounds, round.Solution)
			}
		}
	}
	var conflict *resolver.Conflict
	var target *TargetError
	switch {
	case errors.As(err, &conflict):
		c.Reason = conflict.Error()
		return nil
	case errors.As(err, &target):
		c.Reason = target.Reason
		return nil
	case err != nil:
		return err
	}
	c.Reaches = true
	for i, sol := range rounds {
		c.round(i+1, sol, s.Name)
	}
	return nil
}

// headOf returns the bundle that a channel leads to: its head, or for an extension the highest
// version; nil if there is none.
func headOf(ch *graph.Channel, highest bool) *graph.Bundle {
	if !highest {
		if head := ch.Head(); head != nil {
			return head.Bundle
		}
		return nil
	}
	var best *graph.Bundle
	for _, e := range ch.Entries {
		if e.Bundle != nil && e.Bundle.Quarantine == nil && !e.Bundle.Barred && (best == nil || e.Bundle.CompareVersion(best) > 0) {
			best = e.Bundle
		}
	}
	return best
}

// installed returns the rounds that install the head of the channel that a subscription without an
// operator follows: at once, or by way of another version where others have to move first.
func installed(ctx context.Context, r *resolver.Resolver, next resolver.Request, at int, head string) ([]*resolver.Solution, error) {
	pinned := fork(next)
	*pin(&pinned, at) = head
	sol, err := r.Resolve(ctx, pinned)
	if err == nil {
		return []*resolver.Solution{sol}, nil
	}
	var conflict *resolver.Conflict
	if !errors.As(err, &conflict) {
		return nil, err
	}
	path, pathErr := r.Converge(ctx, next, resolver.ConvergeOptions{})
	switch {
	case pathErr == nil && path.Final.Owned()[demands(&next)[at].Name] == head:
		return path.Rounds, nil
	case ctx.Err() != nil:
		return nil, pathErr
	}
	return nil, err
}

// followed returns the request in which a subscription or an extension follows one channel of one
// catalog.
func followed(req *resolver.Request, at int, key cache.Key, channel string) resolver.Request {
	out := fork(*req)
	if at < len(out.Subscriptions) {
		s := &out.Subscriptions[at]
		s.Channels, s.Catalog = []string{channel}, key
		if out.Owned()[s.Name] == "" {
			s.StartingCSV = ""
		}
		return out
	}
	e := &out.Extensions[at-len(out.Subscriptions)]
	e.Channels = []string{channel}
	e.Catalogs = resolver.CatalogSelector{MatchLabels: map[string]string{"olm.operatorframework.io/metadata.name": key.Name}}
	return out
}

// round adds the changes of a round.
func (c *ChannelReport) round(number int, sol *resolver.Solution, name string) {
	for _, step := range sol.Steps {
		switch {
		case step.Action == resolver.Keep:
		case slices.ContainsFunc(step.Because, func(why resolver.Reason) bool { return why.Subscription == name }):
			c.Path = append(c.Path, step.Bundle)
		default:
			c.Along = append(c.Along, Along{Action: step.Action, Bundle: step.Bundle, Replaces: step.Replaces, Round: number})
		}
	}
}

// Place is a catalog to compare, under the name that it was given.
type Place struct {
	Name    string
	Content *cache.Catalog
}

// Across reports on every channel of a package in several catalogs, such as those of several
// versions of a cluster, each by itself: with the installed bundle, if it is not nil, or from
// nothing. A channel that a catalog lacks is reported as absent.
func Across(ctx context.Context, r *resolver.Resolver, places []Place, pkg string, installed *resolver.Installed) ([]ChannelReport, error) {
	name := pkg
	var requests []resolver.Request
	for _, p := range places {
		req := resolver.Request{Namespace: "default", Catalogs: []resolver.Catalog{{Key: cache.Key{Namespace: "default", Name: "catalog"}, Content: p.Content}},
			Subscriptions: []resolver.Subscription{{Name: name, Package: pkg}}}
		if installed != nil {
			req.Installed, req.Subscriptions[0].InstalledCSV = []resolver.Installed{*installed}, installed.Name
		}
		requests = append(requests, req)
	}
	found := make([]map[string]ChannelReport, len(places))
	var first, names []string
	for i := range requests {
		list, err := Channels(ctx, r, requests[i], name)
		if err != nil {
			return nil, err
		}
		found[i] = make(map[string]ChannelReport)
		for k, report := range list {
			if report.Default && k == 0 {
				first = append(first, report.Channel)
			}
			found[i][report.Channel] = report
			names = append(names, report.Channel)
		}
	}
	slices.Sort(names)
	var out []ChannelReport
	for _, channel := range text.Distinct(slices.Concat(first, names)) {
		for i, p := range places {
			report, has := found[i][channel]
			if !has {
				report = ChannelReport{Channel: channel, Absent: true}
			}
			report.Catalog = p.Name
			out = append(out, report)
		}
	}
	return out, nil
}
