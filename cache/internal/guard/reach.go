package guard

import (
	"net/netip"
	"strconv"
	"strings"
)

// Kind is the reachability of an address.
type Kind string

// Kinds of addresses.
const (
	Public   Kind = "public"
	Private  Kind = "private"
	Loopback Kind = "loopback"
	Link     Kind = "link-local"
	// Special addresses belong to no server: unspecified, multicast, reserved.
	Special Kind = "special"
)

// ranges are the ranges in IANA's special-purpose address registries that are not globally
// reachable. Exceptions within a range come first. [netip.Addr] covers the others.
var ranges = [...]struct {
	prefix netip.Prefix
	kind   Kind
}{
	{netip.MustParsePrefix("192.0.0.9/32"), Public},
	{netip.MustParsePrefix("192.0.0.10/32"), Public},
	{netip.MustParsePrefix("2001:1::1/128"), Public},
	{netip.MustParsePrefix("2001:1::2/128"), Public},
	{netip.MustParsePrefix("2001:1::3/128"), Public},
	{netip.MustParsePrefix("2001:3::/32"), Public},
	{netip.MustParsePrefix("2001:4:112::/48"), Public},
	{netip.MustParsePrefix("2001:20::/28"), Public},
	{netip.MustParsePrefix("2001:30::/28"), Public},
	{netip.MustParsePrefix("0.0.0.0/8"), Special},
	{netip.MustParsePrefix("100.64.0.0/10"), Private},
	{netip.MustParsePrefix("192.0.0.0/24"), Special},
	{netip.MustParsePrefix("192.0.2.0/24"), Special},
	{netip.MustParsePrefix("192.88.99.0/24"), Special},
	{netip.MustParsePrefix("198.18.0.0/15"), Private},
	{netip.MustParsePrefix("198.51.100.0/24"), Special},
	{netip.MustParsePrefix("203.0.113.0/24"), Special},
	{netip.MustParsePrefix("240.0.0.0/4"), Special},
	{netip.MustParsePrefix("2001:2::/48"), Private},
	{netip.MustParsePrefix("2001::/23"), Special},
	{netip.MustParsePrefix("2001:db8::/32"), Special},
	{netip.MustParsePrefix("3fff::/20"), Special},
	{netip.MustParsePrefix("2000::/3"), Public},
	{netip.MustParsePrefix("fec0::/10"), Private},
	{netip.MustParsePrefix("::/0"), Special}, // unallocated
}

// embedding lists IPv6 ranges that embed an IPv4 address, and the offset of its first byte:
// NAT64 (RFC 6052) and 6to4 (RFC 3056).
var embedding = [...]struct {
	prefix netip.Prefix
	offset int
}{{netip.MustParsePrefix("64:ff9b::/96"), 12}, {netip.MustParsePrefix("2002::/16"), 2}}

// plain returns an address without its zone, or the embedded IPv4 address.
func plain(a netip.Addr) netip.Addr {
	a = a.WithZone("").Unmap()
	for _, e := range embedding {
		if e.prefix.Contains(a) {
			b := a.As16()
			return netip.AddrFrom4([4]byte(b[e.offset : e.offset+4]))
		}
	}
	return a
}

// Of returns the kind of an address.
func Of(a netip.Addr) Kind {
	a = plain(a)
	switch {
	case a.IsLoopback():
		return Loopback
	case a.IsLinkLocalUnicast(), a.IsLinkLocalMulticast():
		return Link
	case a.IsPrivate():
		return Private
	case !a.IsValid(), a.IsUnspecified(), a.IsMulticast():
		return Special
	}
	for _, r := range ranges {
		if r.prefix.Contains(a) {
			return r.kind
		}
	}
	return Public
}

// MayLead reports whether a registry with an address of kind from may redirect to one of kind
// to: to public addresses and to its own kind.
func MayLead(from, to Kind) bool { return to == Public || to == from && to != Special }

// metadata lists the addresses of cloud metadata services, which issue credentials to machines.
var metadata = [...]netip.Addr{
	netip.MustParseAddr("169.254.169.254"), netip.MustParseAddr("169.254.170.2"), netip.MustParseAddr("169.254.170.23"),
	netip.MustParseAddr("169.254.42.42"), netip.MustParseAddr("169.254.0.23"), netip.MustParseAddr("100.100.100.200"),
	netip.MustParseAddr("192.0.0.192"), netip.MustParseAddr("168.63.129.16"), netip.MustParseAddr("fd00:ec2::254"),
	netip.MustParseAddr("fd00:ec2::23"), netip.MustParseAddr("fd20:ce::254"), netip.MustParseAddr("fd00:42::42"),
}

// IsMetadata reports whether an address belongs to a cloud metadata service.
func IsMetadata(a netip.Addr) bool {
	a = plain(a)
	for _, m := range metadata {
		if a == m {
			return true
		}
	}
	return false
}

// IsMetadataName reports whether a host name belongs to a cloud metadata service.
func IsMetadataName(host string) bool {
	switch name(host) {
	case "metadata", "metadata.google.internal", "metadata.goog", "metadata.tencentyun.com", "metadata.azure.internal", "instance-data", "instance-data.ec2.internal":
		return true
	}
	return false
}

// IsLocalName reports whether a name resolves to the local machine (RFC 6761).
func IsLocalName(host string) bool {
	return name(host) == "localhost" || strings.HasSuffix(name(host), ".localhost")
}

// name returns a host name in lowercase, without trailing dots.
func name(host string) string { return strings.ToLower(strings.TrimRight(host, ".")) }

// Literals returns the addresses that a host name may be parsed as. It also accepts the
// notations of inet_aton, 1 to 4 numbers, where some implementations parse a leading zero as
// octal and others as decimal. A name that ends in a number but is not an address results in an
// invalid address, any other name in none.
func Literals(host string) []netip.Addr {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}
	}
	parts := strings.Split(name(host), ".")
	if !isNumber(parts[len(parts)-1]) {
		return nil
	}
	octal, decimal := fromNumbers(parts, 8), fromNumbers(parts, 10)
	switch {
	case octal == decimal, !decimal.IsValid():
		return []netip.Addr{octal}
	case !octal.IsValid():
		return []netip.Addr{decimal}
	}
	return []netip.Addr{octal, decimal}
}

// isNumber reports whether a label of a name is a number.
func isNumber(part string) bool {
	digits := "0123456789"
	if hex, ok := strings.CutPrefix(part, "0x"); ok {
		part, digits = "0"+hex, "0123456789abcdef"
	}
	return part != "" && strings.Trim(part, digits) == ""
}

// fromNumbers returns the address of some numbers, or an invalid one. The last number fills all
// remaining bytes. base is the base of numbers with a leading zero.
func fromNumbers(parts []string, base int) (none netip.Addr) {
	if len(parts) > 4 {
		return none
	}
	var all uint64
	for i, part := range parts {
		bits, b := 8, 10
		if i == len(parts)-1 {
			bits = 8 * (4 - i)
		}
		if !isNumber(part) {
			return none
		}
		if hex, ok := strings.CutPrefix(part, "0x"); ok {
			part, b = "0"+hex, 16
		} else if part[0] == '0' {
			b = base
		}
		n, err := strconv.ParseUint(part, b, bits)
		if err != nil {
			return none
		}
		all = all<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(all >> 24), byte(all >> 16), byte(all >> 8), byte(all)})
}
