package catalogd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/internal/refusal"
	"github.com/seed109e2655/resolute/cache/internal/watchdog"
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

// fetch is an [fbc.Fetch].
func (f *fetcher) fetch(ctx context.Context, text string) (*fbc.Fetched, error) {
	dog := watchdog.New(ctx)
	resp, err := f.do(dog, decodeValidator(text))
	if err != nil {
		dog.End()
		return nil, err
	}
	body := &body{Body: dog.Body(resp.Body, f.wait(PhaseBody, f.opts.IdleTimeout)), url: f.name, max: f.opts.MaxBytes}
	if resp.StatusCode == http.StatusNotModified {
		return &fbc.Fetched{NotModified: true, Body: body}, nil
	}
	if err := f.check(resp, body); err != nil {
		body.Close()
		return nil, err
	}
	answer := &fbc.Fetched{Body: body, Validator: validatorOf(resp.Header).Encode(), EndUnmarked: endUnmarked(resp)}
	if at, err := http.ParseTime(resp.Header.Get("Last-Modified")); err == nil {
		answer.Modified = at
	}
	return answer, nil
}

func (f *fetcher) wait(phase Phase, limit time.Duration) watchdog.Wait {
	return watchdog.Wait{Limit: limit, Late: &TimeoutError{URL: f.name, Phase: phase, Limit: limit}}
}

// do sends the request, and returns when the headers of the answer are there.
func (f *fetcher) do(dog *watchdog.Dog, v validator) (*http.Response, error) {
	defer dog.Expect(f.wait(PhaseHeader, f.opts.HeaderTimeout))()
	ctx, connected := dog.Traced(f.wait(PhaseConnect, f.opts.ConnectTimeout), watchdog.Wait{})
	defer connected()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url, nil)
	if err != nil {
		return nil, fmt.Errorf("the catalog at %s cannot be asked for: %w", f.name, err)
	}
	req.Header.Set("Accept", "application/jsonl, application/json;q=0.9, */*;q=0.1")
	req.Header.Set("Accept-Encoding", "gzip") // so that the transport leaves the checksum to whoever reads
	req.Header.Set("User-Agent", "resolute")
	v.apply(req.Header)
	resp, err := f.opts.Client.Do(req)
	if err == nil {
		return resp, nil
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err // says nothing but method and URL
	}
	return nil, fmt.Errorf("the catalog at %s cannot be fetched: %w", f.name, dog.Reason(err))
}

// check refuses answers that cannot be a catalog, or are too large.
func (f *fetcher) check(resp *http.Response, body io.Reader) error {
	encoding := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding")))
	plain := encoding == "" || encoding == "identity"
	switch {
	case resp.StatusCode != http.StatusOK:
		e := &StatusError{URL: f.name, Code: resp.StatusCode, Wait: refusal.Wait(resp.StatusCode, resp.Header, time.Now())}
		if plain {
			e.Excerpt = excerpt(body)
		}
		return e
	case f.opts.MaxBytes > 0 && resp.ContentLength > f.opts.MaxBytes:
		return &SizeError{URL: f.name, Max: f.opts.MaxBytes}
	case !plain && encoding != "gzip" && encoding != "x-gzip":
		return fmt.Errorf("the server of %s sends the catalog with the encoding %q, though only gzip was asked for: have it, or the proxy before it, respect Accept-Encoding", f.name, encoding)
	}
	return nil
}

// endUnmarked reports whether the body ends where the connection does, so that
// nothing distinguishes its end from a connection that broke.
func endUnmarked(resp *http.Response) bool {
	return resp.ProtoMajor == 1 && resp.ContentLength < 0 && len(resp.TransferEncoding) == 0 && !resp.Uncompressed
}

// body is the body of an answer, with a limit.
type body struct {
	*watchdog.Body
	url  string
	max  int64 // negative for no limit
	read int64
}

func (b *body) Read(p []byte) (int, error) {
	if b.max >= 0 && int64(len(p)) > b.max-b.read+1 {
		p = p[:b.max-b.read+1] // one more shows that there is more
	}
	n, err := b.Body.Read(p)
	if b.read += int64(n); b.max >= 0 && b.read > b.max {
		return 0, &SizeError{URL: b.url, Max: b.max}
	}
	return n, err
}
