package image_test

import (
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/image"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestBrokenTLS: a certificate of an authority that is trusted, and yet not valid,
// is refused, also where our clock has jumped.
func TestBrokenTLS(t *testing.T) {
	now := time.Now()
	home := net.IPv4(127, 0, 0, 1)
	for name, tt := range map[string]struct {
		template x509.Certificate
		says     string
	}{
		"expired":        {x509.Certificate{NotBefore: now.Add(-48 * time.Hour), NotAfter: now.Add(-24 * time.Hour), IPAddresses: []net.IP{home}}, "not valid for it"},
		"of tomorrow":    {x509.Certificate{NotBefore: now.Add(24 * time.Hour), NotAfter: now.Add(48 * time.Hour), IPAddresses: []net.IP{home}}, "not valid for it"},
		"of another":     {x509.Certificate{NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 2)}}, "not valid for it"},
		"without a name": {x509.Certificate{NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour)}, "not valid for it"},
	} {
		t.Run(name, func(t *testing.T) {
			der, key := certificate(t, tt.template)
			r := &registry{img: good(t)}
			r.Server = httptest.NewUnstartedServer(r)
			r.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
			r.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
			r.StartTLS()
			defer r.Close()
			err := fails(t, r.ref(), image.Options{CertificateAuthorities: pemOf(der)})
			testkit.As[*image.ConnectionError](t, err)
			require.ErrorContains(t, err, tt.says)
		})
	}
}
