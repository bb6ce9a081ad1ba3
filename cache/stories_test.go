package cache_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestStories runs the scripted scenarios of a file, which documents its format.
func TestStories(t *testing.T) {
	for _, c := range testkit.Cases(t, "testdata/stories.txt", "cache", "add", "now", "see", "peek", "refresh", "begin", "end",
		"signal", "hush", "loads", "wait", "free", "health", "remove", "close", "log") {
		t.Run(c.Name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p := &play{t: t, said: &story{}, sources: map[string]*script{}, signals: map[string]chan struct{}{}, stuck: make(chan struct{})}
				p.cfg.Logger = p.said.logger()
				for _, step := range c.Parts {
					require.Equal(t, step.Lines, p.timed(step.Verb, step.Rest), "%s %s", step.Verb, step.Rest)
				}
				require.NoError(t, p.cache().Close())
			})
		})
	}
}

// play is the state of one scenario.
type play struct {
	t       *testing.T
	cfg     cache.Config
	c       *cache.Cache
	sources map[string]*script
	signals map[string]chan struct{}
	said    *story
	stuck   chan struct{} // closed to release blocked sources
	seen    *cache.Snapshot
	behind  []chan []string // results of background steps
}

// cache returns the cache, creating it on first use.
func (p *play) cache() *cache.Cache {
	if p.c == nil {
		p.c = testkit.Must(cache.New(p.cfg))(p.t)
	}
	return p.c
}

// timed runs a step and reports its duration, unless the step is about time.
func (p *play) timed(verb, rest string) []string {
	began := time.Now()
	lines := p.do(verb, rest)
	if took := time.Since(began); took > 0 && verb != "wait" && verb != "end" {
		lines = append([]string{"after " + took.String()}, lines...)
	}
	return lines
}

// do runs a step and returns its output.
func (p *play) do(verb, rest string) []string {
	rest, limit, limited := strings.Cut(rest, "for ")
	ctx := p.t.Context()
	if limited {
		within, cancel := context.WithTimeout(ctx, p.duration(limit))
		defer cancel()
		ctx = within
	}
	rest, load, _ := strings.Cut(rest, ": ")
	words := strings.Fields(rest)
	name := append(words, "")[0]
	key := func(name string) cache.Key { return cache.Key{Namespace: "olm", Name: name} }
	switch verb {
	case "cache":
		p.cfg.Grace = p.duration(cmp.Or(option(&words, "grace"), "0s"))
		p.cfg.Parallel, _ = strconv.Atoi(option(&words, "parallel"))
	case "add":
		p.add(words, load)
	case "now":
		p.sources[name].set(p.loads(load))
	case "see":
		return p.describe(p.cache().Snapshot(ctx))
	case "peek":
		return p.describe(p.cache().Peek())
	case "refresh":
		return p.errorLines(p.cache().Refresh(ctx, testkit.Map(words, key)...))
	case "begin":
		done := make(chan []string, 1)
		go func() { done <- p.timed(name, strings.Join(words[1:], " ")) }()
		synctest.Wait()
		p.behind = append(p.behind, done)
	case "end":
		var all []string
		for _, done := range p.behind {
			all = append(all, <-done...)
		}
		return all
	case "signal":
		p.signals[name] <- struct{}{}
	case "hush":
		close(p.signals[name])
	case "loads":
		s := p.sources[name]
		given := ""
		for _, c := range s.handed() {
			given += " " + number(c)
		}
		return []string{fmt.Sprintf("%d, %d at a time, given%s", len(s.loads()), s.atOnce(), given)}
	case "wait":
		time.Sleep(p.duration(rest))
		synctest.Wait()
	case "free":
		close(p.stuck)
	case "health":
		return []string{state(health(p.t, p.cache(), key(name)))}
	case "remove":
		require.True(p.t, p.cache().Remove(key(name)))
	case "close":
		return p.errorLines(p.cache().Close())
	case "log":
		return slices.DeleteFunc(p.said.take(), func(line string) bool { return name != "" && strings.HasPrefix(line, "DEBUG") })
	}
	return nil
}

// option removes an option from the words and returns its value.
func option(words *[]string, name string) string {
	for i, w := range *words {
		if value, ok := strings.CutPrefix(w, name+"="); ok {
			*words = append((*words)[:i:i], (*words)[i+1:]...)
			return value
		}
	}
	return ""
}

func (p *play) duration(text string) time.Duration {
	return testkit.Must(time.ParseDuration(text))(p.t)
}

// add adds sources that share a script.
func (p *play) add(words []string, load string) {
	s := scripted(p.loads(load))
	cfg := cache.SourceConfig{Source: s, Jitter: -1}
	for name, d := range map[string]*time.Duration{
		"refresh": &cfg.Refresh, "timeout": &cfg.Timeout, "maxstale": &cfg.MaxStale, "min": &cfg.Backoff.Min, "max": &cfg.Backoff.Max,
	} {
		*d = p.duration(cmp.Or(option(&words, name), "0s"))
	}
	cfg.Refresh = cmp.Or(cfg.Refresh, -1)
	if warm := option(&words, "warm"); warm != "" {
		had := p.loads(strings.ReplaceAll(warm, "_", " "))
		cfg.Source = warmed{s, func(ctx context.Context) (*cache.Content, error) { return had(ctx, nil) }}
	}
	for _, name := range words {
		signal := make(chan struct{})
		p.sources[name], p.signals[name] = s, signal
		cfg.Key, cfg.Signal = cache.Key{Namespace: "olm", Name: name}, signal
		require.NoError(p.t, p.cache().Add(cfg))
	}
}

// loads parses the loads of a source.
func (p *play) loads(text string) func(context.Context, *cache.Content) (*cache.Content, error) {
	verb, rest, _ := strings.Cut(text, " ")
	amount, then, _ := strings.Cut(rest, " ")
	switch verb {
	case "":
		return gives(nil)
	case "fails":
		return fails(errors.New(rest))
	case "hangs":
		return hangs
	case "unchanged":
		return func(_ context.Context, last *cache.Content) (*cache.Content, error) { return last, nil }
	case "stuck":
		return func(ctx context.Context, last *cache.Content) (*cache.Content, error) {
			<-p.stuck
			return p.loads(rest)(ctx, last)
		}
	case "late":
		return func(ctx context.Context, last *cache.Content) (*cache.Content, error) {
			<-ctx.Done()
			return p.loads(rest)(ctx, last)
		}
	case "takes", "ignores":
		d := p.duration(amount)
		return func(ctx context.Context, last *cache.Content) (*cache.Content, error) {
			if verb == "ignores" {
				time.Sleep(d)
			} else if _, err := takes(d, nil)(ctx, last); err != nil {
				return nil, err
			}
			return p.loads(then)(ctx, last)
		}
	}
	return gives(numbered(testkit.Must(strconv.Atoi(verb))(p.t)))
}

// number returns the number of a content.
func number(c *cache.Content) string {
	for n := range 10 {
		if c != nil && c.Digest == numbered(n).Digest {
			return strconv.Itoa(n)
		}
	}
	return "-"
}

// describe describes a snapshot.
func (p *play) describe(s *cache.Snapshot, err error) []string {
	if err != nil {
		return p.errorLines(err)
	}
	if s == p.seen {
		return []string{"as before"}
	}
	p.seen = s
	var lines []string
	for _, c := range s.Catalogs() {
		content := (*cache.Content)(nil)
		if c.Content != nil {
			require.Equal(p.t, c.Content.Digest(), c.Digest)
			content = &cache.Content{Catalog: c.Content, Digest: c.Digest}
		}
		line := c.Key.Name + " " + number(content)
		if c.Unavailable != nil {
			line += ": " + errors.Unwrap(c.Unavailable).Error()
		}
		lines = append(lines, line)
	}
	if lines == nil {
		lines = []string{"nothing"}
	}
	return lines
}

// errorLines describes an error, one line for each joined error; each must be of a documented
// type.
func (p *play) errorLines(err error) (lines []string) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			lines = append(lines, p.errorLines(err)...)
		}
		return lines
	}
	var failed *cache.SourceError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &failed):
		return []string{failed.Key.Name + ": " + failed.Err.Error()}
	case errors.As(err, new(*cache.WaitError)):
		require.ErrorIs(p.t, err, context.DeadlineExceeded)
	case !errors.As(err, new(*cache.UnknownSourceError)) && !errors.As(err, new(*cache.HangingError)):
		require.ErrorIs(p.t, err, cache.ErrClosed)
	}
	return []string{err.Error()}
}

// state describes the health of a source.
func state(h cache.Health) string {
	says := "available"
	if !h.Available {
		says = "unavailable"
	}
	if h.Warm {
		says += ", warm"
	}
	if h.Loading {
		says += ", loading"
	}
	if h.Failures > 0 {
		says += fmt.Sprintf(", failures %d", h.Failures)
	}
	return says
}
