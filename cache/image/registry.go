package image

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/seed109e2655/resolute/cache"
)

// newRegistry returns a repository of a registry, where an image is looked for. One
// goroutine uses it.
func newRegistry(l *loading, repository string) *client {
	host, path, _ := strings.Cut(repository, "/")
	if host == hub {
		host = hubHost
	}
	return &client{network: newNetwork(l, host), repository: repository, path: path}
}

// maxCredentials bounds how many credentials are tried for an image.
const maxCredentials = 20

// resolve implements place: it asks for the digest with each credential until
// one may read the image.
func (s *client) resolve() (at v1.Descriptor, _ *manifestForm, err error) {
	known, err := s.opts.Keychain.Credentials(s.ctx, s.repository)
	if err != nil {
		return at, nil, err
	}
	if len(known) == 0 {
		known = []Credential{{}}
	}
	for _, c := range known[:min(len(known), maxCredentials)] {
		s.login(c)
		at.Digest, err = s.head()
		if !isStatus(err, http.StatusUnauthorized, http.StatusForbidden) {
			break
		}
	}
	if err == nil && s.image.Digest != "" && at.Digest.String() != s.image.Digest {
		err = s.wrongDigest("manifest", s.image.Digest, at.Digest.String())
	}
	return at, nil, err
}

// head asks for the digest of the manifest.
func (s *client) head() (digest v1.Hash, err error) {
	q := s.manifest(cmp.Or(s.image.Digest, s.image.Name))
	q.method = http.MethodHead
	resp, err := s.ask(q)
	if err == nil {
		defer resp.Body.Close()
		if digest, err = v1.NewHash(resp.Header.Get("Docker-Content-Digest")); err == nil {
			return digest, nil
		}
	} else if !isStatus(err, http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented) {
		return digest, err
	}
	// A registry that does not answer HEAD, or without a digest; and an error
	// of GET says more.
	q.method = http.MethodGet
	body, err := s.read(q, 0)
	if err != nil {
		return digest, err
	}
	defer body.Close()
	data, err := s.document(body)
	return digestOf(s.image.Digest, data), err
}

// isStatus reports whether an error is an answer with one of these statuses.
func isStatus(err error, codes ...int) bool {
	var status *cache.StatusError
	return errors.As(err, &status) && slices.Contains(codes, status.Code)
}

// question is a question to the registry.
type question struct {
	method string
	path   string // below that of the repository
	what   string // as errors call it
	accept string
	from   int64 // the first byte that is wanted
}

func (s *client) manifest(identifier string) question {
	return question{method: http.MethodGet, path: "/manifests/" + identifier, what: "manifest", accept: manifestTypes}
}

func (s *client) open(d v1.Descriptor, what string) (io.ReadCloser, error) {
	q := question{method: http.MethodGet, path: "/blobs/" + d.Digest.String(), what: what}
	if what == "manifest" {
		q = s.manifest(d.Digest.String())
	}
	return s.read(q, d.Size)
}

// read asks for a body of a size, 0 if it is not known.
func (s *client) read(q question, size int64) (io.ReadCloser, error) {
	b := &remoteBody{client: s, question: q, want: size, retries: s.opts.Retries}
	if err := b.open(); err != nil {
		return nil, err
	}
	switch n := b.resp.ContentLength; {
	case size == 0:
		b.want = n
	case n >= 0 && n != size:
		b.Close()
		return nil, s.notWhole(q.what, n, size, nil)
	}
	return b, nil
}

// remoteBody is the body of an answer while it is read. If it is cut off, it is continued
// where it ended.
type remoteBody struct {
	*client
	question question
	resp     *http.Response
	want     int64 // negative if it is not known
	retries  int
}

// open asks for what has not come yet.
func (b *remoteBody) open() error {
	resp, err := b.ask(b.question)
	if err == nil {
		b.resp = resp
	}
	return err
}

func (b *remoteBody) Read(p []byte) (int, error) {
	n, err := b.resp.Body.Read(p)
	b.question.from += int64(n)
	came, late := b.question.from, new(*cache.TimeoutError)
	if err == nil || err == io.EOF && came >= b.want {
		return n, err
	}
	if b.ctx.Err() == nil && !errors.As(err, late) && came < b.want && b.retries > 0 {
		b.retries--
		b.resp.Body.Close()
		if b.open() == nil {
			return n, nil
		}
		b.retries = 0
	}
	known := cause(err)
	switch {
	case b.ctx.Err() != nil:
		return n, b.ctx.Err()
	case errors.As(err, late):
		return n, *late
	case err == io.EOF:
		known = io.ErrUnexpectedEOF
	case known == nil:
		known = errors.New(b.redact(err.Error()))
	}
	return n, b.notWhole(b.question.what, came, b.want, known)
}

func (b *remoteBody) Close() error { return b.resp.Body.Close() }

// firstBackoff is how long is waited before a question is asked again; it triples.
const firstBackoff = 100 * time.Millisecond

// ask asks a question, again if that may help, and returns the answer with what is wanted.
// The caller closes its body.
func (s *client) ask(q question) (*http.Response, error) {
	backoff := firstBackoff
	for attempt := 0; ; attempt++ {
		resp, err := s.once(q)
		if err == nil || attempt >= s.opts.Retries || !mayHelp(err) || s.ctx.Err() != nil {
			return resp, err
		}
		select {
		case <-s.ctx.Done():
			return nil, s.ctx.Err()
		case <-time.After(backoff):
			backoff *= 3
		}
	}
}

// mayHelp reports whether asking again may help.
func mayHelp(err error) bool {
	var status *cache.StatusError
	if errors.As(err, &status) {
		return status.Wait == 0 && isStatus(err, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout)
	}
	return slices.ContainsFunc([]error{io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNREFUSED},
		func(cause error) bool { return errors.Is(err, cause) })
}

// once asks a question, by plain HTTP if the registry is on this machine and does not
// speak TLS.
func (s *client) once(q question) (*http.Response, error) {
	resp, err := s.send(q)
	if errors.As(err, new(*ConnectionError)) && s.scheme == "https" && s.plain(s.home) &&
		!errors.As(err, new(*tls.CertificateVerificationError)) && !errors.Is(err, syscall.ECONNREFUSED) {
		s.scheme = "http"
		resp, err = s.send(q)
	}
	if err != nil {
		return nil, err
	}
	begins, wanted := "", http.StatusOK
	if q.from > 0 {
		begins, wanted = fmt.Sprintf("bytes %d-", q.from), http.StatusPartialContent
	}
	if resp.StatusCode == wanted && strings.HasPrefix(resp.Header.Get("Content-Range"), begins) {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, s.status(resp, q.what)
}

// send asks a question, whatever the status of the answer.
func (s *client) send(q question) (*http.Response, error) {
	s.asked = &url.URL{Scheme: s.scheme, Host: s.home, Path: "/v2/" + s.path + q.path}
	req, err := http.NewRequestWithContext(auth.WithScopes(s.ctx, "repository:"+s.path+":pull"), q.method, s.asked.String(), nil)
	if err != nil {
		return nil, s.broken(s.home, s.redact(err.Error()), nil)
	}
	if q.accept != "" {
		req.Header.Set("Accept", q.accept)
	}
	if q.from > 0 {
		req.Header.Set("Range", "bytes="+strconv.FormatInt(q.from, 10)+"-")
	}
	resp, err := s.auth.Do(req)
	if err != nil {
		return nil, s.failure(err)
	}
	return resp, nil
}
