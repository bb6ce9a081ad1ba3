// Package serve implements the page of `resolute serve`, where users explore a scenario and its
// variations. It is an example of a tool built on the library; README.md in this folder
// describes its design.
//
// A server keeps only catalogs in memory. The state of a user, a scenario, is part of each
// request and of the link of the page, so that any number of users share a server and leave
// nothing behind.
package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/draw"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// The limits of a request. Config overrides some of them.
const (
	// MaxBody is the maximum size of a request body, in bytes.
	MaxBody = 1 << 20
	// DefaultTimeout is the default time limit of a request.
	DefaultTimeout = 10 * time.Second
	// MaxRounds is the maximum length of an upgrade path.
	MaxRounds = 200
	// MaxListed is the maximum number of packages, channel entries or bundles in an answer.
	MaxListed = 500
	// MaxWaiting is the maximum number of queued requests, each with its body in memory.
	// Further requests are rejected.
	MaxWaiting = 250
	// MaxWords is the maximum number of search words; further ones are ignored.
	MaxWords = 16
	// MaxAnswer is the maximum size of an answer, in bytes.
	MaxAnswer = 16 << 20
	// MaxUnread is the maximum total size, in bytes, of computed but unread answers longer than
	// MaxBody. Further ones are rejected.
	MaxUnread = 128 << 20
	// MaxSteps is the maximum number of bundles and subscriptions in an upgrade path, counted
	// in each round.
	MaxSteps = 100_000
	// MaxStates is the maximum total size, in bytes, of the states in an upgrade path.
	MaxStates = 2 << 20
)

// Config configures a server.
type Config struct {
	// Scenario is the initial problem. Its catalogs are those of the server.
	Scenario *scenario.Scenario
	// Loader reads the catalogs; nil means a new loader.
	Loader *scenario.Loader
	// Resolver resolves requests; nil means a resolver with default limits.
	Resolver *resolver.Resolver
	// Timeout bounds a request; 0 means DefaultTimeout.
	Timeout time.Duration
	// Workers is the number of requests processed in parallel; 0 means twice GOMAXPROCS.
	Workers int
	// Logger logs failed requests. It may be nil.
	Logger *slog.Logger
}

// Server answers the requests of the page. It is safe for concurrent use.
type Server struct {
	base     *scenario.Scenario // with catalogs, without what-ifs
	start    []byte             // the initial state
	examples []example          // further problems
	parts    *view.Parts
	loader   *scenario.Loader
	resolver *resolver.Resolver
	catalogs []resolver.Catalog
	timeout  time.Duration
	workers  chan struct{} // requests in progress
	waiting  chan struct{} // requests in progress or queued
	unread   atomic.Int64  // bytes of long answers being written
	logger   *slog.Logger
}

// New loads the catalogs of a scenario and returns a server for it. It fails if a catalog is
// unreadable or the scenario is invalid.
func New(ctx context.Context, cfg Config) (*Server, error) {
	s := &Server{loader: cfg.Loader, resolver: cfg.Resolver, timeout: cfg.Timeout, logger: cfg.Logger}
	if s.loader == nil {
		s.loader = &scenario.Loader{}
	}
	if s.resolver == nil {
		s.resolver = resolver.New()
	}
	if s.timeout <= 0 {
		s.timeout = DefaultTimeout
	}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Workers <= 0 {
		cfg.Workers = 2 * runtime.GOMAXPROCS(0)
	}
	s.workers, s.waiting = make(chan struct{}, cfg.Workers), make(chan struct{}, cfg.Workers+MaxWaiting)
	base := *cfg.Scenario
	base.WhatIf, base.Expect = nil, nil
	s.base = &base
	if err := base.Validate(); err != nil {
		return nil, err
	}
	loaded, err := s.loader.Load(ctx, &base)
	if err != nil {
		return nil, err
	}
	s.catalogs = loaded.Request.Catalogs
	for _, c := range s.catalogs {
		if c.Content == nil {
			return nil, fmt.Errorf("catalog %s cannot be read: %w", c.Key, c.Unavailable)
		}
	}
	s.examples = startExamples(s.catalogs)
	if s.parts, err = view.NewParts(); err != nil {
		return nil, err
	}
	s.start, err = writeState(&base)
	return s, err
}

// Handler returns the handler of the page and its requests.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	s.page(mux)
	mux.Handle("GET /api/start", s.serve(s.begin))
	mux.Handle("GET /api/search", s.serve(s.search))
	mux.Handle("GET /api/package", s.serve(s.onePackage))
	mux.Handle("POST /api/graph", s.serve(s.withState(s.graph)))
	mux.Handle("POST /api/resolve", s.serve(s.withState(s.resolve)))
	mux.Handle("POST /api/path", s.serve(s.withState(s.path)))
	mux.Handle("POST /api/why", s.serve(s.withState(s.why)))
	mux.Handle("POST /api/export", s.serve(s.withState(s.export)))
	return guard(mux)
}

// problem is an error in the user's input; its text is shown unchanged.
type problem struct {
	status int
	text   string
}

func (p *problem) Error() string { return p.text }

func bad(format string, args ...any) error {
	return &problem{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// serve returns a handler that writes the result of f as JSON. A worker is released once the
// answer is computed, so that slow readers do not block others.
func (s *Server) serve(f func(*http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := s.computed(w, r, f)
		if long := int64(len(body)); long > MaxBody {
			defer s.unread.Add(-long)
			if s.unread.Add(long) > MaxUnread {
				err = &problem{http.StatusServiceUnavailable, "too many unread answers; try again later"}
			}
		}
		status := http.StatusOK
		if err != nil {
			if status, body = s.fail(r, err); body == nil {
				return // the client is gone
			}
		}
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.timeout)) // test recorders have no deadline
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(body) // the client may be gone
	})
}

// computed runs a request with its time limit, body limit and worker, and returns the answer.
func (s *Server) computed(w http.ResponseWriter, r *http.Request, f func(*http.Request) (any, error)) ([]byte, error) {
	ctx, cancel := context.WithTimeout(r.Context(), s.timeout)
	defer cancel()
	select {
	case s.waiting <- struct{}{}:
		defer func() { <-s.waiting }()
	default:
		return nil, &problem{http.StatusServiceUnavailable, "too many requests; try again later"}
	}
	body, err := readBody(ctx, w, r)
	if err != nil {
		return nil, err
	}
	select {
	case s.workers <- struct{}{}:
		defer func() { <-s.workers }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	r = r.WithContext(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	out, err := f(r)
	if err != nil {
		return nil, err
	}
	return encoded(ctx, out)
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
		return 0, &problem{http.StatusUnprocessableEntity, fmt.Sprintf("the answer exceeds %d bytes; narrow the request", MaxAnswer)}
	}
	return a.Buffer.Write(p)
}

// readBody reads the body of a request before it takes a worker, within the time limit of a
// request, so that slow senders do not block others.
func readBody(ctx context.Context, w http.ResponseWriter, r *http.Request) ([]byte, error) {
	control := http.NewResponseController(w)
	if end, ok := ctx.Deadline(); ok {
		_ = control.SetReadDeadline(end) // test recorders have no deadline
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	var long *http.MaxBytesError
	switch {
	case err == nil:
		_ = control.SetReadDeadline(time.Time{}) // the server detects closed connections by reading
		return body, nil
	case errors.As(err, &long):
		return nil, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, context.DeadlineExceeded
	}
	return nil, bad("incomplete request: %v", err)
}

// fail returns the response for an error, or none if the client is gone.
func (s *Server) fail(r *http.Request, err error) (status int, body []byte) {
	s.logger.Info("request failed", "path", r.URL.Path, "err", err)
	status = http.StatusInternalServerError
	words := "internal server error; see the log of the server"
	var told *problem
	var long *http.MaxBytesError
	var wrong *scenario.Error
	var refused *resolver.RequestError
	var unknown *graph.UnknownChannelError
	switch {
	case errors.As(err, &told):
		status, words = told.status, told.text
	case errors.As(err, &long):
		status, words = http.StatusRequestEntityTooLarge, fmt.Sprintf("the request exceeds %d bytes", long.Limit)
	case errors.As(err, &wrong), errors.As(err, &refused), errors.As(err, &unknown):
		status, words = http.StatusUnprocessableEntity, err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		status, words = http.StatusServiceUnavailable, fmt.Sprintf("time limit of %v exceeded; narrow the request or try again later", s.timeout)
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

// guard accepts requests from the page only: to a loopback host name and from the same origin,
// which other sites cannot forge. Posted content must be JSON, which forms cannot send.
func guard(next http.Handler) http.Handler {
	const refused = "only the page of this server may send requests"
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, refused, http.StatusForbidden) }))
	next = origin.Handler(next)
	headers := map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
		"Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
		"Content-Security-Policy": policy(),
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		site, kind := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Content-Type")
		media, _, _ := strings.Cut(kind, ";")
		switch {
		case !local(r.Host):
			http.Error(w, "this server only accepts the hosts localhost, 127.0.0.1 and [::1]", http.StatusMisdirectedRequest)
		case site != "" && site != "same-origin" && (site != "none" || r.URL.Path != "/"):
			http.Error(w, refused, http.StatusForbidden)
		case r.Method == http.MethodPost && strings.TrimSpace(media) != "application/json":
			http.Error(w, "requests must be JSON", http.StatusUnsupportedMediaType)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// policy returns the content security policy: content from this server, and the style sheet of
// pictures by its hash.
func policy() string {
	style := sha256.Sum256([]byte(draw.Style))
	return "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-" + base64.StdEncoding.EncodeToString(style[:]) +
		"'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// local reports whether a Host header names this machine.
func local(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	ip := net.ParseIP(host)
	return host == "localhost" || host == "[::1]" || ip != nil && ip.IsLoopback()
}
