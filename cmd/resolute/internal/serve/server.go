// Package serve serves the page of package page over HTTP, to this machine only.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/listing"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/page"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// The limits of a request, beside those of package page. Config overrides some of them.
const (
	// MaxBody is the maximum size of a request body, in bytes.
	MaxBody = page.MaxBody
	// DefaultTimeout is the default time limit of a request.
	DefaultTimeout = page.DefaultTimeout
	// MaxWaiting is the maximum number of queued requests, each with its body in memory.
	// Further requests are rejected.
	MaxWaiting = 250
	// MaxUnread is the maximum total size, in bytes, of computed but unread answers longer than
	// MaxBody. Further ones are rejected.
	MaxUnread = 128 << 20
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
	// Describe returns the listing of a catalog; nil means one without descriptions.
	Describe func(context.Context, scenario.Catalog, *cache.Catalog) (*listing.Index, error)
	// Logger logs failed requests. It may be nil.
	Logger *slog.Logger
}

// Server serves the page and answers its requests. It is safe for concurrent use.
type Server struct {
	page    *page.Handler
	timeout time.Duration
	workers chan struct{} // requests in progress
	waiting chan struct{} // requests in progress or queued
	unread  atomic.Int64  // bytes of long answers being written
	logger  *slog.Logger
}

// New loads the catalogs of a scenario and returns a server for it. It fails if a catalog is
// unreadable or the scenario is invalid.
func New(ctx context.Context, cfg Config) (*Server, error) {
	s := &Server{timeout: cfg.Timeout, logger: cfg.Logger}
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
	start, err := absolute(cfg.Scenario)
	if err != nil {
		return nil, err
	}
	catalogs, err := load(ctx, &cfg)
	if err != nil {
		return nil, err
	}
	s.page, err = page.New(page.Config{Scenario: start, Catalogs: catalogs, Resolver: cfg.Resolver, Timeout: s.timeout})
	return s, err
}

// load reads the catalogs of a scenario and their descriptions.
func load(ctx context.Context, cfg *Config) ([]page.Catalog, error) {
	base := *cfg.Scenario
	base.WhatIf, base.Expect = nil, nil
	if err := base.Validate(); err != nil {
		return nil, err
	}
	loader := cfg.Loader
	if loader == nil {
		loader = &scenario.Loader{}
	}
	loaded, err := loader.Load(ctx, &base)
	if err != nil {
		return nil, err
	}
	var out []page.Catalog
	for i, c := range loaded.Request.Catalogs {
		one := page.Catalog{Catalog: c}
		if cfg.Describe != nil && c.Content != nil {
			if one.Listing, err = cfg.Describe(ctx, base.Catalogs[i], c.Content); err != nil {
				return nil, err
			}
		}
		out = append(out, one)
	}
	return out, nil
}

// absolute returns a scenario whose catalogs have absolute paths, so that an exported one can be
// stored anywhere.
func absolute(s *scenario.Scenario) (*scenario.Scenario, error) {
	out := *s
	out.Catalogs = slices.Clone(s.Catalogs)
	for i := range out.Catalogs {
		c := &out.Catalogs[i]
		if c.Path != "" && !filepath.IsAbs(c.Path) {
			var err error
			if c.Path, err = filepath.Abs(filepath.Join(filepath.Dir(s.File()), filepath.FromSlash(c.Path))); err != nil {
				return nil, err
			}
		}
	}
	return &out, nil
}

// Handler returns the handler of the page and its requests.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	s.files(mux)
	for _, call := range page.Calls() {
		method := http.MethodGet
		if call.Body {
			method = http.MethodPost
		}
		mux.Handle(method+" /"+call.Path, s.serve(s.page.Answer))
	}
	return guard(mux)
}

// files serves the static files.
func (s *Server) files(mux *http.ServeMux) {
	for _, file := range page.Files() {
		for _, path := range file.Paths {
			mux.HandleFunc("GET /"+path, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", file.Type)
				_, _ = w.Write(file.Body) // the client may be gone
			})
		}
	}
}

// answer computes the answer to a call, see [page.Handler.Answer].
type answer func(ctx context.Context, target string, body []byte) ([]byte, error)

// serve returns a handler that writes the answer of f, which is JSON. A worker is released once the
// answer is computed, so that slow readers do not block others.
func (s *Server) serve(f answer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := s.computed(w, r, f)
		if long := int64(len(body)); long > MaxBody {
			defer s.unread.Add(-long)
			if s.unread.Add(long) > MaxUnread {
				err = &page.Problem{Status: http.StatusServiceUnavailable, Text: "too many unread answers; try again later"}
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
func (s *Server) computed(w http.ResponseWriter, r *http.Request, f answer) ([]byte, error) {
	ctx, cancel := context.WithTimeout(r.Context(), s.timeout)
	defer cancel()
	select {
	case s.waiting <- struct{}{}:
		defer func() { <-s.waiting }()
	default:
		return nil, &page.Problem{Status: http.StatusServiceUnavailable, Text: "too many requests; try again later"}
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
	return f(ctx, r.URL.RequestURI(), body)
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
		return nil, page.TooLarge()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, context.DeadlineExceeded
	}
	return nil, &page.Problem{Status: http.StatusBadRequest, Text: fmt.Sprintf("incomplete request: %v", err)}
}

// fail logs an error and returns the response for it, or none if the client is gone.
func (s *Server) fail(r *http.Request, err error) (status int, body []byte) {
	s.logger.Info("request failed", "path", r.URL.Path, "err", err)
	return s.page.Failure(err)
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
		"Content-Security-Policy": page.Policy() + "; frame-ancestors 'none'",
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

// local reports whether a Host header names this machine.
func local(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	ip := net.ParseIP(host)
	return host == "localhost" || host == "[::1]" || ip != nil && ip.IsLoopback()
}
