package guard

import "net/netip"

// Kind is from where an address can be reached.
type Kind string

// The kinds of addresses.
const (
	Public   Kind = "public"
	Private  Kind = "private"
	Loopback Kind = "loopback"
	Link     Kind = "link-local"
	// Special addresses are those that no server has: unspecified, multicast,
	// reserved.
	Special Kind = "special"
)

// privateRanges are private beside those that [netip.Addr.IsPrivate] knows:
// shared by carriers (RFC 6598), and for tests of networks (RFC 2544).
var privateRanges = [...]netip.Prefix{netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("198.18.0.0/15")}

// embedding are ranges of IPv6 with an address of IPv4 in them, and the byte
// where it begins: NAT64 (RFC 6052) and 6to4 (RFC 3056).
var embedding = [...]struct {
	prefix netip.Prefix
	at     int
}{{netip.MustParsePrefix("64:ff9b::/96"), 12}, {netip.MustParsePrefix("2002::/16"), 2}}

// Of returns from where an address can be reached.
func Of(a netip.Addr) Kind {
	a = a.WithZone("").Unmap()
	for _, e := range embedding {
		if e.prefix.Contains(a) {
			b := a.As16()
			a = netip.AddrFrom4([4]byte(b[e.at : e.at+4]))
			break
		}
	}
	switch {
	case a.IsLoopback():
		return Loopback
	case a.IsLinkLocalUnicast(), a.IsLinkLocalMulticast():
		return Link
	case a.IsPrivate():
		return Private
	case !a.IsValid(), a.IsUnspecified(), a.IsMulticast(), a.Is4() && (a.As4()[0] == 0 || a.As4()[0] >= 240):
		return Special
	}
	for _, p := range privateRanges {
		if p.Contains(a) {
			return Private
		}
	}
	return Public
}

// MayLead reports whether a registry with an address of one kind may lead to
// one of another: to public ones, and to those of its own kind.
func MayLead(from, to Kind) bool { return to == Public || to == from && to != Special }
