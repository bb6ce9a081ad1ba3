// Package serve is the page of `resolute serve`: one place to ask the questions of
// the command line, and to play with their answers. It shows how a tool of one's
// own is built on the library; README.md in this folder walks through it.
//
// A server keeps catalogs in memory and nothing else. The whole state of a player,
// the problem that is looked at, comes with each request and lies in the link of
// the page, so that any number of players share one server, and nothing is left of
// them when they go.
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
	"github.com/seed109e2655/resolute/internal/picture"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// The bounds of one request, unless the Config says otherwise.
const (
	// MaxBody is the longest body of a request, in bytes.
	MaxBody = 1 << 20
	// DefaultTimeout is the longest work on one request.
	DefaultTimeout = 10 * time.Second
	// MaxRounds is the longest upgrade path that is followed.
	MaxRounds = 200
	// MaxListed is how many packages, channels' entries or bundles one answer lists.
	MaxListed = 500
	// MaxWaiting is how many requests wait, each with its body in memory, while others are
	// worked on; more are refused.
	MaxWaiting = 250
	// MaxWords is how many words a search looks for; others are left out.
	MaxWords = 16
	// MaxAnswer is the longest answer, in bytes.
	MaxAnswer = 16 << 20
	// MaxUnread is how many bytes all answers longer than MaxBody may have together that
	// are computed and not read yet; more of them are refused.
	MaxUnread = 128 << 20
	// MaxSteps bounds how far an upgrade path is followed: so many bundles and
	// subscriptions, those of each round counted anew.
	MaxSteps = 100_000
	// MaxStates is how many bytes of the states after its rounds come with a path.
	MaxStates = 2 << 20
)

// Config is what a server needs.
type Config struct {
	// Scenario is the problem that the page begins with; its catalogs are those
	// that can be played with.
	Scenario *scenario.Scenario
	// Loader reads the catalogs; nil stands for one of its own.
	Loader *scenario.Loader
	// Resolver resolves; nil stands for one with the default limits.
	Resolver *resolver.Resolver
	// Timeout bounds the work on one request; 0 stands for DefaultTimeout.
	Timeout time.Duration
	// Workers is how many requests are worked on at once, others wait; 0 stands
	// for twice the number of processors that Go may use.
	Workers int
	// Logger, if it is set, logs each request that failed.
	Logger *slog.Logger
}

// Server answers the page's questions. It is safe for concurrent use.
type Server struct {
	base     *scenario.Scenario // with its catalogs, without what-ifs
	start    []byte             // the state that the page begins with
	examples []example          // of other problems
	parts    *view.Parts
	loader   *scenario.Loader
	resolver *resolver.Resolver
	catalogs []resolver.Catalog
	timeout  time.Duration
	workers  chan struct{} // those that are worked on
	waiting  chan struct{} // those, and those that wait
	unread   atomic.Int64  // bytes of long answers that are being written
	logger   *slog.Logger
}

// New loads the catalogs of a scenario and returns a server for it. The error is
// that of a catalog that cannot be read, or what is wrong with the scenario.
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

// Handler returns the page and what it asks for.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	s.page(mux)
	mux.Handle("GET /api/start", s.serve(s.begin))
	mux.Handle("GET /api/search", s.serve(s.search))
	mux.Handle("GET /api/package", s.serve(s.onePackage))
	mux.Handle("POST /api/graph", s.serve(s.asked(s.graph)))
	mux.Handle("POST /api/resolve", s.serve(s.asked(s.resolve)))
	mux.Handle("POST /api/path", s.serve(s.asked(s.path)))
	mux.Handle("POST /api/why", s.serve(s.asked(s.why)))
	mux.Handle("POST /api/export", s.serve(s.asked(s.export)))
	return guard(mux)
}

// problem is an error that the player can mend; its text is shown as it is.
type problem struct {
	status int
	text   string
}

func (p *problem) Error() string { return p.text }

func bad(format string, args ...any) error {
	return &problem{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// serve serves what a function returns as JSON. Work on a question ends when its answer
// is computed: whoever does not read it keeps nobody else from asking.
func (s *Server) serve(f func(*http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := s.computed(w, r, f)
		if long := int64(len(body)); long > MaxBody {
			defer s.unread.Add(-long)
			if s.unread.Add(long) > MaxUnread {
				err = &problem{http.StatusServiceUnavailable, "too many long answers that nobody reads: try again later"}
			}
		}
		status := http.StatusOK
		if err != nil {
			if status, body = s.fail(r, err); body == nil {
				return // nobody waits for the answer
			}
		}
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.timeout)) // a recorder of tests has none
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(body) // whoever is gone does not matter
	})
}

// computed gives a question its time, its longest body and its place among those that are
// worked on, and returns the answer.
func (s *Server) computed(w http.ResponseWriter, r *http.Request, f func(*http.Request) (any, error)) ([]byte, error) {
	ctx, cancel := context.WithTimeout(r.Context(), s.timeout)
	defer cancel()
	select {
	case s.waiting <- struct{}{}:
		defer func() { <-s.waiting }()
	default:
		return nil, &problem{http.StatusServiceUnavailable, "too many questions at once: try again later"}
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

// encoded is an answer as JSON.
func encoded(ctx context.Context, out any) ([]byte, error) {
	answer := &written{ctx: ctx}
	if err := json.MarshalEncode(jsontext.NewEncoder(answer, jsonv1.DefaultOptionsV1()), out); err != nil {
		return nil, err
	}
	return answer.Bytes(), nil
}

// written is an answer as it is written: it has a bound, and ends with its context.
type written struct {
	bytes.Buffer
	ctx context.Context
}

// Write is for the writer of JSON alone.
func (a *written) Write(p []byte) (int, error) {
	switch {
	case a.ctx.Err() != nil:
		return 0, a.ctx.Err()
	case a.Len()+len(p) > MaxAnswer:
		return 0, &problem{http.StatusUnprocessableEntity, fmt.Sprintf("the answer is longer than %d bytes: ask for less", MaxAnswer)}
	}
	return a.Buffer.Write(p)
}

// readBody reads the body of a request, before it takes a place among those that are worked
// on: whoever sends slowly keeps nobody from work, and only for the time of one request.
func readBody(ctx context.Context, w http.ResponseWriter, r *http.Request) ([]byte, error) {
	control := http.NewResponseController(w)
	if end, ok := ctx.Deadline(); ok {
		_ = control.SetReadDeadline(end) // a recorder of tests has none
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	var long *http.MaxBytesError
	switch {
	case err == nil:
		_ = control.SetReadDeadline(time.Time{}) // what reads on looks whether the player is gone
		return body, nil
	case errors.As(err, &long):
		return nil, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, context.DeadlineExceeded
	}
	return nil, bad("the question was cut off: %v", err)
}

// fail returns what to answer where something went wrong: nothing if nobody waits for it.
func (s *Server) fail(r *http.Request, err error) (status int, body []byte) {
	s.logger.Info("request failed", "path", r.URL.Path, "err", err)
	status = http.StatusInternalServerError
	words := "this is a fault of the server; its log says more"
	var told *problem
	var long *http.MaxBytesError
	var wrong *scenario.Error
	var refused *resolver.RequestError
	var unknown *graph.UnknownChannelError
	switch {
	case errors.As(err, &told):
		status, words = told.status, told.text
	case errors.As(err, &long):
		status, words = http.StatusRequestEntityTooLarge, fmt.Sprintf("the problem is longer than %d bytes", long.Limit)
	case errors.As(err, &wrong), errors.As(err, &refused), errors.As(err, &unknown):
		status, words = http.StatusUnprocessableEntity, err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		status, words = http.StatusServiceUnavailable, fmt.Sprintf("not done after %v: ask for less, or try again later", s.timeout)
	case errors.Is(err, context.Canceled):
		return status, nil
	}
	body, _ = json.Marshal(failure{words, partsOf(wrong, refused)}) // which has nothing that could fail
	return status, append(body, '\n')
}

// failure is an error as JSON.
type failure struct {
	Error    string      `json:"error"`
	Problems []wrongPart `json:"problems,omitempty"`
}

// wrongPart is a part of the state that is wrong: the page says so beside its control.
type wrongPart struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// maxParts bounds the parts that an error names.
const maxParts = 100

func partsOf(wrong *scenario.Error, refused *resolver.RequestError) []wrongPart {
	var out []wrongPart
	if wrong != nil {
		for _, p := range wrong.Problems {
			out = append(out, wrongPart{text.Inert(p.Path), text.Inert(p.Message)})
		}
	}
	if refused != nil {
		for _, p := range refused.Problems {
			of := ""
			if p.Value != "" {
				of = text.Quote(p.Value) + ": "
			}
			out = append(out, wrongPart{text.Inert(p.Field), of + text.Inert(p.Message)})
		}
	}
	return out[:min(len(out), maxParts)]
}

// guard lets only the page itself ask: requests to this machine by its own names,
// which a page from elsewhere cannot forge, and from this origin. What is posted has to
// be JSON, which no form of another page can send.
func guard(next http.Handler) http.Handler {
	const refused = "only the page of this server may ask it"
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
			http.Error(w, "this server answers to localhost, 127.0.0.1 and [::1] alone", http.StatusMisdirectedRequest)
		case site != "" && site != "same-origin" && (site != "none" || r.URL.Path != "/"):
			http.Error(w, refused, http.StatusForbidden)
		case r.Method == http.MethodPost && strings.TrimSpace(media) != "application/json":
			http.Error(w, "questions are asked in JSON", http.StatusUnsupportedMediaType)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// policy is what the browser allows the page: what comes from this server, and the one
// style sheet of pictures, by its hash.
func policy() string {
	style := sha256.Sum256([]byte(picture.Style))
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
