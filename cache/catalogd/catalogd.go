package catalogd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/internal/guard"
)

// apiPath is where below its base URL a catalog is served.
const apiPath = "api/v1/all"

// New returns a source that reads the catalog below a base URL, such as
// https://catalogd.olmv1-system.svc/catalogs/operatorhubio: what the status of a
// ClusterCatalog calls urls.base. The URL with api/v1/all at its end means the
// same. In problems the whole URL stands for the file.
//
// What [fbc.Stream] says holds for it. [cache.Content.Validator] holds what to ask
// the server with, and for which URL and options: if both are the same, the server
// is asked whether anything changed since, also with the content of an earlier process.
//
// The error is for a URL that cannot be used. Load has the errors that the
// package describes.
func New(base string, opts Options) (cache.Source, error) {
	u, err := parse(base)
	if err != nil {
		return nil, err
	}
	f := &fetcher{url: u.String(), name: u.Redacted(), opts: opts.withDefaults()}
	return fbc.Stream(f.name, f.fetch, opts.FBC), nil
}

// parse returns the URL of all blobs of a catalog.
func parse(base string) (*url.URL, error) {
	u, err := url.Parse(base)
	if err != nil {
		var bad *url.Error
		if errors.As(err, &bad) {
			err = bad.Err // the URL may hold a password
		}
		return nil, fmt.Errorf("the base URL of a catalog cannot be used: %w", err)
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("%q is no base URL of a catalog: write it like https://catalogd.olmv1-system.svc/catalogs/operatorhubio", u.Redacted())
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, fmt.Errorf("the base URL %q of a catalog must end with its path: leave out what begins with ? or #", u.Redacted())
	}
	if strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), "/"+apiPath) {
		u = u.JoinPath("../../..")
	}
	return u.JoinPath(apiPath), nil
}

// fetcher asks a server for a catalog. It is safe for concurrent use.
type fetcher struct {
	url, name string
	opts      Options
}

// source is how errors call the catalog.
func (f *fetcher) source() string { return "the catalog at " + f.name }

// fetch is an [fbc.Fetch].
func (f *fetcher) fetch(ctx context.Context, validator string) (*fbc.Fetched, error) {
	resp, err := f.do(ctx, validator)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusNotModified {
		return &fbc.Fetched{NotModified: true, Body: resp.Body}, nil
	}
	if err := f.check(resp); err != nil {
		resp.Body.Close()
		return nil, err
	}
	answer := &fbc.Fetched{Body: resp.Body, Validator: validatorOf(resp.Header), EndUnmarked: endUnmarked(resp)}
	if at, err := http.ParseTime(resp.Header.Get("Last-Modified")); err == nil {
		answer.Modified = at
	}
	return answer, nil
}

// tooLarge returns the error of an answer with more than MaxBytes, nil if there is no
// such limit.
func (f *fetcher) tooLarge() *cache.LimitError {
	if f.opts.MaxBytes < 0 {
		return nil
	}
	return &cache.LimitError{Source: f.source(), Limit: "MaxBytes", Max: f.opts.MaxBytes, What: "bytes, as they are sent", Advice: "if it can be trusted, raise Options.MaxBytes"}
}

// do sends the request, and returns when the headers of the answer are there.
func (f *fetcher) do(ctx context.Context, validator string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url, nil)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be asked for: %w", f.source(), err)
	}
	req.Header.Set("Accept", "application/jsonl, application/json;q=0.9, */*;q=0.1")
	req.Header.Set("Accept-Encoding", "gzip") // so that the transport leaves the checksum to whoever reads
	req.Header.Set("User-Agent", "resolute")
	ask(req.Header, validator)
	bounds := guard.Bounds{Connect: f.opts.ConnectTimeout, Header: f.opts.HeaderTimeout, Idle: f.opts.IdleTimeout, Bytes: f.tooLarge()}
	resp, err := guard.Send(req, f.source(), bounds, f.opts.Client.Do)
	var outer *url.Error
	switch {
	case err == nil, errors.As(err, new(*cache.TimeoutError)):
		return resp, err
	case errors.As(err, &outer):
		err = outer.Err // says nothing but method and URL
	}
	return nil, fmt.Errorf("%s cannot be fetched: %w", f.source(), err)
}

// check refuses answers that cannot be a catalog, or are too large.
func (f *fetcher) check(resp *http.Response) error {
	encoding := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding")))
	switch limit := f.tooLarge(); {
	case resp.StatusCode != http.StatusOK:
		e := guard.Status(resp, f.source(), func(said string) string { return said })
		e.Advice = advice(e.Code)
		return e
	case limit != nil && resp.ContentLength > limit.Max:
		return limit
	case !slices.Contains([]string{"", "identity", "gzip", "x-gzip"}, encoding):
		return fmt.Errorf("the server of %s sends the catalog with the encoding %q, though only gzip was asked for: have it, or the proxy before it, respect Accept-Encoding", f.name, encoding)
	}
	return nil
}

// advice says what can be done about a status.
func advice(code int) string {
	switch {
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return "give the client a token that may read the catalog"
	case code == http.StatusNotFound, code == http.StatusGone:
		return "correct the URL, or see whether the catalog is still served"
	case code == http.StatusTooManyRequests:
		return "ask less often"
	case code >= 300 && code < 400:
		return "use the URL that it leads to, or a client that follows redirects"
	case code >= 500:
		return "try again later"
	}
	return "see whether a catalog is served at this URL"
}

// endUnmarked reports whether the body ends where the connection does, so that
// nothing distinguishes its end from a connection that broke.
func endUnmarked(resp *http.Response) bool {
	return resp.ProtoMajor == 1 && resp.ContentLength < 0 && len(resp.TransferEncoding) == 0 && !resp.Uncompressed
}
