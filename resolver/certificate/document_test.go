package certificate_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/certificate"
)

// TestAlgorithmProof: the certificate that ALGORITHM.md shows is that of its first problem, and
// it is true.
func TestAlgorithmProof(t *testing.T) {
	doc := string(testkit.Must(os.ReadFile("../ALGORITHM.md"))(t))
	problem := regexp.MustCompile("(?s)```problem\n(.*?)```").FindStringSubmatch(doc)
	shown := regexp.MustCompile("(?s)```certificate\n(.*?)```").FindStringSubmatch(doc)
	require.NotNil(t, problem)
	require.NotNil(t, shown)
	req := universe.Request(t, problem[1])
	cert := testkit.Must(certificate.Make(ctx, resolver.New(), req))(t)
	require.NoError(t, certificate.Check(ctx, req, cert))
	require.Equal(t, shown[1], written(t, cert))
}

// written has a line for each bundle, lemma and decision of a certificate.
func written(t *testing.T, cert *certificate.Certificate) string {
	var out strings.Builder
	line := func(what string, v any) {
		fmt.Fprintf(&out, "%s %s\n", what, testkit.Must(json.Marshal(v))(t))
	}
	for _, b := range cert.Bundles {
		line("bundle", b)
	}
	for i, l := range cert.Lemmas {
		hints := []int{}
		if i < len(cert.Hints) {
			hints = cert.Hints[i]
		}
		fmt.Fprintf(&out, "lemma %d %v by %v\n", i+1, l, hints)
	}
	for _, d := range cert.Decisions {
		line("decision", d)
	}
	line("set", cert.Set)
	return out.String()
}
