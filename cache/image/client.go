package image

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/internal/guard"
)

// client sends requests to a registry, with one credential at a time: see login. Requests for
// manifests and layers go through the repository of oras-go v2.6.2, authentication through its
// auth client, which requests, caches and renews tokens. Both send through Do, RoundTrip and
// redirect below, which enforce the rules of this package and correct what the library does
// differently:
//
//   - its repository rejects a manifest without a type or length, or with an invalid digest
//     header. It resumes a layer only if the registry advertises range requests, and then
//     accepts any range. It never resumes a manifest. See attempt and resume.
//   - its errors quote server responses and redirect URLs, and do not report how many bytes of
//     a truncated, oversized or modified body arrived. So the readers verify (see remoteBody
//     and loader.read), and Do turns status codes into errors.
//   - its client supports one authentication scheme in one header, and no authentication
//     without a password: see challenge.
//   - it follows redirects of a token server with the credential (GHSA-xc97-9f2f-9hrx), and of
//     a registry to another port, and onwards, with the credential: see redirect.
//   - its retry transport waits as long as the registry requests, retries each token request
//     and redirect separately, and panics without jitter: see Do.
//
// The library rejects token servers at a private address other than the registry's host, and
// token servers over plain HTTP if the registry uses TLS. This is stricter than the rules of
// this package, and allowed.
//
// v2.6.4 is not used: it requires Go 1.26, and rejects the token server of a registry on a
// private network if its name resolves to a private address too.
type client struct {
	*network
	repository string
	repo       *remote.Repository
	what       string // the requested part, as named in errors
	scheme     string
	auth       *auth.Client
	credential Credential
	sources    []string // sources of the credentials tried so far, current one last
	secrets    []string // redacted from errors

	noToken string // why no token is available if the library gives up now
	server  string // last token server, without the query
}

// userAgent identifies the client in requests.
const userAgent = "resolute"

// login sets the credential of the following requests. It may be zero.
func (s *client) login(c Credential) {
	if s.scheme = "https"; slices.Contains(s.opts.Insecure, s.home) {
		s.scheme = "http"
	}
	if c.Source != "" && !slices.Contains(s.sources, c.Source) {
		s.sources = append(slices.Clone(s.sources), c.Source)
	}
	s.credential, s.secrets, s.noToken, s.server = c, c.secrets(), "", "a server"
	s.auth = &auth.Client{Client: &http.Client{Transport: s, CheckRedirect: s.redirect}, Cache: auth.NewCache(), ClientID: userAgent,
		Credential: func(context.Context, string) (auth.Credential, error) {
			return auth.Credential{Username: c.Username, Password: c.Password, RefreshToken: c.IdentityToken, AccessToken: c.RegistryToken}, nil
		}}
	s.auth.SetUserAgent(userAgent)
}

// publicError wraps an error that this package documents while it passes through the library.
// The library's own errors quote URLs, which may contain secrets.
type publicError struct{ error }

// failure returns the publicError in a library error, or a generic error without the library's
// text.
func (s *client) failure(err error) error {
	var ours publicError
	late := new(*cache.TimeoutError)
	switch {
	case s.ctx.Err() != nil:
		return s.ctx.Err()
	case errors.As(err, late):
		return *late
	case errors.As(err, &ours):
		return ours.error
	case s.noToken != "":
		return s.tokenError(s.noToken, nil)
	}
	return s.connectionError(s.home, "sent an invalid redirect or response: contact its operator", nil)
}

// noEncoding is the Accept-Encoding of all requests except token requests. It distinguishes the
// two, also after redirects.
const noEncoding = "identity"

// isToken reports whether a request is for a token.
func isToken(r *http.Request) bool { return r.Header.Get("Accept-Encoding") != noEncoding }

// RoundTrip implements [http.RoundTripper].
func (s *client) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if token != "" && !slices.Contains(s.secrets, token) {
		s.secrets = append(s.secrets, token)
	}
	switch {
	case isToken(r):
		resp, err = s.token(r)
	case s.credential.RegistryToken == "" && strings.Trim(token, tokenCharacters) != "":
		err = s.tokenError(missingToken, nil)
	default:
		s.noToken = ""
		resp, err = s.network.send(r)
		if err == nil && resp.StatusCode == http.StatusUnauthorized {
			s.challenge(resp)
		}
	}
	var broken *ConnectionError
	if errors.As(err, &broken) {
		broken.Reason = s.redact(broken.Reason)
		if broken.Host != s.home {
			broken.Host = s.redact(broken.Host)
		}
	}
	if err != nil {
		return nil, publicError{err}
	}
	return resp, nil
}

// challenge reduces the WWW-Authenticate headers of a response to the one challenge that the
// credential can answer.
func (s *client) challenge(resp *http.Response) {
	offers := strings.Split(strings.Join(resp.Header.Values("WWW-Authenticate"), ","), ",")
	resp.Header.Del("WWW-Authenticate")
	offer := func(scheme string) string {
		for i, o := range offers {
			name, rest, _ := strings.Cut(strings.TrimSpace(o), " ")
			if strings.EqualFold(name, scheme) && (rest != "" || scheme == "Basic") { // Bearer needs a realm
				return strings.TrimSpace(strings.Join(offers[i:], ","))
			}
		}
		return ""
	}
	bearer := offer("Bearer")
	if s.credential.RegistryToken != "" {
		bearer = "Bearer realm=" + strconv.Quote(resp.Request.URL.String()) // not requested: the credential is a token
	}
	switch {
	case bearer != "":
		s.noToken = "the response names no valid URL of an allowed token server: contact the operator of the registry"
		resp.Header.Set("WWW-Authenticate", bearer)
	case offer("Basic") != "" && s.credential.Username != "" && s.credential.Password != "":
		resp.Header.Set("WWW-Authenticate", "Basic")
	}
}

const (
	// tokenCharacters are the characters of a valid token (RFC 6750, section 2.1).
	tokenCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/=:"
	missingToken    = "its response contains no token: contact its operator"
)

// token sends a request to a token server. The library reads at most 128 KiB of the response.
func (s *client) token(r *http.Request) (*http.Response, error) {
	s.server, s.noToken = r.URL.Scheme+"://"+r.URL.Host+r.URL.Path, missingToken
	if reason := s.checkTarget(r.URL); reason != "" {
		return nil, s.tokenError("token server not allowed: "+reason, nil)
	}
	resp, err := s.network.send(r)
	var broken *ConnectionError
	if errors.As(err, &broken) {
		err = s.tokenError("it "+broken.Reason, err)
	}
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK && (resp.StatusCode >= 400 || resp.Header.Get("Location") == "") {
		defer resp.Body.Close()
		return nil, s.status(resp, "token")
	}
	return resp, nil
}

// tokenError returns the error of a registry that requires a token that could not be obtained.
func (s *client) tokenError(reason string, err error) error {
	tried := "without credentials"
	if len(s.sources) > 0 {
		tried = "with the credentials of " + inert(strings.Join(s.sources, ", "))
	}
	return s.connectionError(s.home, fmt.Sprintf("requires a token from %s, which was requested %s: %s", s.redact(s.server), tried, s.redact(reason)), err)
}

// redirect checks where a registry or token server may redirect: see the package documentation.
func (s *client) redirect(r *http.Request, via []*http.Request) error {
	from, first := via[len(via)-1].URL, via[0]
	refuse := func(reason string) error {
		return publicError{s.redirectError(from.Host, s.redact(r.URL.Host), s.redact(reason))}
	}
	if isToken(first) {
		refuse = func(reason string) error {
			return publicError{s.tokenError("it redirects to "+r.URL.Host+": "+reason, nil)}
		}
		if !sameHost(first.URL, r.URL) {
			return refuse("another host must not receive the credential: contact the operator of the registry")
		}
	}
	if int64(len(via)) > s.opts.Limits.MaxRedirects {
		return refuse("too many redirects: contact the operator of the registry")
	}
	if reason := s.checkTarget(r.URL); reason != "" {
		return refuse(reason)
	}
	r.URL.User = nil
	r.Header.Del("Referer")
	if !sameHost(from, r.URL) || !sameHost(first.URL, r.URL) {
		r.Header.Del("Authorization")
	}
	return nil
}

// status returns the error of a response with an unexpected status code.
func (s *client) status(resp *http.Response, what string) error {
	e := guard.Status(resp, source(s.ref), s.redact)
	if e.What, e.Credentials = what, s.sources; e.Host != s.home {
		e.Host = s.redact(e.Host)
	}
	switch e.Advice = "check that this is a registry"; {
	case isStatus(e, http.StatusUnauthorized, http.StatusForbidden) && len(s.sources) > 0:
		e.Advice = "tried the credentials of " + inert(strings.Join(s.sources, ", ")) + "; provide credentials with read access to the image"
	case isStatus(e, http.StatusUnauthorized, http.StatusForbidden):
		e.Advice = "no credentials found for it; log in to the registry or provide a pull secret; the image may also not exist"
	case e.Code == http.StatusNotFound:
		e.Advice = "the image does not exist or access is denied: correct the name, tag or digest"
	case e.Code == http.StatusTooManyRequests:
		e.Advice = "send fewer requests, or provide credentials"
	case e.Code >= 500:
		e.Advice = "the registry has a problem: try again later"
	}
	return e
}
