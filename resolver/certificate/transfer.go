package certificate

import "github.com/seed109e2655/resolute/resolver"

// For returns the certificate with its proof as a claim about another request. [Check] decides
// whether the proof holds there too, for example after a change of a catalog: it may fail for a
// request that has the same answer for other reasons. The digests of the result are those of the
// request, so that they differ from the receiver's in what changed. The receiver is not changed,
// and shares its proof.
func (cert *Certificate) For(req resolver.Request) *Certificate {
	return &Certificate{Version: Version, Request: digest(&req), Catalogs: catalogs(&req), Proof: cert.Proof}
}
