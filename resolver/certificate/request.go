package certificate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/seed109e2655/resolute/properties"
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

// digest is that of all that a request has beside the content of its catalogs. What a veto says
// is not part of it: a check asks it again.
func digest(req *resolver.Request) string {
	type catalog struct {
		Key                 string
		Priority            int
		Labels              map[string]string
		Usable, Unavailable bool
	}
	type installed struct {
		resolver.Installed
		Properties *properties.Set
	}
	type constraint struct {
		Bundle     resolver.BundleRef
		Constraint string
	}
	keys := func(list []resolver.BundleConstraint) (out []constraint) {
		for _, c := range list {
			out = append(out, constraint{Bundle: c.Bundle})
			if c.Constraint != nil {
				out[len(out)-1].Constraint = c.Constraint.Key()
			}
		}
		return out
	}
	in := struct {
		Namespace     string
		Catalogs      []catalog
		Installed     []installed
		Subscriptions []resolver.Subscription
		Extensions    []resolver.Extension
		Pins          []string
		Cluster       resolver.Cluster
		OperatorGroup *resolver.OperatorGroup
		Policy        resolver.Policy
		Now           *time.Time `json:",omitempty"`
		Forbid        []resolver.Forbidden
		Force         []resolver.BundleRef
		Added, Relax  []constraint
	}{Namespace: req.Namespace, Subscriptions: req.Subscriptions, Extensions: req.Extensions, Cluster: req.Cluster, OperatorGroup: req.OperatorGroup,
		Policy: req.Policy, Forbid: req.Forbid, Force: req.Force, Added: keys(req.Constraints), Relax: keys(req.Relax)}
	if now := req.Now.UTC(); !now.IsZero() {
		in.Now = &now
	}
	for _, c := range req.Catalogs {
		in.Catalogs = append(in.Catalogs, catalog{c.Key.String(), c.Priority, c.Labels, c.Content != nil, c.Unavailable != nil})
	}
	slices.SortFunc(in.Catalogs, func(a, b catalog) int { return strings.Compare(a.Key, b.Key) })
	for _, i := range req.Installed {
		i.Payload = nil // what the caller keeps there is not part of the question
		in.Installed = append(in.Installed, installed{Installed: i, Properties: i.Properties})
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
