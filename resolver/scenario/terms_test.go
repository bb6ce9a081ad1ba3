package scenario_test

import (
	"context"
	"html"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/draw"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/trace"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// foreign are the words that no text has if the caller has its own nouns.
var foreign = regexp.MustCompile(`(?i)\b(olm\b|kubectl|operators?\b|bundles?\b|subscriptions?\b|extensions?\b)|CSV`)

// quoted is a rule, or the key of a catalog, as texts quote it.
var quoted = regexp.MustCompile(`the rule '.*?' holds|\bolm/\w+`)

// TestNoForeignWords: with the caller's nouns, no conflict, correction, warning, explanation or trace
// of any scenario mentions OLM, its commands or its nouns, unless the data does.
func TestNoForeignWords(t *testing.T) {
	terms := graph.Terms{Operator: "provider", Bundle: "release", Subscription: "configuration"}
	solver := resolver.New(resolver.WithTerms(terms))
	commands := func(e *whatif.Edit) []string {
		return []string{"pkgctl " + string(e.Change.Kind()) + " " + e.Change.Subject()}
	}
	runner := &scenario.Runner{Resolver: solver, Loader: new(scenario.Loader), Trace: new(trace.Options), Corrections: whatif.FindOptions{Commands: commands}}
	conflicts, own, used := 0, 0, make(map[string]bool)
	for _, dir := range []string{"conformance", "rules"} {
		for _, file := range testkit.Must(filepath.Glob(filepath.Join("testdata", dir, "*.yaml")))(t) {
			s := testkit.Must(scenario.ReadFile(context.Background(), file))(t)
			loaded, err := runner.Loader.Load(context.Background(), s)
			if err != nil {
				continue
			}
			a := runner.RunWhatIf(context.Background(), s)
			if a.Status == scenario.Invalid {
				continue // the error names fields of the request
			}
			texts := append(wordsOf(a.Conflict, a.Warnings, a.Unresolved), a.Trace.Text())
			for _, b := range a.Blocked {
				texts = append(texts, b.Text)
			}
			for _, w := range a.WhatIf {
				texts = append(texts, wordsOf(w.Conflict, w.Warnings, w.Unresolved)...)
			}
			if a.Conflict != nil {
				conflicts++
			}
			texts = append(texts, explanations(t, solver, loaded.Request)...)
			data := dataOf(s, loaded.Request)
			for _, said := range texts {
				own += strings.Count(said, "pkgctl CHANGE ")
				said = quoted.ReplaceAllString(data.Replace(said), "…")
				require.NotRegexp(t, foreign, said, file)
				for _, noun := range []string{terms.Operator, terms.Bundle, terms.Subscription} {
					used[noun] = used[noun] || strings.Contains(said, noun)
				}
			}
		}
	}
	require.Greater(t, conflicts, 20)
	require.Greater(t, own, 20, "commands of the caller")
	require.Len(t, used, 3)
	require.NotContains(t, used, false)
}

// wordsOf returns the texts of a conflict, warnings and unresolved items.
func wordsOf(c *resolver.Conflict, warnings []resolver.Warning, unresolved []resolver.Unresolved) []string {
	var out []string
	if c != nil {
		unresolved = append(slices.Clone(unresolved), resolver.Unresolved{Conflict: c})
	}
	for _, w := range warnings {
		out = append(out, w.Message)
	}
	for _, u := range unresolved {
		for _, c := range u.Conflict.All() {
			var picture strings.Builder
			_ = draw.Conflict(c.Argument()).WriteMermaid(context.Background(), &picture) // a Builder takes everything
			out = append(out, c.Error(), c.Text(), html.UnescapeString(strings.ReplaceAll(picture.String(), "#", "&#")))
			for _, correction := range c.Corrections {
				out = append(out, correction.Text)
				for _, change := range correction.Changes {
					out = append(out, strings.Replace(strings.Join(change.Commands, "\n"), "pkgctl "+string(change.Change.Kind()), "pkgctl CHANGE", 1))
				}
			}
		}
	}
	return out
}

// explanations explains each bundle of a request.
func explanations(t *testing.T, solver *resolver.Resolver, req resolver.Request) []string {
	session, err := solver.Session(t.Context(), req)
	if err != nil {
		return nil
	}
	var out []string
	for _, c := range req.Catalogs {
		if c.Content == nil {
			continue
		}
		for b := range c.Content.Bundles() {
			if e, err := session.WhyNot(t.Context(), resolver.BundleRef{Catalog: c.Key, Name: b.Name}); err == nil {
				out = append(out, e.Text())
			}
		}
	}
	return out
}

// dataOf removes from a text what the scenario and the problems of its catalogs say.
func dataOf(s *scenario.Scenario, req resolver.Request) *strings.Replacer {
	var data []string
	for _, c := range req.Catalogs {
		data = append(data, c.Key.String())
		if c.Content == nil {
			continue
		}
		for _, p := range c.Content.Problems() {
			data = append(data, p.Message, strings.TrimSuffix(p.Message, "."))
		}
		for b := range c.Content.Bundles() {
			data = append(data, b.Name, b.Package)
			for _, r := range b.Constraints {
				data = append(data, r.Constraint.Message())
			}
		}
	}
	for _, sub := range req.Subscriptions {
		data = append(data, sub.Name)
	}
	for _, v := range s.Policy.Veto {
		data = append(data, v.Rule, v.Message)
	}
	data = slices.DeleteFunc(data, func(s string) bool { return !foreign.MatchString(s) })
	slices.SortFunc(data, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(data))
	for _, d := range data {
		pairs = append(pairs, d, "…")
	}
	return strings.NewReplacer(pairs...)
}
