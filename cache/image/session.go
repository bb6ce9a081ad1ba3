package image

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/seed109e2655/resolute/cache/image/internal/challenge"
	"github.com/seed109e2655/resolute/cache/internal/refusal"
)

// session asks a registry for what belongs to one repository, with one
// credential. It is used by one goroutine.
type session struct {
	net        *network
	host, path string // of the repository
	scheme     string
	credential Credential
	sources    []string // of the credentials that were tried, this one last

	authorization string   // what the registry is shown, or empty
	secrets       []string // what must not be seen in an error
}

// hubHost is where the registry of docker.io is.
const hubHost = "index.docker.io"

// newSession returns a session. The credential may be zero.
func newSession(n *network, repository string, c Credential, sources []string) *session {
	_, path, _ := strings.Cut(repository, "/")
	s := &session{net: n, host: n.home, path: path, scheme: "https", credential: c, sources: sources, secrets: c.secrets()}
	if _, named := n.plain(s.host); named {
		s.scheme = "http"
	}
	return s
}

type question struct {
	method string
	path   string // below /v2/, unescaped
	what   string // as errors call it
	accept string
	from   int64 // of a blob: the first byte that is wanted
}

const (
	// firstBackoff is how long is waited before a question is asked again; it
	// triples.
	firstBackoff = 100 * time.Millisecond
	// maxExcerpt bounds what is read of an answer that is an error.
	maxExcerpt = 8 << 10
	// userAgent is how the client calls itself.
	userAgent = "resolute"
)

// ask asks a question, again if that may help, and returns the answer with the
// status 200, or 206 if it was asked for. The caller closes its body.
func (s *session) ask(ctx context.Context, q question) (*http.Response, error) {
	backoff := firstBackoff
	for attempt := 0; ; attempt++ {
		resp, err := s.once(ctx, q)
		if err == nil || attempt >= s.net.opts.Retries || !mayHelp(err) || ctx.Err() != nil {
			return resp, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(backoff):
			backoff *= 3
		}
	}
}

// mayHelp reports whether asking again may help.
func mayHelp(err error) bool {
	var status *StatusError
	if errors.As(err, &status) {
		return status.Wait == 0 && slices.Contains([]int{http.StatusInternalServerError, http.StatusBadGateway,
			http.StatusServiceUnavailable, http.StatusGatewayTimeout}, status.Code)
	}
	var broken *ConnectionError
	return errors.As(err, &broken) && slices.ContainsFunc(
		[]error{io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNREFUSED},
		func(cause error) bool { return errors.Is(broken.Err, cause) })
}

// once asks a question, and shows the registry a right if it asks for it.
func (s *session) once(ctx context.Context, q question) (*http.Response, error) {
	resp, err := s.send(ctx, q)
	if err != nil && s.scheme == "https" && speaksNoTLS(err) {
		if plain, _ := s.net.plain(s.host); plain {
			s.scheme = "http"
			resp, err = s.send(ctx, q)
		}
	}
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusUnauthorized && s.isHome(resp) {
		offers := challenge.Parse(resp.Header.Values("WWW-Authenticate"))
		done, err := s.authenticate(ctx, offers)
		if err != nil {
			resp.Body.Close()
			return nil, err
		}
		if done {
			resp.Body.Close()
			if resp, err = s.send(ctx, q); err != nil {
				return nil, err
			}
		}
	}
	if resp.StatusCode == http.StatusOK && q.from == 0 || resp.StatusCode == http.StatusPartialContent && q.from > 0 {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, s.statusError(resp, q.what)
}

// speaksNoTLS reports whether a host may have failed to answer because it does
// not speak TLS.
func speaksNoTLS(err error) bool {
	return errors.As(err, new(*ConnectionError)) && !errors.As(err, new(*tls.CertificateVerificationError)) && !errors.Is(err, syscall.ECONNREFUSED)
}

// isHome reports whether an answer is one of the registry itself.
func (s *session) isHome(resp *http.Response) bool {
	return strings.EqualFold(resp.Request.URL.Host, s.host) && resp.Request.URL.Scheme == s.scheme
}

func (s *session) send(ctx context.Context, q question) (*http.Response, error) {
	u := url.URL{Scheme: s.scheme, Host: s.host, Path: "/v2/" + q.path}
	req, err := http.NewRequestWithContext(ctx, q.method, u.String(), nil)
	if err != nil {
		return nil, s.failure(ctx, s.host, err)
	}
	req.Header.Set("User-Agent", userAgent)
	if q.accept != "" {
		req.Header.Set("Accept", q.accept)
	}
	if q.from > 0 {
		req.Header.Set("Range", "bytes="+strconv.FormatInt(q.from, 10)+"-")
	}
	if s.authorization != "" {
		req.Header.Set("Authorization", s.authorization)
	}
	resp, err := (&http.Client{Transport: s.net, CheckRedirect: s.net.redirect}).Do(req)
	if err != nil {
		return nil, s.failure(ctx, s.host, err)
	}
	return resp, nil
}

// failure is that of the network, without secrets.
func (s *session) failure(ctx context.Context, host string, err error) error {
	err = s.net.failure(ctx, host, err)
	var broken *ConnectionError
	if errors.As(err, &broken) {
		broken.Reason = s.redact(broken.Reason)
	}
	return err
}

func (s *session) statusError(resp *http.Response, what string) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxExcerpt)) // what came will do
	return &StatusError{Reference: s.net.ref, Host: resp.Request.URL.Host, What: what, Code: resp.StatusCode,
		Wait: refusal.Wait(resp.StatusCode, resp.Header, time.Now()), Excerpt: s.redact(excerpt(body)), Credentials: s.sources}
}

// redact takes the secrets out of a text of foreign origin.
func (s *session) redact(text string) string {
	for _, secret := range s.secrets {
		text = strings.ReplaceAll(text, secret, "…")
	}
	return inert(text)
}

// excerpt returns what an answer says about an error: the messages that the
// protocol has, else the text.
func excerpt(body []byte) string {
	var doc struct {
		Errors []struct{ Code, Message string }
	}
	if json.Unmarshal(body, &doc) != nil || len(doc.Errors) == 0 {
		return string(body)
	}
	said := make([]string, len(doc.Errors))
	for i, e := range doc.Errors {
		said[i] = strings.TrimSuffix(e.Code+": "+e.Message, ": ")
	}
	return strings.Join(said, "; ")
}
