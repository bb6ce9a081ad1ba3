package image

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"unicode"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/internal/guard"
)

// network sends requests to one registry, and to hosts it redirects to, during one load. close
// ends all connections and goroutines.
type network struct {
	*loader
	home string // host[:port] of the registry
	// metadata reports whether the registry is named as a cloud metadata service.
	metadata bool

	open      context.Context // canceled by close
	cancel    context.CancelFunc
	transport *http.Transport
	pending   sync.WaitGroup // dials and connections

	mu    sync.Mutex
	reach guard.Kind // address kind of the registry, empty before the first connection
}

// route is how a request is sent. It is stored in the context of the request, because the
// allowed connections depend on it: a redirect may target a host with the name of the proxy, on
// any port, and no proxy is used for this machine or for hosts in NO_PROXY.
type route struct {
	proxy *url.URL // nil for a direct connection
	home  bool     // the request is for the registry itself
}

type routeKey struct{}

func routeOf(ctx context.Context) route {
	r, _ := ctx.Value(routeKey{}).(route)
	return r
}

func newNetwork(l *loader, home string) *network {
	n := &network{loader: l, home: home}
	n.open, n.cancel = context.WithCancel(context.Background())
	n.metadata = guard.IsMetadataName(hostname(home))
	if literals := guard.Literals(hostname(home)); len(literals) == 1 && literals[0].IsValid() {
		n.reach, n.metadata = guard.Of(literals[0]), guard.IsMetadata(literals[0])
	}
	n.transport = &http.Transport{
		DialContext: n.dial, DisableCompression: true, ForceAttemptHTTP2: true,
		MaxResponseHeaderBytes: 256 << 10, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
	}
	n.transport.Proxy = func(r *http.Request) (*url.URL, error) { return routeOf(r.Context()).proxy, nil }
	if authorities := l.opts.CertificateAuthorities; len(authorities) > 0 {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool() // the system has no pool
		}
		pool.AppendCertsFromPEM(authorities)
		n.transport.TLSClientConfig.RootCAs = pool
	}
	return n
}

func (n *network) close() {
	n.mu.Lock() // prevents new dials
	n.cancel()
	n.mu.Unlock()
	n.transport.CloseIdleConnections()
	n.pending.Wait()
}

// dial opens a connection unless its address is forbidden. A dial may outlive its request, so
// it also ends when the network is closed.
func (n *network) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	n.mu.Lock()
	by, closed := routeOf(ctx), n.open.Err()
	if closed == nil {
		n.pending.Add(1)
	}
	n.mu.Unlock()
	if closed != nil {
		return nil, closed
	}
	defer n.pending.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(n.open, cancel)()
	d := net.Dialer{}
	if by.proxy == nil {
		d.Control = func(_, address string, _ syscall.RawConn) error {
			ap, _ := netip.ParseAddrPort(address) // an invalid address has kind special
			return n.check(ap.Addr(), by.home)
		}
	}
	conn, err := d.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	n.track(conn, by.home && by.proxy == nil)
	return conn, nil
}

// check returns an error for a forbidden address. The caller chose the registry, so its first
// connection determines the allowed kind. A cloud metadata service must be named explicitly.
func (n *network) check(a netip.Addr, isHome bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	kind := guard.Of(a)
	allowed := isHome && (n.reach == "" || n.reach == kind)
	switch {
	case !allowed && !guard.MayLead(n.reach, kind):
		return &addressError{a.String(), kind}
	case guard.IsMetadata(a) && !(isHome && n.metadata):
		return &addressError{a.String(), metadata}
	}
	return nil
}

// checkLiteral returns an error for a host name that is a forbidden address, in any notation
// that a proxy may accept. Behind a proxy this is the only check.
func (n *network) checkLiteral(host string) error {
	home := hostname(n.home)
	switch {
	case strings.EqualFold(strings.TrimRight(host, "."), strings.TrimRight(home, ".")):
		return nil
	case guard.IsMetadataName(host):
		return &addressError{inert(host), metadata}
	case guard.IsLocalName(host) && guard.IsLocalName(home):
		return nil
	case guard.IsLocalName(host): // of the proxy, if there is one
		return n.check(netip.IPv6Loopback(), false)
	case strings.IndexFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) >= 0:
		return &addressError{inert(host), notASCII}
	}
	for _, a := range guard.Literals(host) {
		if err := n.check(a, false); err != nil {
			return err
		}
	}
	return nil
}

// track closes a connection when the network is closed, and records the address kind of the
// registry.
func (n *network) track(conn net.Conn, isHome bool) {
	n.pending.Add(1) // in addition to the dial
	context.AfterFunc(n.open, func() {
		defer n.pending.Done()
		_ = conn.Close()
	})
	n.mu.Lock()
	defer n.mu.Unlock()
	if isHome && n.reach == "" {
		if ap, err := netip.ParseAddrPort(conn.RemoteAddr().String()); err == nil {
			n.reach = guard.Of(ap.Addr())
		}
	}
}

// plain reports whether plain HTTP is allowed for a host.
func (n *network) plain(host string) bool {
	name := hostname(host)
	a, err := netip.ParseAddr(name)
	return slices.Contains(n.opts.Insecure, host) || name == "localhost" || err == nil && guard.Of(a) == guard.Loopback
}

func hostname(host string) string {
	return (&url.URL{Host: host}).Hostname()
}

// send sends a request with timeouts. Errors are documented ones.
func (n *network) send(r *http.Request) (*http.Response, error) {
	by, err := n.route(r)
	if err != nil {
		return nil, n.failure(r, err)
	}
	o := n.opts
	resp, err := guard.Send(r, source(n.ref), guard.Bounds{Connect: o.ConnectTimeout, Header: o.HeaderTimeout, Idle: o.IdleTimeout}, func(r *http.Request) (*http.Response, error) {
		return n.transport.RoundTrip(r.WithContext(context.WithValue(r.Context(), routeKey{}, by)))
	})
	if err != nil {
		return nil, n.failure(r, err)
	}
	return resp, nil
}

// route returns how to send a request. A registry behind a proxy counts as public, because its
// address is not visible.
func (n *network) route(r *http.Request) (by route, err error) {
	by.home = strings.EqualFold(r.URL.Host, n.home)
	if n.opts.Proxy != nil {
		by.proxy, err = n.opts.Proxy(r)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if by.home && by.proxy != nil && n.reach == "" {
		n.reach = guard.Public
	}
	return by, err
}

// checkTarget returns why a redirect target or token server is forbidden, or "".
func (n *network) checkTarget(to *url.URL) string {
	if err := n.checkLiteral(to.Hostname()); err != nil {
		return err.Error()
	}
	if to.Scheme != "https" && (to.Scheme != "http" || !n.plain(to.Host)) {
		return inert(to.Scheme) + " without TLS is not allowed: if you trust the host, add it to " + n.opts.name("Insecure")
	}
	return ""
}

// connectionError returns the error of a host.
func (n *network) connectionError(host, reason string, err error) error {
	return &ConnectionError{Reference: n.ref, Host: host, Reason: reason, Err: err}
}

// redirectError returns the error of a host that redirects to a forbidden target.
func (n *network) redirectError(from, to, reason string) error {
	return n.connectionError(from, "redirects to "+to+": "+reason, nil)
}

// adviceAddress is the advice for a forbidden address.
const adviceAddress = "a registry may redirect only to public addresses and to addresses of its own kind; contact its operator"

// sameHost reports whether two URLs have the same scheme and host.
func sameHost(a, b *url.URL) bool { return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host) }

// failure converts an error of a request to a documented one with advice.
func (n *network) failure(r *http.Request, err error) error {
	var timeout *cache.TimeoutError
	var address *addressError
	var dns *net.DNSError
	switch {
	case r.Context().Err() != nil:
		return r.Context().Err()
	case errors.As(err, &dns):
		known := cause(err)
		if errors.As(err, &timeout) {
			known = timeout
		}
		return n.connectionError(r.URL.Host, unresolvedReason(r.URL.Hostname(), dns), known)
	case errors.As(err, &timeout):
		return timeout
	case errors.As(err, &address):
		return n.redirectError(n.home, r.URL.Host, address.Error())
	}
	return n.connectionError(r.URL.Host, n.connectionReason(err), cause(err))
}

// cause returns the part of an error that callers may match. The rest may quote a response.
func cause(err error) error {
	var op *net.OpError
	var verification *tls.CertificateVerificationError
	switch {
	case errors.As(err, &op):
		return op
	case errors.As(err, &verification):
		return verification
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	case errors.As(err, new(tls.RecordHeaderError)):
		return http.ErrSchemeMismatch
	}
	return nil
}

// connectionReason returns why a connection failed and what to do.
func (n *network) connectionReason(err error) string {
	switch {
	case errors.As(err, new(tls.RecordHeaderError)):
		return "uses plain HTTP, not TLS: if you trust the host, add it to " + n.opts.name("Insecure")
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return "has a certificate from an untrusted authority: add the authority to " + n.opts.name("CertificateAuthorities")
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return "has an invalid certificate: " + err.Error()
	}
	return "cannot be reached or closed the connection: " + err.Error()
}

// unresolvedReason returns the reason for a failed DNS lookup of a host or of its proxy.
func unresolvedReason(host string, err *net.DNSError) string {
	const reason = "cannot be resolved (DNS, or no network)"
	if name := strings.TrimSuffix(err.Name, "."); name != "" && !strings.EqualFold(name, strings.TrimSuffix(host, ".")) {
		return "is behind proxy " + inert(name) + ", which " + reason + ": check the proxy settings"
	}
	return reason + ": check the name and the connection"
}

// Kinds that are rejected in addition to the kinds of package guard.
const (
	metadata guard.Kind = "metadata"
	notASCII guard.Kind = "name that is not ASCII"
)

// addressError reports a forbidden address.
type addressError struct {
	addr string
	kind guard.Kind
}

// Error names the address and the reason.
func (e *addressError) Error() string {
	switch e.kind {
	case metadata:
		return e.addr + " is a cloud metadata service, which a registry must not redirect to: contact its operator"
	case notASCII:
		return e.addr + " is not an ASCII name and may be interpreted as an address: contact the operator of the registry"
	}
	return fmt.Sprintf("%s is a %s address, and the registry is not: %s", e.addr, e.kind, adviceAddress)
}
