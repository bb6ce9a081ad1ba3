package image

import (
	"cmp"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	godigest "github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote"

	"github.com/seed109e2655/resolute/cache"
)

// newRegistry returns the client of a repository. It is not safe for concurrent use.
func newRegistry(l *loader, repository string) *client {
	host, path, _ := strings.Cut(repository, "/")
	if host == hub {
		host = hubHost
	}
	s := &client{network: newNetwork(l, host), repository: repository}
	s.repo = &remote.Repository{Client: s, Reference: registry.Reference{Registry: host, Repository: path},
		ManifestMediaTypes: manifestTypes, MaxMetadataBytes: l.opts.Limits.MaxManifestBytes + 1}
	return s
}

// maxCredentials is the maximum number of credentials tried for an image.
const maxCredentials = 20

// resolve implements backend. It requests the digest with each credential until one can read
// the image.
func (s *client) resolve() (at ocispec.Descriptor, _ *manifestForm, err error) {
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
	return at, nil, err
}

// head requests the digest of the manifest.
func (s *client) head() (digest godigest.Digest, err error) {
	s.what = "manifest"
	name := cmp.Or(s.image.Digest, s.image.Name)
	at, err := s.repo.Resolve(s.ctx, name)
	if err != nil {
		var known publicError
		if errors.As(err, &known) && !isStatus(known.error, http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented) {
			return digest, known.error
		}
		// The registry may not support HEAD, or not return a digest. GET also returns a more
		// detailed error.
		var body io.ReadCloser
		if at, body, err = s.repo.FetchReference(s.ctx, name); err != nil {
			return digest, s.failure(err)
		}
		defer body.Close()
		if _, err = s.document(body); err != nil {
			return digest, err
		}
	}
	return at.Digest, nil
}

// isStatus reports whether an error is a response with one of these status codes.
func isStatus(err error, codes ...int) bool {
	var status *cache.StatusError
	return errors.As(err, &status) && slices.Contains(codes, status.Code)
}

func (s *client) open(d ocispec.Descriptor, what string) (body io.ReadCloser, err error) {
	s.what = what
	if what == "manifest" {
		_, body, err = s.repo.FetchReference(s.ctx, d.Digest.String())
	} else {
		body, err = s.repo.Blobs().Fetch(s.ctx, d)
	}
	if err != nil {
		return nil, s.failure(err)
	}
	if d.Size == 0 {
		d.Size = -1 // unknown
	}
	return &remoteBody{body, s, d, what, 0, s.opts.Retries}, nil
}

// remoteBody is a response body that resumes where it was cut off.
type remoteBody struct {
	io.ReadCloser
	client   *client
	of       ocispec.Descriptor
	what     string
	received int64
	retries  int
}

func (b *remoteBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.received += int64(n)
	if err == nil || err == io.EOF && b.received >= b.of.Size {
		return n, err
	}
	s, late := b.client, new(*cache.TimeoutError)
	switch {
	case s.ctx.Err() != nil:
		return n, s.ctx.Err()
	case errors.As(err, late):
		return n, *late
	case b.retries > 0 && b.resume():
		b.retries--
		return n, nil
	}
	known := cause(err)
	if known == nil {
		known = errors.New(s.redact(err.Error()))
	}
	return n, s.truncated(b.what, b.received, b.of.Size, known)
}

// resume requests the rest of the body. The library cannot request part of a manifest, so a
// manifest is requested again from the start.
func (b *remoteBody) resume() bool {
	var err error
	if from, parts := b.ReadCloser.(io.Seeker); parts {
		_, _ = from.Seek(0, io.SeekEnd) // sends no request; makes the next Seek effective
		_, err = from.Seek(b.received, io.SeekStart)
	} else {
		b.Close()
		if _, b.ReadCloser, err = b.client.repo.FetchReference(b.client.ctx, b.of.Digest.String()); err != nil {
			b.ReadCloser = http.NoBody
			return false
		}
		_, err = io.CopyN(io.Discard, b.ReadCloser, b.received)
	}
	return err == nil
}

// firstBackoff is the wait before the first retry; it triples each time.
const firstBackoff = 100 * time.Millisecond

// Do implements [remote.Client]: it sends a request, with retries, and returns a successful
// response.
func (s *client) Do(r *http.Request) (*http.Response, error) {
	backoff := firstBackoff
	for retries := 0; ; retries++ {
		resp, err := s.attempt(r.Clone(r.Context()))
		if err == nil {
			return resp, nil
		}
		if retries >= s.opts.Retries || !retryable(err) || s.ctx.Err() != nil {
			return nil, publicError{err}
		}
		select {
		case <-s.ctx.Done():
			return nil, s.ctx.Err()
		case <-time.After(backoff):
			backoff *= 3
		}
	}
}

// retryable reports whether a retry may help.
func retryable(err error) bool {
	var status *cache.StatusError
	if errors.As(err, &status) {
		return status.Wait == 0 && isStatus(err, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout)
	}
	return slices.ContainsFunc([]error{io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNREFUSED},
		func(cause error) bool { return errors.Is(err, cause) })
}

// attempt sends a request once, over plain HTTP if the registry is on this machine and does not
// support TLS.
func (s *client) attempt(r *http.Request) (*http.Response, error) {
	resp, err := s.send(r)
	if errors.As(err, new(*ConnectionError)) && s.scheme == "https" && s.plain(s.home) &&
		!errors.As(err, new(*tls.CertificateVerificationError)) && !errors.Is(err, syscall.ECONNREFUSED) {
		s.scheme = "http"
		resp, err = s.send(r)
	}
	if err != nil {
		return nil, err
	}
	wantRange := strings.Replace(r.Header.Get("Range"), "=", " ", 1)
	if resp.StatusCode > http.StatusPartialContent || !strings.HasPrefix(resp.Header.Get("Content-Range"), wantRange) {
		defer resp.Body.Close()
		return nil, s.status(resp, s.what)
	}
	// Satisfy checks of the library's repository that are harmless, or that would fail without
	// reporting the received bytes. The readers verify instead.
	resp.Header.Set("Content-Type", "application/json")
	resp.Header.Set("Accept-Ranges", "bytes")
	if digest := path.Base(r.URL.Path); strings.Contains(digest, ":") {
		resp.Header.Set("Docker-Content-Digest", digest)
	} else if r.Method == http.MethodGet {
		resp.Header.Del("Docker-Content-Digest")
	}
	if resp.ContentLength = -1; s.what == "manifest" {
		resp.ContentLength = 0
	}
	return resp, nil
}

// send sends a request and returns the response, whatever its status.
func (s *client) send(r *http.Request) (*http.Response, error) {
	r.URL.Scheme = s.scheme
	r.Header.Set("Accept-Encoding", noEncoding)
	resp, err := s.auth.Do(r)
	if err != nil {
		return nil, s.failure(err)
	}
	return resp, nil
}
