// Package page answers the calls of the page on which users explore a scenario and its
// variations, and contains that page. `resolute serve` answers them over HTTP (package serve); the
// static site of cmd/playground answers them in the browser. README.md in this folder describes the
// design.
//
// A handler keeps only catalogs in memory. The state of a user, a scenario, is part of each call
// and of the link of the page, so that any number of users share a handler and leave nothing
// behind.
package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/listing"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// The limits of a call. Config overrides some of them.
const (
	// MaxBody is the maximum size of the body of a call, in bytes.
	MaxBody = 1 << 20
	// DefaultTimeout is the default time limit of a call.
	DefaultTimeout = 10 * time.Second
	// MaxRounds is the maximum length of an upgrade path.
	MaxRounds = 200
	// MaxListed is the maximum number of packages, channel entries or bundles in an answer.
	MaxListed = 500
	// MaxAnswer is the maximum size of an answer, in bytes.
	MaxAnswer = 16 << 20
	// MaxSteps is the maximum number of bundles and subscriptions in an upgrade path, counted
	// in each round.
	MaxSteps = 100_000
	// MaxStates is the maximum total size, in bytes, of the states in an upgrade path.
	MaxStates = 2 << 20
)

// The statuses of an answer, as in HTTP.
const (
	StatusOK            = 200
	StatusBadRequest    = 400
	StatusNotFound      = 404
	StatusTooLarge      = 413
	StatusUnprocessable = 422
	StatusInternal      = 500
	StatusUnavailable   = 503
)

// Catalog is a catalog of the page.
type Catalog struct {
	resolver.Catalog
	// Listing describes its packages. It may be nil.
	Listing *listing.Index
}

// Config configures a handler.
type Config struct {
	// Scenario is the initial problem. Its catalogs, whose content is in Catalogs, are written
	// to exported scenarios.
	Scenario *scenario.Scenario
	// Catalogs are the catalogs of all problems, in the order of those of Scenario.
	Catalogs []Catalog
	// Resolver resolves requests; nil means a resolver with default limits.
	Resolver *resolver.Resolver
	// Timeout bounds a call; 0 means DefaultTimeout.
	Timeout time.Duration
}

// Handler answers the calls of the page. It is safe for concurrent use.
type Handler struct {
	base     *scenario.Scenario // with catalogs, without what-ifs
	start    []byte             // the initial state
	examples []example          // further problems
	parts    *view.Parts
	resolver *resolver.Resolver
	catalogs []resolver.Catalog
	listings []*listing.Index // of the catalogs; none is nil
	timeout  time.Duration
	calls    map[string]answerer
}

// New returns a handler. It fails if the scenario is invalid or a catalog has no content.
func New(cfg Config) (*Handler, error) {
	h := &Handler{resolver: cfg.Resolver, timeout: cfg.Timeout}
	if h.resolver == nil {
		h.resolver = resolver.New()
	}
	if h.timeout <= 0 {
		h.timeout = DefaultTimeout
	}
	base := *cfg.Scenario
	base.WhatIf, base.Expect = nil, nil
	h.base = &base
	if err := base.Validate(); err != nil {
		return nil, err
	}
	for _, c := range cfg.Catalogs {
		if c.Content == nil {
			return nil, fmt.Errorf("catalog %s cannot be read: %w", c.Key, c.Unavailable)
		}
		if c.Listing == nil {
			c.Listing = listing.New(c.Content)
		}
		h.catalogs, h.listings = append(h.catalogs, c.Catalog), append(h.listings, c.Listing)
	}
	h.examples = startExamples(h.catalogs)
	h.calls = h.answerers()
	var err error
	if h.parts, err = view.NewParts(); err != nil {
		return nil, err
	}
	h.start, err = writeState(&base)
	return h, err
}

// Timeout returns the time limit of a call.
func (h *Handler) Timeout() time.Duration { return h.timeout }

// answerer computes the answer to a call.
type answerer func(context.Context, *question) (any, error)

// answerers returns the calls by path.
func (h *Handler) answerers() map[string]answerer {
	return map[string]answerer{
		"api/start": h.begin, "api/search": h.search, "api/package": h.onePackage, "api/about": h.about, "api/icon": h.icon,
		"api/graph": h.withState(h.graph), "api/resolve": h.withState(h.resolve), "api/path": h.withState(h.path),
		"api/why": h.withState(h.why), "api/export": h.withState(h.export),
	}
}

// Call is a call of the page.
type Call struct {
	// Path is its path relative to the page, such as "api/resolve".
	Path string
	// Body is true if it has a body with a state, false if it has only a query.
	Body bool
}

// Calls returns all calls, by path.
func Calls() (out []Call) {
	for path := range new(Handler).answerers() {
		out = append(out, Call{path, !slices.Contains([]string{"api/start", "api/search", "api/package", "api/about", "api/icon"}, path)})
	}
	slices.SortFunc(out, func(a, b Call) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// Answer answers a call, as JSON. The target is the path of the call and its query, such as
// "api/search?q=etcd". [Handler.Failure] describes an error to the user.
func (h *Handler) Answer(ctx context.Context, target string, body []byte) ([]byte, error) {
	path, query, _ := strings.Cut(strings.TrimPrefix(target, "/"), "?")
	call := h.calls[path]
	if call == nil {
		return nil, &Problem{StatusNotFound, "there is no call " + text.Quote(path)}
	}
	if len(body) > MaxBody {
		return nil, TooLarge()
	}
	q, err := readQuestion(query, body)
	if err != nil {
		return nil, err
	}
	out, err := call(ctx, q)
	if err != nil {
		return nil, err
	}
	return encoded(ctx, out)
}

// Problem is an error in the input of the user, or a passed limit. Its text is shown unchanged.
type Problem struct {
	Status int
	Text   string
}

func (p *Problem) Error() string { return p.Text }

// TooLarge returns the error for a body longer than MaxBody.
func TooLarge() error {
	return &Problem{StatusTooLarge, fmt.Sprintf("the request exceeds %d bytes", MaxBody)}
}

func bad(format string, args ...any) error {
	return &Problem{StatusBadRequest, fmt.Sprintf(format, args...)}
}

// question is the content of a call.
type question struct {
	State  jsontext.Value `json:"state"`
	Before jsontext.Value `json:"before"`
	Bundle string         `json:"bundle"`

	Catalog string `json:"catalog"`
	Package string `json:"package"`
	Channel string `json:"channel"`
	Sources bool   `json:"sources"`

	// The query of a call without a body.
	words, name string
}

// readQuestion parses the query and the body of a call.
func readQuestion(query string, body []byte) (*question, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, bad("invalid request: %v", err)
	}
	q := &question{words: values.Get("q"), name: values.Get("name")}
	if len(body) > 0 {
		if err := json.Unmarshal(body, q, jsonv1.DefaultOptionsV1(), json.RejectUnknownMembers(true)); err != nil {
			return nil, bad("invalid request: %v", err)
		}
	}
	if q.Catalog == "" {
		q.Catalog = values.Get("catalog")
	}
	return q, nil
}

// encoded returns an answer as JSON.
func encoded(ctx context.Context, out any) ([]byte, error) {
	answer := &written{ctx: ctx}
	if err := json.MarshalEncode(jsontext.NewEncoder(answer, jsonv1.DefaultOptionsV1()), out); err != nil {
		return nil, err
	}
	return answer.Bytes(), nil
}

// written buffers an answer up to a limit, until its context ends.
type written struct {
	bytes.Buffer
	ctx context.Context
}

// Write implements io.Writer for the JSON encoder.
func (a *written) Write(p []byte) (int, error) {
	switch {
	case a.ctx.Err() != nil:
		return 0, a.ctx.Err()
	case a.Len()+len(p) > MaxAnswer:
		return 0, &Problem{StatusUnprocessable, fmt.Sprintf("the answer exceeds %d bytes; narrow the request", MaxAnswer)}
	}
	return a.Buffer.Write(p)
}

// Failure returns the answer for an error, or none if nobody waits for it any more. Only the log
// may show an error with StatusInternal.
func (h *Handler) Failure(err error) (status int, body []byte) {
	status = StatusInternal
	words := "internal error; see the log"
	var told *Problem
	var wrong *scenario.Error
	var refused *resolver.RequestError
	var unknown *graph.UnknownChannelError
	switch {
	case errors.As(err, &told):
		status, words = told.Status, told.Text
	case errors.As(err, &wrong), errors.As(err, &refused), errors.As(err, &unknown):
		status, words = StatusUnprocessable, err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		status, words = StatusUnavailable, fmt.Sprintf("time limit of %v exceeded; narrow the request or try again later", h.timeout)
	case errors.Is(err, context.Canceled):
		return status, nil
	}
	body, _ = json.Marshal(failure{words, partsOf(wrong, refused)}) // cannot fail
	return status, append(body, '\n')
}

// failure is the JSON of an error.
type failure struct {
	Error    string        `json:"error"`
	Problems []invalidPart `json:"problems,omitempty"`
}

// invalidPart is an invalid part of the state, shown at its control.
type invalidPart struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// maxParts bounds the parts that an error lists.
const maxParts = 100

func partsOf(wrong *scenario.Error, refused *resolver.RequestError) []invalidPart {
	var out []invalidPart
	if wrong != nil {
		for _, p := range wrong.Problems {
			out = append(out, invalidPart{text.Inert(p.Path), text.Inert(p.Message)})
		}
	}
	if refused != nil {
		for _, p := range refused.Problems {
			of := ""
			if p.Value != "" {
				of = text.Quote(p.Value) + ": "
			}
			out = append(out, invalidPart{text.Inert(p.Field), of + text.Inert(p.Message)})
		}
	}
	return out[:min(len(out), maxParts)]
}
