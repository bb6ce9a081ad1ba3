package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/corrections"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/solutiondiff"
)

// begin tells the page what it begins with.
func (s *Server) begin(*http.Request) (any, error) {
	type catalog struct {
		Key      string `json:"key"`
		Packages int    `json:"packages"`
		Bundles  int    `json:"bundles"`
	}
	out := struct {
		State    json.RawMessage `json:"state"`
		Catalogs []catalog       `json:"catalogs"`
	}{State: s.start}
	for _, c := range s.catalogs {
		n := 0
		for range c.Content.Packages() {
			n++
		}
		out.Catalogs = append(out.Catalogs, catalog{c.Key.String(), n, c.Content.Len()})
	}
	return out, nil
}

// listed is a package as the search shows it.
type listed struct {
	Catalog  string   `json:"catalog"`
	Name     string   `json:"name"`
	Default  string   `json:"default,omitempty"`
	Channels []string `json:"channels"`
	Head     string   `json:"head,omitempty"`
}

// packages searches packages by a part of their name.
func (s *Server) packages(r *http.Request) (any, error) {
	want := strings.ToLower(strings.TrimSpace(r.URL.Query().Get("q")))
	out := struct {
		Packages []listed `json:"packages"`
		More     int      `json:"more,omitempty"`
		Near     []string `json:"near,omitempty"`
	}{Packages: []listed{}}
	for _, c := range s.catalogs {
		for p := range c.Content.Packages() {
			if err := r.Context().Err(); err != nil {
				return nil, err
			}
			switch {
			case !strings.Contains(strings.ToLower(p.Name), want):
			case len(out.Packages) < MaxListed/10:
				out.Packages = append(out.Packages, list(c.Key, p))
			default:
				out.More++
			}
		}
	}
	if len(out.Packages) == 0 {
		out.Near = text.Near(want, text.Until(r.Context(), s.names()), 5)
	}
	return out, r.Context().Err()
}

// names goes through the names of all packages.
func (s *Server) names() func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, c := range s.catalogs {
			for p := range c.Content.Packages() {
				if !yield(p.Name) {
					return
				}
			}
		}
	}
}

func list(key cache.Key, p *graph.Package) listed {
	l := listed{Catalog: key.String(), Name: p.Name, Default: p.DefaultChannel, Channels: []string{}}
	for _, ch := range p.Channels {
		l.Channels = append(l.Channels, ch.Name)
		if ch.Name == p.DefaultChannel {
			l.Head = headOf(ch)
		}
	}
	return l
}

func headOf(ch *graph.Channel) string {
	for _, b := range ch.Candidates() {
		return b.Name
	}
	return ""
}

// onePackage tells the channels of a package and the bundles in them.
func (s *Server) onePackage(r *http.Request) (any, error) {
	type entry struct {
		Bundle  string `json:"bundle"`
		Version string `json:"version,omitempty"`
	}
	type channel struct {
		Name    string  `json:"name"`
		Default bool    `json:"default,omitempty"`
		Entries []entry `json:"entries"`
	}
	type inCatalog struct {
		Catalog  string    `json:"catalog"`
		Channels []channel `json:"channels"`
	}
	name := r.URL.Query().Get("name")
	out := struct {
		Name     string      `json:"name"`
		Catalogs []inCatalog `json:"catalogs"`
	}{Name: name}
	left := MaxListed
	for _, c := range s.catalogs {
		p := c.Content.Package(name)
		if p == nil {
			continue
		}
		in := inCatalog{Catalog: c.Key.String()}
		for _, ch := range p.Channels {
			one := channel{Name: ch.Name, Default: ch.Name == p.DefaultChannel, Entries: []entry{}}
			for _, b := range ch.Candidates() {
				if left == 0 {
					break
				}
				left--
				one.Entries = append(one.Entries, entry{b.Name, b.Version.String()})
			}
			in.Channels = append(in.Channels, one)
		}
		out.Catalogs = append(out.Catalogs, in)
	}
	if len(out.Catalogs) == 0 {
		return nil, &problem{http.StatusNotFound, "package " + text.Quote(name) + " not found in any catalog" + text.DidYouMean(name, text.Until(r.Context(), s.names()))}
	}
	return out, nil
}

// offer is a correction, and the state to which it leads.
type offer struct {
	Text   string          `json:"text"`
	Result []string        `json:"result"`
	State  json.RawMessage `json:"state,omitempty"` // absent where a scenario cannot say it
	Left   int             `json:"remaining,omitempty"`
}

// argued is a conflict as the page shows it.
type argued struct {
	Headline string  `json:"headline"`
	Text     string  `json:"text"`
	Offers   []offer `json:"offers"`
}

// resolve answers a state, and says what differs from the state before.
func (s *Server) resolve(r *http.Request) (any, error) {
	ctx := r.Context()
	q, err := readQuestion(r)
	if err != nil {
		return nil, err
	}
	req, st, err := s.request(ctx, q.State)
	if err != nil {
		return nil, err
	}
	out := struct {
		Answer    *scenario.Answer   `json:"answer"`
		Diff      *solutiondiff.Diff `json:"diff,omitempty"`
		Conflicts []argued           `json:"conflicts,omitempty"`
	}{}
	sol, err := s.resolver.Resolve(ctx, req)
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		if err := corrections.Find(ctx, s.resolver, req, conflict, corrections.Options{}); err != nil {
			return nil, err
		}
		for _, one := range conflict.All() {
			a, err := argue(st, one)
			if err != nil {
				return nil, err
			}
			out.Conflicts = append(out.Conflicts, a)
		}
	} else if err != nil {
		return nil, err
	}
	out.Answer = scenario.NewAnswer(sol, err)
	out.Answer.Stats.Bundles = s.bundles()
	if sol != nil && len(q.Before) > 0 {
		was, _, err := s.request(ctx, q.Before)
		if err != nil {
			return nil, err
		}
		if before, err := s.resolver.Resolve(ctx, was); err == nil {
			d := solutiondiff.Compare(before, sol)
			out.Diff = &d
		} else if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return out, nil
}

func (s *Server) bundles() int {
	n := 0
	for _, c := range s.catalogs {
		n += c.Content.Len()
	}
	return n
}

// argue shows a conflict, each correction with the state that it leads to.
func argue(st *scenario.Scenario, c *resolver.Conflict) (argued, error) {
	a := argued{Headline: c.Headline(), Text: c.Text()}
	for _, correction := range c.Corrections {
		o := offer{Text: correction.Text, Result: correction.Result, Left: correction.Remaining}
		if next, ok := corrected(st, correction.Changes); ok {
			raw, err := writeState(next)
			if err != nil {
				return a, err
			}
			o.State = raw
		}
		a.Offers = append(a.Offers, o)
	}
	return a, nil
}

// road follows the upgrade road of a state. A round comes with the state that it
// leaves, so that the page can go there.
func (s *Server) road(r *http.Request) (any, error) {
	ctx := r.Context()
	q, err := readQuestion(r)
	if err != nil {
		return nil, err
	}
	req, _, err := s.request(ctx, q.State)
	if err != nil {
		return nil, err
	}
	road, err := s.resolver.Converge(ctx, req, resolver.ConvergeOptions{MaxRounds: MaxRounds})
	var conflict *resolver.Conflict
	var incomplete *resolver.IncompleteError
	if err != nil && !errors.As(err, &conflict) && !(errors.As(err, &incomplete) && ctx.Err() == nil) {
		return nil, err
	}
	return scenario.NewRoad(road, err), nil
}

// why answers why a bundle is in the result, or why it is not.
func (s *Server) why(r *http.Request) (any, error) {
	ctx := r.Context()
	q, err := readQuestion(r)
	if err != nil {
		return nil, err
	}
	req, _, err := s.request(ctx, q.State)
	if err != nil {
		return nil, err
	}
	out := struct {
		Text string `json:"text"`
		In   bool   `json:"in"`
	}{}
	explained, err := s.explain(ctx, req, s.ref(q.Bundle))
	var conflict *resolver.Conflict
	var wrong *resolver.RequestError
	switch {
	case errors.As(err, &conflict):
		out.Text = "There is no solution at all, so that no bundle is in it.\n" + conflict.Text()
	case errors.As(err, &wrong):
		return nil, &problem{http.StatusNotFound, err.Error()}
	case err != nil:
		return nil, err
	default:
		out.Text, out.In = explained.Text(), explained.In
	}
	return out, nil
}

func (s *Server) explain(ctx context.Context, req resolver.Request, bundle resolver.BundleRef) (*resolver.Explanation, error) {
	session, err := s.resolver.Session(ctx, req)
	if err != nil {
		return nil, err
	}
	return session.WhyNot(ctx, bundle)
}

// export writes a state as a scenario file for the command line, with the catalogs
// where they lie on this machine.
func (s *Server) export(r *http.Request) (any, error) {
	q, err := readQuestion(r)
	if err != nil {
		return nil, err
	}
	st, err := s.readState(r.Context(), q.State)
	if err != nil {
		return nil, err
	}
	st.Catalogs = slices.Clone(s.base.Catalogs)
	for i := range st.Catalogs {
		c := &st.Catalogs[i]
		if c.Path != "" && !filepath.IsAbs(c.Path) {
			if c.Path, err = filepath.Abs(filepath.Join(filepath.Dir(s.base.File()), filepath.FromSlash(c.Path))); err != nil {
				return nil, err
			}
		}
	}
	var b bytes.Buffer
	if err := st.Write(&b, scenario.YAML); err != nil {
		return nil, err
	}
	return map[string]string{"yaml": b.String()}, nil
}
