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

// apiPath is the path of a catalog below its base URL.
const apiPath = "api/v1/all"

// New returns a source that reads the catalog below a base URL, such as
// https://catalogd.olmv1-system.svc/catalogs/operatorhubio: urls.base in the status of a
// ClusterCatalog. The suffix api/v1/all is optional. In problems, the file is the whole URL.
//
// See [fbc.Stream]. The [cache.Content.Validator] contains the condition of the next request
// and identifies the URL and options. If URL and options are unchanged, the next request is
// conditional, even for the content of an earlier process.
//
// The error reports an invalid URL. Load returns the errors documented by this package.
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
			err = bad.Err // the URL may contain a password
		}
		return nil, fmt.Errorf("the base URL of a catalog is invalid: %w", err)
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("%q is not the base URL of a catalog: expected a URL like https://catalogd.olmv1-system.svc/catalogs/operatorhubio", u.Redacted())
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, fmt.Errorf("the base URL %q of a catalog must not have a query or fragment: remove the part from ? or #", u.Redacted())
	}
	if strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), "/"+apiPath) {
		u = u.JoinPath("../../..")
	}
	return u.JoinPath(apiPath), nil
}

// fetcher requests a catalog from a server. It is safe for concurrent use.
type fetcher struct {
	url, name string
	opts      Options
}

// source names the catalog in errors.
func (f *fetcher) source() string { return "the catalog at " + f.name }

// fetch implements [fbc.Fetch].
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
	fetched := &fbc.Fetched{Body: resp.Body, Validator: validatorOf(resp.Header), EndUnmarked: endUnmarked(resp)}
	if at, err := http.ParseTime(resp.Header.Get("Last-Modified")); err == nil {
		fetched.Modified = at
	}
	return fetched, nil
}

// limitError returns the error of a response with more than MaxBytes, nil if there is no limit.
func (f *fetcher) limitError() *cache.LimitError {
	if f.opts.MaxBytes < 0 {
		return nil
	}
	return &cache.LimitError{Source: f.source(), Limit: "MaxBytes", Max: f.opts.MaxBytes, What: "bytes, as transferred", Advice: "if you trust the server, raise Options.MaxBytes"}
}

// do sends the request and returns when the response headers have arrived.
func (f *fetcher) do(ctx context.Context, validator string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url, nil)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be requested: %w", f.source(), err)
	}
	req.Header.Set("Accept", "application/jsonl, application/json;q=0.9, */*;q=0.1")
	req.Header.Set("Accept-Encoding", "gzip") // disables decompression by the transport, which hides the checksum
	req.Header.Set("User-Agent", "resolute")
	setConditions(req.Header, validator)
	bounds := guard.Bounds{Connect: f.opts.ConnectTimeout, Header: f.opts.HeaderTimeout, Idle: f.opts.IdleTimeout, Bytes: f.limitError()}
	resp, err := guard.Send(req, f.source(), bounds, f.opts.Client.Do)
	var outer *url.Error
	switch {
	case err == nil, errors.As(err, new(*cache.TimeoutError)):
		return resp, err
	case errors.As(err, &outer):
		err = outer.Err // adds only method and URL
	}
	return nil, fmt.Errorf("%s cannot be fetched: %w", f.source(), err)
}

// check rejects a response that is not a catalog or is too large.
func (f *fetcher) check(resp *http.Response) error {
	encoding := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding")))
	switch limit := f.limitError(); {
	case resp.StatusCode != http.StatusOK:
		e := guard.Status(resp, f.source(), func(s string) string { return s })
		e.Advice = advice(e.Code)
		return e
	case limit != nil && resp.ContentLength > limit.Max:
		return limit
	case !slices.Contains([]string{"", "identity", "gzip", "x-gzip"}, encoding):
		return fmt.Errorf("the server of %s sent the catalog with encoding %q, but only gzip was requested: configure the server or its proxy to respect Accept-Encoding", f.name, encoding)
	}
	return nil
}

// advice returns what to do about a status code.
func advice(code int) string {
	switch {
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return "configure the client with a token that can read the catalog"
	case code == http.StatusNotFound, code == http.StatusGone:
		return "correct the URL, or check that the catalog is still served"
	case code == http.StatusTooManyRequests:
		return "send fewer requests"
	case code >= 300 && code < 400:
		return "use the URL it redirects to, or a client that follows redirects"
	case code >= 500:
		return "try again later"
	}
	return "check that a catalog is served at this URL"
}

// endUnmarked reports whether the end of the body is the end of the connection, which is
// indistinguishable from a broken connection.
func endUnmarked(resp *http.Response) bool {
	return resp.ProtoMajor == 1 && resp.ContentLength < 0 && len(resp.TransferEncoding) == 0 && !resp.Uncompressed
}
