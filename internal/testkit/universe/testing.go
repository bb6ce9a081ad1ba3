package universe

import (
	"context"
	"encoding/json"
	"strings"

	testify "github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/declared"
	"github.com/seed109e2655/resolute/resolver"
)

// Request makes a request from a universe, in the namespace of its first
// catalog. Like all functions of this file, it fails the test on an invalid
// line; it also fails if a catalog error quarantines something.
func Request(t testify.TestingT, source string) resolver.Request {
	u := read(t, source)
	req := u.Request
	req.Catalogs = offered(t, u)
	for _, c := range req.Catalogs {
		for _, p := range c.Content.Problems() {
			testify.False(t, p.Severity == graph.SeverityError && p.Quarantined != "", p.Error())
		}
		req.Namespace = req.Catalogs[0].Key.Namespace
	}
	return req
}

// Catalogs makes the catalogs of a universe.
func Catalogs(t testify.TestingT, source string) []resolver.Catalog {
	return offered(t, read(t, source))
}

// Content makes the single catalog of a universe.
func Content(t testify.TestingT, source string) *cache.Catalog {
	catalogs := Catalogs(t, source)
	testify.Len(t, catalogs, 1)
	return catalogs[0].Content
}

// Blobs returns the blobs of the single catalog of a universe.
func Blobs(t testify.TestingT, source string) []json.RawMessage {
	u := read(t, source)
	testify.Len(t, u.Catalogs, 1)
	return u.Catalogs[0].Blobs()
}

// JSON returns the single catalog of a universe as a file-based catalog, one
// blob per line.
func JSON(t testify.TestingT, source string) string {
	var out strings.Builder
	for _, blob := range Blobs(t, source) {
		out.Write(blob)
		out.WriteByte('\n')
	}
	return out.String()
}

// Array returns the single catalog of a universe as a JSON array, the form of
// blobs in a scenario.
func Array(t testify.TestingT, source string) string {
	text, err := json.Marshal(Blobs(t, source))
	testify.NoError(t, err)
	return string(text)
}

func read(t testify.TestingT, source string) *Universe {
	u, err := Parse(source)
	testify.NoError(t, err)
	return u
}

func offered(t testify.TestingT, u *Universe) []resolver.Catalog {
	catalogs, err := declared.Offer(context.Background(), u.Catalogs...)
	testify.NoError(t, err)
	return catalogs
}

// Solution resolves a satisfiable request.
func Solution(t testify.TestingT, req resolver.Request, opts ...resolver.Option) *resolver.Solution {
	sol, err := resolver.New(opts...).Resolve(context.Background(), req)
	testify.NoError(t, err)
	return sol
}

// Conflict resolves an unsatisfiable request.
func Conflict(t testify.TestingT, req resolver.Request, opts ...resolver.Option) *resolver.Conflict {
	_, err := resolver.New(opts...).Resolve(context.Background(), req)
	var conflict *resolver.Conflict
	testify.ErrorAs(t, err, &conflict)
	return conflict
}
