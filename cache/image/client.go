package image

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
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

	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/internal/guard"
)

// client asks a registry with one credential. What authenticates is the client of
// oras-go, which asks token servers, and keeps and renews tokens. It sends through
// RoundTrip and redirect below, which hold what servers may do to the rules of the
// package, and make good what oras-go v2.6.2 does differently:
//
//   - it understands one way to authenticate in one header, and no right without a
//     password: see challenge;
//   - it would give what another host, to which the registry leads, asks for;
//   - it lets a token server lead elsewhere with the credential (GHSA-xc97-9f2f-9hrx);
//   - its errors quote what servers say, and the URLs of redirects: see checkToken.
//
// It refuses token servers that are named by a private address which is not that of the
// host of the registry, and those by plain HTTP if the registry is asked by TLS; that is
// stricter than the rules of the package, and stays.
//
// v2.6.4 is not used: it wants Go 1.26, and refuses the token server of a registry on a
// private network if its name stands for a private address too.
type client struct {
	net        *network
	auth       *auth.Client
	path       string // of the repository
	scheme     string
	credential Credential
	sources    []string // of the credentials that were tried, this one last
	secrets    []string // what must not be seen in an error

	asked  *url.URL // what the registry is asked for
	wanted bool     // whether it wants a token for that
	server string   // the token server that was asked last, without the query
}

// newClient returns a client. The credential may be zero.
func newClient(n *network, path string, c Credential, sources []string) *client {
	s := &client{net: n, path: path, scheme: "https", credential: c, sources: sources, secrets: c.secrets()}
	if _, named := n.plain(n.home); named {
		s.scheme = "http"
	}
	if c.Username != "" {
		s.secrets = append(s.secrets, base64.StdEncoding.EncodeToString([]byte(c.Username+":"+c.Password)))
	}
	s.auth = &auth.Client{Client: &http.Client{Transport: s, CheckRedirect: s.redirect}, Cache: auth.NewCache(), ClientID: userAgent,
		Credential: func(context.Context, string) (auth.Credential, error) {
			return auth.Credential{Username: c.Username, Password: c.Password, RefreshToken: c.IdentityToken, AccessToken: c.RegistryToken}, nil
		}}
	s.auth.SetUserAgent(userAgent)
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
	// userAgent is how the client calls itself.
	userAgent = "resolute"
	// maxToken bounds the answer of a token server.
	maxToken = 128 << 10
	// tokenCharacters are what a token may consist of (RFC 6750, section 2.1).
	tokenCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/=:"
)

// ask asks a question, again if that may help, and returns the answer with the
// status 200, or 206 if it was asked for. The caller closes its body.
func (s *client) ask(ctx context.Context, q question) (*http.Response, error) {
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
	var status *cache.StatusError
	if errors.As(err, &status) {
		return status.Wait == 0 && slices.Contains([]int{http.StatusInternalServerError, http.StatusBadGateway,
			http.StatusServiceUnavailable, http.StatusGatewayTimeout}, status.Code)
	}
	var broken *ConnectionError
	return errors.As(err, &broken) && slices.ContainsFunc(
		[]error{io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNREFUSED},
		func(cause error) bool { return errors.Is(broken.Err, cause) })
}

// once asks a question, by plain HTTP if the registry is on this machine and does not
// speak TLS.
func (s *client) once(ctx context.Context, q question) (*http.Response, error) {
	resp, err := s.send(ctx, q)
	var broken *ConnectionError
	if errors.As(err, &broken) && s.scheme == "https" && !errors.As(err, new(*tls.CertificateVerificationError)) && !errors.Is(err, syscall.ECONNREFUSED) {
		if plain, _ := s.net.plain(s.net.home); plain {
			s.scheme = "http"
			resp, err = s.send(ctx, q)
		}
	}
	if err != nil || resp.StatusCode == http.StatusOK && q.from == 0 || resp.StatusCode == http.StatusPartialContent && q.from > 0 {
		return resp, err
	}
	defer resp.Body.Close()
	return nil, s.status(resp, q.what)
}

func (s *client) send(ctx context.Context, q question) (*http.Response, error) {
	s.asked = &url.URL{Scheme: s.scheme, Host: s.net.home, Path: "/v2/" + q.path}
	req, err := http.NewRequestWithContext(auth.WithScopes(ctx, "repository:"+s.path+":pull"), q.method, s.asked.String(), nil)
	if err != nil {
		return nil, &ConnectionError{Reference: s.net.ref, Host: s.net.home, Reason: s.redact(err.Error())}
	}
	if q.accept != "" {
		req.Header.Set("Accept", q.accept)
	}
	if q.from > 0 {
		req.Header.Set("Range", "bytes="+strconv.FormatInt(q.from, 10)+"-")
	}
	resp, err := s.auth.Do(req)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	return resp, nil
}

// failure returns the error that the package describes in one of the library, which quotes
// URLs that may hold secrets.
func (s *client) failure(ctx context.Context, err error) error {
	var status *cache.StatusError
	var late *cache.TimeoutError
	var broken *ConnectionError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &status):
		return status
	case errors.As(err, &late):
		return late
	case errors.As(err, &broken):
		broken.Reason = s.redact(broken.Reason)
		return broken
	case s.wanted:
		return s.noToken("its answer names no URL of a token server that may be asked: tell whoever runs the registry", nil)
	}
	return &ConnectionError{Reference: s.net.ref, Host: s.net.home, Reason: "leads to what is not a URL: tell whoever runs it"}
}

// isToken reports whether a request is for a token: one that did not begin with the
// question to the registry.
func (s *client) isToken(r *http.Request) bool {
	for r.Response != nil && r.Response.Request != nil {
		r = r.Response.Request
	}
	return !sameHost(r.URL, s.asked) || r.URL.Path != s.asked.Path
}

// RoundTrip implements [http.RoundTripper].
func (s *client) RoundTrip(r *http.Request) (*http.Response, error) {
	token := s.isToken(r)
	if token {
		s.server = r.URL.Scheme + "://" + r.URL.Host + r.URL.Path
		if reason := s.net.mayLead(r.URL); reason != "" {
			return nil, s.noToken("that would be "+reason, nil)
		}
	}
	s.wanted = token
	resp, err := s.net.send(r)
	switch {
	case err != nil && token:
		return nil, s.noToken(tokenReason(err), err)
	case err != nil:
		return nil, err
	case token:
		return s.checkToken(resp)
	case resp.StatusCode == http.StatusUnauthorized:
		s.challenge(resp)
	}
	return resp, nil
}

// challenge leaves of what an answer asks for the one thing that can be given, and nothing
// of what another host asks for.
func (s *client) challenge(resp *http.Response) {
	offers := strings.Split(strings.Join(resp.Header.Values("WWW-Authenticate"), ","), ",")
	resp.Header.Del("WWW-Authenticate")
	if !sameHost(resp.Request.URL, s.asked) {
		return
	}
	offer := func(scheme string) string {
		for i, o := range offers {
			name, rest, _ := strings.Cut(strings.TrimSpace(o), " ")
			if strings.EqualFold(name, scheme) && (rest != "" || scheme == "Basic") { // a token is asked for at a realm
				return strings.TrimSpace(strings.Join(offers[i:], ","))
			}
		}
		return ""
	}
	bearer := offer("Bearer")
	if s.credential.RegistryToken != "" {
		bearer = "Bearer realm=" + strconv.Quote(s.asked.String()) // which is not asked: the token is there
	}
	switch {
	case bearer != "":
		s.wanted = true
		resp.Header.Set("WWW-Authenticate", bearer)
	case offer("Basic") != "" && s.credential.Username != "" && s.credential.Password != "":
		resp.Header.Set("WWW-Authenticate", "Basic")
	}
}

// checkToken returns the answer of a token server, with nothing in it but its token.
func (s *client) checkToken(resp *http.Response) (*http.Response, error) {
	if resp.StatusCode >= 300 && resp.StatusCode < 400 && resp.Header.Get("Location") != "" {
		return resp, nil
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, s.status(resp, "token")
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxToken))
	if err != nil {
		err = s.net.failure(resp.Request, err)
		return nil, s.noToken(tokenReason(err), err)
	}
	var answer struct {
		Token       string `json:"token"`
		AccessToken string `json:"access_token"`
	}
	_ = json.Unmarshal(body, &answer) // the error could tell a part of it
	for _, t := range []string{answer.Token, answer.AccessToken} {
		if t != "" && strings.Trim(t, tokenCharacters) == "" {
			s.secrets = append(s.secrets, t)
			resp.Body = io.NopCloser(bytes.NewReader(fmt.Appendf(nil, `{"token":%q,"access_token":%q}`, t, t)))
			return resp, nil
		}
	}
	return nil, s.noToken("there is no token in its answer: tell whoever runs it", nil)
}

// noToken returns the error of a registry that wants a token, and gets none.
func (s *client) noToken(reason string, err error) error {
	tried := "without a credential"
	if len(s.sources) > 0 {
		tried = "with the credentials of " + inert(strings.Join(s.sources, ", "))
	}
	server := s.server
	if server == "" {
		server = "a server"
	}
	return &ConnectionError{Reference: s.net.ref, Host: s.net.home, Err: err,
		Reason: fmt.Sprintf("wants a token of %s, which was asked %s: %s", inert(server), tried, s.redact(reason))}
}

// tokenReason says why a token server could not be asked.
func tokenReason(err error) string {
	var broken *ConnectionError
	var late *cache.TimeoutError
	switch {
	case errors.As(err, &broken):
		return "it " + broken.Reason
	case errors.As(err, &late):
		return "timed out after " + late.Limit.String() + " waiting for " + late.Waiting
	}
	return err.Error()
}

// redirect is the rule for where a registry or token server may lead: see the package.
func (s *client) redirect(r *http.Request, via []*http.Request) error {
	from := via[len(via)-1].URL
	refuse := func(reason string) error { return s.net.led(from.Host, r.URL.Host, reason) }
	if s.isToken(via[0]) {
		refuse = func(reason string) error {
			return s.noToken("it leads to "+inert(r.URL.Host)+", "+reason, nil)
		}
		if !sameHost(via[0].URL, r.URL) {
			return refuse("another host, which must not get the credential: tell whoever runs the registry")
		}
	}
	if int64(len(via)) > s.net.opts.Limits.MaxRedirects {
		return refuse("after as many other hosts as Limits.MaxRedirects allows: tell whoever runs the registry")
	}
	if reason := s.net.mayLead(r.URL); reason != "" {
		return refuse(reason)
	}
	r.URL.User = nil
	r.Header.Del("Referer")
	if !sameHost(from, r.URL) || !sameHost(via[0].URL, r.URL) {
		r.Header.Del("Authorization")
	}
	return nil
}

// status returns the error of an answer whose status is one.
func (s *client) status(resp *http.Response, what string) error {
	e := guard.Status(resp, source(s.net.ref), s.redact)
	e.What, e.Credentials = what, s.sources
	e.Advice = "see whether this is a registry"
	switch {
	case e.Code == http.StatusUnauthorized, e.Code == http.StatusForbidden:
		e.Advice = "no credential is known for it; log in to the registry, or give a pull secret; or the image does not exist"
		if len(s.sources) > 0 {
			e.Advice = "tried the credentials of " + inert(strings.Join(s.sources, ", ")) + "; give one that may read the image"
		}
	case e.Code == http.StatusNotFound:
		e.Advice = "there is no such image, or no right to see it: correct the name, tag or digest"
	case e.Code == http.StatusTooManyRequests:
		e.Advice = "ask less often, or with a credential"
	case e.Code >= 500:
		e.Advice = "the registry has a problem, try again later"
	}
	return e
}

// redact takes the secrets out of a text of foreign origin.
func (s *client) redact(text string) string {
	for _, secret := range s.secrets {
		text = strings.ReplaceAll(text, secret, "…")
	}
	return inert(text)
}
