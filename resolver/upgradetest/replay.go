package upgradetest

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// replay is a command that reproduces a finding: it reads the scenario or, with ofCatalog, the
// catalog alone.
type replay struct {
	verb      string
	ofCatalog bool
	args      []string // after the file
}

// lines returns the command lines for a case in a file, and its catalog in another one.
func (s *Small) lines(file, catalog string) []string {
	return text.Each(s.replay, func(r replay) string {
		if r.ofCatalog {
			file = catalog
		}
		words := append([]string{"resolute", r.verb, file}, r.args...)
		return text.Inert(strings.Join(text.Each(words, word), " "))
	})
}

// word quotes a text as one shell word.
func word(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+:,./@%"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// replays returns the commands that reproduce the finding in a request. It resolves like each
// command to select those that show an unreachable head.
func (m *minimizer) replays(ctx context.Context, req *resolver.Request, cats []resolver.Catalog) ([]replay, error) {
	switch m.f.Code {
	case "newProblem":
		return []replay{{verb: "validate", ofCatalog: true}}, nil
	case "notInstallable":
		return []replay{{verb: "resolve"}, {verb: "test"}}, nil
	}
	path, err := m.cfg.Around.Resolver.Converge(ctx, *req, resolver.ConvergeOptions{})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err == nil && path.Loop {
		return []replay{{verb: "converge"}}, nil
	}
	for i := range req.Subscriptions {
		name, head := m.target(i, req, cats)
		if head == "" {
			continue
		}
		// The upgrade path ends before the head.
		reaches, err := m.reaches(ctx, path.Final, name, head)
		if err == nil && !reaches {
			reaches, err = m.reaches(ctx, *req, name, head)
		}
		if err != nil {
			return nil, err
		}
		if !reaches {
			return []replay{{verb: "upgrade", args: []string{name + "=" + head}}}, nil
		}
	}
	if m.f.Code == "headUnreachable" { // the head is missing or broken
		return []replay{{verb: "audit", ofCatalog: true}}, nil
	}
	return []replay{{verb: "converge"}}, nil
}

// target returns the head that a subscription of the request does not reach by the finding: the
// one of its package, or of a dependency that its package holds back.
func (m *minimizer) target(i int, req *resolver.Request, cats []resolver.Catalog) (sub, head string) {
	s := &req.Subscriptions[i]
	if (i == 0) != (m.f.Code == "headUnreachable") || len(s.Channels) != 1 {
		return "", ""
	}
	at := slices.IndexFunc(cats, func(c resolver.Catalog) bool { return c.Key == s.Catalog && c.Content != nil })
	if at < 0 {
		return "", ""
	}
	var ch *graph.Channel
	if p := cats[at].Content.Package(s.Package); p != nil {
		ch = p.Channel(s.Channels[0])
	}
	if ch == nil || ch.Quarantined() != nil || ch.Head() == nil {
		return "", ""
	}
	if e := ch.Head(); e.Bundle != nil && e.Bundle.Quarantine == nil && e.Name != s.InstalledCSV {
		return s.Name, e.Name
	}
	return "", ""
}

// reaches reports whether a subscription can be upgraded to a bundle in one round, with other
// upgrades as required.
func (m *minimizer) reaches(ctx context.Context, req resolver.Request, sub, bundle string) (bool, error) {
	req.Policy.Failures, req.Policy.Goal = resolver.FailuresAll, resolver.MinimalChange
	req.Subscriptions = slices.Clone(req.Subscriptions)
	for i := range req.Subscriptions {
		if s := &req.Subscriptions[i]; s.Name == sub {
			s.Pin, s.Hold = bundle, ""
		}
	}
	_, err := m.cfg.Around.Resolver.Resolve(ctx, req)
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		return false, nil
	}
	return err == nil, err
}
