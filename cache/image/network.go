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

// network asks one registry, and the hosts that it leads to, during one load.
// Its close ends all that it began.
type network struct {
	*loading
	home string // host of the registry, with its port
	// metadata is whether the registry is named as the metadata service of a cloud is.
	metadata bool

	open      context.Context // ends with close
	cancel    context.CancelFunc
	transport *http.Transport
	pending   sync.WaitGroup // dials and connections

	mu    sync.Mutex
	reach guard.Kind // of the registry, empty before the first connection
}

// route is how a request is sent. The context of a request has it, since what a
// connection may be made with depends on that: a host that is called like a proxy may
// also be led to, on any port, and no proxy is asked for this machine, or for what
// NO_PROXY names.
type route struct {
	proxy *url.URL // nil if it is sent directly
	home  bool     // whether it is for the registry itself
}

type routeKey struct{}

func routeOf(ctx context.Context) route {
	r, _ := ctx.Value(routeKey{}).(route)
	return r
}

func newNetwork(l *loading, home string) *network {
	n := &network{loading: l, home: home}
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
			pool = x509.NewCertPool() // a system without any
		}
		pool.AppendCertsFromPEM(authorities)
		n.transport.TLSClientConfig.RootCAs = pool
	}
	return n
}

func (n *network) close() {
	n.mu.Lock() // no dial begins any more
	n.cancel()
	n.mu.Unlock()
	n.transport.CloseIdleConnections()
	n.pending.Wait()
}

// dial makes a connection, unless it is to an address that the registry must
// not lead to. The context of a dial outlives its request, so it ends with the
// network too.
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
			ap, _ := netip.ParseAddrPort(address) // one that is invalid is special
			return n.check(ap.Addr(), by.home)
		}
	}
	conn, err := d.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	n.keep(conn, by.home && by.proxy == nil)
	return conn, nil
}

// check returns an error for an address that must not be asked. Whoever named the
// registry means it, so that its first connection says of which kind it is; but the metadata
// service of a cloud has to be named as such.
func (n *network) check(a netip.Addr, isHome bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	kind := guard.Of(a)
	meant := isHome && (n.reach == "" || n.reach == kind)
	switch {
	case !meant && !guard.MayLead(n.reach, kind):
		return &addressError{a.String(), kind}
	case guard.IsMetadata(a) && !(isHome && n.metadata):
		return &addressError{a.String(), metadata}
	}
	return nil
}

// checkLiteral returns an error for the name of a host that is an address that
// must not be asked, in any form that a proxy may understand. Behind a proxy nothing
// else is checked.
func (n *network) checkLiteral(host string) error {
	home := hostname(n.home)
	switch {
	case strings.EqualFold(strings.TrimRight(host, "."), strings.TrimRight(home, ".")):
		return nil
	case guard.IsMetadataName(host):
		return &addressError{inert(host), metadata}
	case guard.IsLocalName(host) && guard.IsLocalName(home):
		return nil
	case guard.IsLocalName(host): // that of the proxy, if it is asked
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

// keep closes a connection at the end, and notes of which kind the registry is.
func (n *network) keep(conn net.Conn, isHome bool) {
	n.pending.Add(1) // beside the dial
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

// plain reports whether a host may be asked without TLS.
func (n *network) plain(host string) bool {
	name := hostname(host)
	a, err := netip.ParseAddr(name)
	return slices.Contains(n.opts.Insecure, host) || name == "localhost" || err == nil && guard.Of(a) == guard.Loopback
}

func hostname(host string) string {
	return (&url.URL{Host: host}).Hostname()
}

// send sends a request: each wait has an end. Errors are those that the package
// describes.
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

// route says how a request is sent. Who asks the registry through a proxy does not see
// its address: it counts as a public one.
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

// mayLead returns why a host that the registry names must not be asked, or "".
func (n *network) mayLead(to *url.URL) string {
	if err := n.checkLiteral(to.Hostname()); err != nil {
		return err.Error()
	}
	if to.Scheme != "https" && (to.Scheme != "http" || !n.plain(to.Host)) {
		return "by " + inert(to.Scheme) + ", without TLS: if that host can be trusted, name it in Options.Insecure"
	}
	return ""
}

// broken returns the error of a host.
func (n *network) broken(host, reason string, err error) error {
	return &ConnectionError{Reference: n.ref, Host: host, Reason: reason, Err: err}
}

// led returns the error of a host that leads to where it must not.
func (n *network) led(from, to, reason string) error {
	return n.broken(from, "leads to "+to+", "+reason, nil)
}

// adviceAddress says what to do about an address that is refused.
const adviceAddress = "a registry may lead to public addresses and to those of its own kind; tell whoever runs it"

// sameHost reports whether two URLs are of one host, with one scheme.
func sameHost(a, b *url.URL) bool { return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host) }

// failure makes an error of a request one that says what to do.
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
		return n.broken(r.URL.Host, unresolvedReason(r.URL.Hostname(), dns), known)
	case errors.As(err, &timeout):
		return timeout
	case errors.As(err, &address):
		return n.led(n.home, r.URL.Host, address.Error())
	}
	return n.broken(r.URL.Host, connectionReason(err), cause(err))
}

// cause returns the part of an error that callers may look for. What else there
// is may quote an answer.
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

// connectionReason says why a host could not be asked, and what to do.
func connectionReason(err error) string {
	switch {
	case errors.As(err, new(tls.RecordHeaderError)):
		return "speaks plain HTTP, not TLS: if it can be trusted, name it in Options.Insecure"
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return "has a certificate of an authority that is not trusted: give it in Options.CertificateAuthorities"
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return "has a certificate that is not valid for it: " + err.Error()
	}
	return "cannot be reached, or broke the connection: " + err.Error()
}

// unresolvedReason says that the address of a host, or of the proxy before it, could not be
// looked up.
func unresolvedReason(host string, err *net.DNSError) string {
	const reason = "cannot be resolved (DNS, or no network)"
	if name := strings.TrimSuffix(err.Name, "."); name != "" && !strings.EqualFold(name, strings.TrimSuffix(host, ".")) {
		return "is asked through " + inert(name) + ", which " + reason + ": check the settings of the proxy"
	}
	return reason + ": check the name and the connection"
}

// What else is refused beside kinds of addresses.
const (
	metadata guard.Kind = "metadata"
	notASCII guard.Kind = "name that is not ASCII"
)

// addressError says that an address may not be asked.
type addressError struct {
	addr string
	kind guard.Kind
}

// Error names the address.
func (e *addressError) Error() string {
	switch e.kind {
	case metadata:
		return e.addr + " is the metadata service of a cloud, which a registry must not lead to: tell whoever runs it"
	case notASCII:
		return e.addr + " is not a name in ASCII, and may be read as an address: tell whoever runs the registry"
	}
	return fmt.Sprintf("%s is a %s address, and the registry is not: %s", e.addr, e.kind, adviceAddress)
}
