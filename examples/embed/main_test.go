package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

func Example() {
	if err := install(context.Background(), os.Stdout, store, resolver.Subscription{Name: "mine", Package: "shop"}); err != nil {
		fmt.Println(err)
	}
	err := install(context.Background(), os.Stdout, store, resolver.Subscription{Name: "mine", Package: "shop", Channels: []string{"fast"}})
	fmt.Println(err)
	// Output:
	// wave 0: row 11, queue.v1
	// wave 1: row 14, shop.v1
	// constraints not satisfiable: no operators found in channel fast of package shop in the catalog referenced by subscription mine, subscription mine exists
}

// Each conflict is described in the words of OLM Classic, from its facts.
func TestInOtherWords(t *testing.T) {
	const prefix, found = "constraints not satisfiable: ", " in the catalog referenced by subscription mine, subscription mine exists"
	twice := []resolver.Subscription{{Name: "mine", Package: "queue"}, {Name: "yours", Package: "rabbit"}}
	for want, asked := range map[string][]resolver.Subscription{
		"no operators found in package shoe" + found:                         {{Name: "mine", Package: "shoe"}},
		"no operators found in channel fast of package shop" + found:         {{Name: "mine", Package: "shop", Channels: []string{"fast"}}},
		"no operators found for startingCSV shop.v9 of package shop" + found: {{Name: "mine", Package: "shop", StartingCSV: "shop.v9"}},
		"no operators found for catalog olm/other of package shop" + found:   {{Name: "mine", Package: "shop", Catalog: cache.Key{Namespace: "olm", Name: "other"}}},
		"forbidden queue.v2 loses messages, subscription mine requires olm/store/stable/queue.v2 (row 12), subscription mine exists": {
			{Name: "mine", Package: "queue", StartingCSV: "queue.v2"}},
		"only one of queue.v2 and queue.v1 and rabbit.v3 is allowed for gvk example.com/v1/Queue, " +
			"subscription yours requires olm/store/stable/rabbit.v3 (row 13), subscription yours exists, " +
			"subscription mine requires olm/store/stable/queue.v2 (row 12), subscription mine requires olm/store/stable/queue.v1 (row 11), subscription mine exists": twice,
	} {
		require.EqualError(t, install(t.Context(), io.Discard, store, asked...), prefix+want)
	}
	alone := []row{{ID: 1, Package: "shop", Name: "shop.v1", Needs: queue}}
	require.EqualError(t, install(t.Context(), io.Discard, alone, resolver.Subscription{Name: "mine", Package: "shop"}),
		prefix+"bundle shop.v1 requires an operator that provides example.com/v1/Queue, subscription mine requires olm/store/stable/shop.v1 (row 1), subscription mine exists")
}

func TestRowThatCannotBeIsAnError(t *testing.T) {
	var cause *graph.Problem
	require.ErrorAs(t, install(t.Context(), io.Discard, []row{{ID: 7, Package: "shop", Name: "shop.v1", Provides: properties.GVK{Kind: "Shop"}}}), &cause)
	require.Equal(t, graph.Code("propertyInvalid"), cause.Code)
}

// TestReadmeShowsTheProgram: the excerpt in README.md matches the program.
func TestReadmeShowsTheProgram(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	program, err := os.ReadFile("main.go")
	require.NoError(t, err)
	_, after, _ := strings.Cut(string(readme), "(examples/embed/main.go)")
	shown := regexp.MustCompile("(?s)```go\n(.*?)```").FindStringSubmatch(after)
	require.NotNil(t, shown, "the block behind the link to this program")
	indented := "\t" + strings.ReplaceAll(strings.TrimSpace(shown[1]), "\n", "\n\t")
	require.Contains(t, string(program), indented)
}
