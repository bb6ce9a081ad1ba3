package certificate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/resolver"
)

// matches verifies that a certificate is about a request.
func (cert *Certificate) matches(req *resolver.Request) error {
	if d := digest(req); cert.Request != d {
		return wrong("request", "", "it is about another request: the digest of this one is %s", d)
	}
	want := catalogs(req)
	for i, c := range want {
		if i >= len(cert.Catalogs) || cert.Catalogs[i] != c {
			return wrong("catalog", "", "it is about another content of catalog %s: the digest is %s", c.Key, c.Digest)
		}
	}
	if len(cert.Catalogs) > len(want) {
		return wrong("catalog", "", "it is about a catalog that the request does not have: %q", cert.Catalogs[len(want)].Key)
	}
	return nil
}

// catalogs lists the catalogs of a request that have content, by key.
func catalogs(req *resolver.Request) (list []Catalog) {
	for _, c := range req.Catalogs {
		if c.Content != nil {
			list = append(list, Catalog{c.Key.String(), c.Content.ContentDigest()})
		}
	}
	slices.SortFunc(list, func(a, b Catalog) int { return strings.Compare(a.Key, b.Key) })
	return list
}

// digest is that of all that a request has beside the content of its catalogs. What a veto says
// is not part of it: a check asks it again.
func digest(req *resolver.Request) string {
	type catalog struct {
		Key                 string
		Priority            int
		Labels              map[string]string
		Usable, Unavailable bool
	}
	in := struct {
		resolver.Request
		Catalogs           []catalog // which, as the others, take the place of those above
		Pins, Added, Relax []string
		Constraints, Veto  any
	}{Request: *req, Added: keys(req.Constraints), Relax: keys(req.Relax)}
	in.Now = in.Now.UTC()
	for _, c := range req.Catalogs {
		in.Catalogs = append(in.Catalogs, catalog{c.Key.String(), c.Priority, c.Labels, c.Content != nil, c.Unavailable != nil})
	}
	slices.SortFunc(in.Catalogs, func(a, b catalog) int { return strings.Compare(a.Key, b.Key) })
	in.Installed = slices.Clone(req.Installed)
	for i := range in.Installed {
		in.Installed[i].Payload = nil // the caller's own
	}
	for _, e := range req.Extensions {
		in.Pins = append(in.Pins, e.Pin)
	}
	data, err := json.Marshal(in)
	if err != nil { // it has nothing that cannot be encoded
		return ""
	}
	sum := sha256.Sum256(append(data, '\n'))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// keys lists constraints of bundles, each by all that makes it another one.
func keys(list []resolver.BundleConstraint) (out []string) {
	for _, c := range list {
		key := c.Bundle.String() + "\n"
		if c.Constraint != nil {
			key += c.Constraint.Key()
		}
		out = append(out, key)
	}
	return out
}
