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

// client asks a registry, with one credential at a time: see login. What asks for manifests
// and layers is the repository of oras-go v2.6.2, and what authenticates is its client, which
// asks token servers, and keeps and renews tokens. They send through Do, RoundTrip and redirect
// below, which hold what servers may do to the rules of the package, and make good what the
// library does differently:
//
//   - its repository refuses a manifest without a type or length or with an invalid header of
//     its digest, asks for the rest of a layer only where it is said that one may, and then
//     takes whatever part comes, and for the rest of a manifest never: see once and goOn;
//   - its errors quote what servers say, and the URLs of redirects, and do not say what came of
//     what was cut off, is too long or has another digest: so those who read verify, see
//     remoteBody and loading.read, and statuses become errors in Do;
//   - its client understands one way to authenticate in one header, and no right without a
//     password: see challenge;
//   - it lets a token server lead elsewhere with the credential (GHSA-xc97-9f2f-9hrx), and
//     a registry to another port and from there on, with the credential: see redirect;
//   - its transport that asks again waits as long as a registry wants, asks again for each
//     token and redirect by itself, and panics without jitter: see Do.
//
// It refuses token servers that are named by a private address which is not that of the
// host of the registry, and those by plain HTTP if the registry is asked by TLS; that is
// stricter than the rules of the package, and stays.
//
// v2.6.4 is not used: it wants Go 1.26, and refuses the token server of a registry on a
// private network if its name stands for a private address too.
type client struct {
	*network
	repository string
	repo       *remote.Repository
	what       string // is asked for, as errors call it
	scheme     string
	auth       *auth.Client
	credential Credential
	sources    []string // of the credentials that were tried, this one last
	secrets    []string // what must not be seen in an error

	noToken string // why there is no token, if the library gives up now
	server  string // the token server that was asked last, without the query
}

// userAgent is how the client calls itself.
const userAgent = "resolute"

// login has the client use a credential, which may be zero, from now on.
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

// described is an error that the package describes, inside one of the library, which quotes
// URLs that may hold secrets.
type described struct{ error }

// failure returns the error that the package describes in one of the library.
func (s *client) failure(err error) error {
	var ours described
	late := new(*cache.TimeoutError)
	switch {
	case s.ctx.Err() != nil:
		return s.ctx.Err()
	case errors.As(err, late):
		return *late
	case errors.As(err, &ours):
		return ours.error
	case s.noToken != "":
		return s.tokenless(s.noToken, nil)
	}
	return s.broken(s.home, "leads to what is not a URL, or answers what cannot be understood: tell whoever runs it", nil)
}

// noEncoding is the Accept-Encoding of what the registry is asked, but for tokens: that
// tells the two apart, also when they are led elsewhere.
const noEncoding = "identity"

// isToken reports whether a request is for a token.
func isToken(r *http.Request) bool { return r.Header.Get("Accept-Encoding") != noEncoding }

// RoundTrip implements [http.RoundTripper].
func (s *client) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	_, shown, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if shown != "" && !slices.Contains(s.secrets, shown) {
		s.secrets = append(s.secrets, shown)
	}
	switch {
	case isToken(r):
		resp, err = s.token(r)
	case s.credential.RegistryToken == "" && strings.Trim(shown, tokenCharacters) != "":
		err = s.tokenless(noneGiven, nil)
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
		return nil, described{err}
	}
	return resp, nil
}

// challenge leaves of what an answer asks for the one thing that can be given.
func (s *client) challenge(resp *http.Response) {
	offers := strings.Split(strings.Join(resp.Header.Values("WWW-Authenticate"), ","), ",")
	resp.Header.Del("WWW-Authenticate")
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
		bearer = "Bearer realm=" + strconv.Quote(resp.Request.URL.String()) // which is not asked: the token is there
	}
	switch {
	case bearer != "":
		s.noToken = "its answer names no URL of a token server that may be asked: tell whoever runs the registry"
		resp.Header.Set("WWW-Authenticate", bearer)
	case offer("Basic") != "" && s.credential.Username != "" && s.credential.Password != "":
		resp.Header.Set("WWW-Authenticate", "Basic")
	}
}

const (
	// tokenCharacters are what a token may consist of (RFC 6750, section 2.1).
	tokenCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/=:"
	noneGiven       = "there is no token in its answer: tell whoever runs it"
)

// token asks a token server. The library reads the answer, of 128 KiB at most.
func (s *client) token(r *http.Request) (*http.Response, error) {
	s.server, s.noToken = r.URL.Scheme+"://"+r.URL.Host+r.URL.Path, noneGiven
	if reason := s.mayLead(r.URL); reason != "" {
		return nil, s.tokenless("that would be "+reason, nil)
	}
	resp, err := s.network.send(r)
	var broken *ConnectionError
	if errors.As(err, &broken) {
		err = s.tokenless("it "+broken.Reason, err)
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

// tokenless returns the error of a registry that wants a token, and gets none.
func (s *client) tokenless(reason string, err error) error {
	tried := "without a credential"
	if len(s.sources) > 0 {
		tried = "with the credentials of " + inert(strings.Join(s.sources, ", "))
	}
	return s.broken(s.home, fmt.Sprintf("wants a token of %s, which was asked %s: %s", s.redact(s.server), tried, s.redact(reason)), err)
}

// redirect is the rule for where a registry or token server may lead: see the package.
func (s *client) redirect(r *http.Request, via []*http.Request) error {
	from, first := via[len(via)-1].URL, via[0]
	refuse := func(reason string) error { return described{s.led(from.Host, s.redact(r.URL.Host), s.redact(reason))} }
	if isToken(first) {
		refuse = func(reason string) error {
			return described{s.tokenless("it leads to "+r.URL.Host+", "+reason, nil)}
		}
		if !sameHost(first.URL, r.URL) {
			return refuse("another host, which must not get the credential: tell whoever runs the registry")
		}
	}
	if int64(len(via)) > s.opts.Limits.MaxRedirects {
		return refuse("after as many other hosts as Limits.MaxRedirects allows: tell whoever runs the registry")
	}
	if reason := s.mayLead(r.URL); reason != "" {
		return refuse(reason)
	}
	r.URL.User = nil
	r.Header.Del("Referer")
	if !sameHost(from, r.URL) || !sameHost(first.URL, r.URL) {
		r.Header.Del("Authorization")
	}
	return nil
}

// status returns the error of an answer whose status is one.
func (s *client) status(resp *http.Response, what string) error {
	e := guard.Status(resp, source(s.ref), s.redact)
	if e.What, e.Credentials = what, s.sources; e.Host != s.home {
		e.Host = s.redact(e.Host)
	}
	switch e.Advice = "see whether this is a registry"; {
	case isStatus(e, http.StatusUnauthorized, http.StatusForbidden) && len(s.sources) > 0:
		e.Advice = "tried the credentials of " + inert(strings.Join(s.sources, ", ")) + "; give one that may read the image"
	case isStatus(e, http.StatusUnauthorized, http.StatusForbidden):
		e.Advice = "no credential is known for it; log in to the registry, or give a pull secret; or the image does not exist"
	case e.Code == http.StatusNotFound:
		e.Advice = "there is no such image, or no right to see it: correct the name, tag or digest"
	case e.Code == http.StatusTooManyRequests:
		e.Advice = "ask less often, or with a credential"
	case e.Code >= 500:
		e.Advice = "the registry has a problem, try again later"
	}
	return e
}
