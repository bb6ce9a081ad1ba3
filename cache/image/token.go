package image

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache/image/internal/challenge"
)

// maxToken bounds the answer of a token server.
const maxToken = 256 << 10

// authenticate makes of what a registry offers what it is to be shown. It
// returns false if there is nothing that could help.
func (s *session) authenticate(ctx context.Context, offers []challenge.Challenge) (bool, error) {
	before := s.authorization
	if t := s.credential.RegistryToken; t != "" {
		s.authorization = "Bearer " + t
		return s.authorization != before, nil
	}
	offer := func(scheme string) int {
		return slices.IndexFunc(offers, func(c challenge.Challenge) bool { return c.Scheme == scheme })
	}
	if i := offer("bearer"); i >= 0 {
		token, err := s.token(ctx, offers[i])
		if err != nil {
			return false, err
		}
		s.secrets = append(s.secrets, token)
		s.authorization = "Bearer " + token
		return true, nil
	}
	if offer("basic") >= 0 && s.credential.Username != "" {
		s.authorization = "Basic " + s.basic()
	}
	return s.authorization != before, nil
}

// basic returns user and password as the scheme Basic has them.
func (s *session) basic() string {
	text := base64.StdEncoding.EncodeToString([]byte(s.credential.Username + ":" + s.credential.Password))
	s.secrets = append(s.secrets, text)
	return text
}

// token asks a token server for a token, as the specification of distribution
// has it: by GET with user and password, or by POST with an identity token.
func (s *session) token(ctx context.Context, c challenge.Challenge) (string, error) {
	realm, err := url.Parse(c.Params["realm"])
	fail := func(reason string, err error) (string, error) {
		server := "a server"
		if realm != nil && realm.Host != "" {
			server = realm.Scheme + "://" + realm.Host + realm.Path
		}
		return "", &TokenError{Reference: s.net.ref, Host: s.host, Server: server, Reason: s.redact(reason), Credentials: s.sources, Err: err}
	}
	if err != nil || realm.Host == "" || realm.Opaque != "" {
		return fail("its answer names no URL of a token server: tell whoever runs the registry", nil)
	}
	realm.User = nil
	if plain, _ := s.net.plain(realm.Host); realm.Scheme != "https" && (realm.Scheme != "http" || !plain) {
		return fail("that would be by "+inert(realm.Scheme)+", without TLS: if it can be trusted, name it in Options.Insecure", nil)
	}
	if err := s.net.checkLiteral(realm.Hostname()); err != nil {
		return fail(err.Error()+", and the registry is not: "+adviceAddress, nil)
	}
	var body []byte
	resp, err := s.askToken(ctx, realm, c.Params["service"])
	if err == nil {
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return "", s.statusError(resp, "token")
		}
		body, err = io.ReadAll(io.LimitReader(resp.Body, maxToken))
	}
	if err != nil {
		if err = s.failure(ctx, realm.Host, err); ctx.Err() != nil {
			return "", err
		}
		return fail(tokenReason(err), err)
	}
	var answer struct {
		Token       string `json:"token"`
		AccessToken string `json:"access_token"`
	}
	_ = json.Unmarshal(body, &answer) // the error could tell a part of it
	for _, t := range []string{answer.Token, answer.AccessToken} {
		if t != "" && strings.Trim(t, tokenCharacters) == "" {
			return t, nil
		}
	}
	return fail("there is no token in its answer: tell whoever runs it", nil)
}

// tokenReason says why a token server could not be asked.
func tokenReason(err error) string {
	var broken *ConnectionError
	var late *TimeoutError
	var redirect *RedirectError
	switch {
	case errors.As(err, &broken):
		return "it " + broken.Reason
	case errors.As(err, &late):
		return "timed out after " + late.Limit.String() + " waiting for " + string(late.Phase)
	case errors.As(err, &redirect):
		return "it leads to " + redirect.To + ", " + redirect.Reason
	}
	return err.Error()
}

// tokenCharacters are what a token may consist of (RFC 6750, section 2.1).
const tokenCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/=:"

func (s *session) askToken(ctx context.Context, realm *url.URL, service string) (*http.Response, error) {
	scope := "repository:" + s.path + ":pull"
	var req *http.Request
	var err error
	if s.credential.IdentityToken != "" {
		form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {s.credential.IdentityToken},
			"client_id": {userAgent}, "service": {service}, "scope": {scope}}
		req, err = http.NewRequestWithContext(ctx, http.MethodPost, realm.String(), strings.NewReader(form.Encode()))
		if err == nil {
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
	} else {
		query := realm.Query()
		query.Set("scope", scope)
		if service != "" {
			query.Set("service", service)
		}
		u := *realm
		u.RawQuery = query.Encode()
		req, err = http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
		if err == nil && s.credential.Username != "" {
			req.Header.Set("Authorization", "Basic "+s.basic())
		}
	}
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", userAgent)
	return (&http.Client{Transport: s.net, CheckRedirect: s.redirectToken}).Do(req)
}

// redirectToken is the rule for where a token server may lead: it got a
// credential, which no other host gets.
func (s *session) redirectToken(r *http.Request, via []*http.Request) error {
	if !sameHost(via[0].URL, r.URL) {
		return &RedirectError{Reference: s.net.ref, From: via[0].URL.Host, To: r.URL.Host,
			Reason: "another host, which must not get the credential: tell whoever runs the registry"}
	}
	return s.net.redirect(r, via)
}
