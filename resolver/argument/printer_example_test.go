package argument_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
)

const shop = `{"schema":"olm.package","name":"shop","defaultChannel":"stable"}
{"schema":"olm.channel","package":"shop","name":"stable","entries":[{"name":"shop.v1"}]}
{"schema":"olm.bundle","package":"shop","name":"shop.v1","properties":[{"type":"olm.package","value":{"packageName":"shop","version":"1.0.0"}},
{"type":"olm.constraint","value":{"failureMessage":"orders are kept there","package":{"packageName":"postgres","versionRange":">=15.0.0"}}}]}
{"schema":"olm.package","name":"postgres","defaultChannel":"stable"}
{"schema":"olm.channel","package":"postgres","name":"stable","entries":[{"name":"postgres.v14"}]}
{"schema":"olm.bundle","package":"postgres","name":"postgres.v14","properties":[{"type":"olm.package","value":{"packageName":"postgres","version":"14.0.0"}}]}
`

// bricks prints conflicts in words of its own, in capitals and arrows: it makes every
// sentence from the kinds, bundles and facts, and needs none of ours. A printer like
// this can do all that the one of this module does, for that one is made of the same.
func bricks(c *resolver.Conflict) string {
	var b strings.Builder
	c.Argument().Walk(func(depth int, s *argument.Statement) {
		b.WriteString(strings.Repeat("   ", depth))
		who := strings.Join(s.Bundles, " + ")
		switch s.Kind {
		case "asked":
			f := c.Facts[s.Facts[0]]
			fmt.Fprintf(&b, "WANTED: %s %s", f.Kind, f.Subject)
		case "requires":
			fmt.Fprintf(&b, "%s -> %s", who, c.Facts[s.Facts[0]].Constraint)
		case "nearMiss":
			fmt.Fprintf(&b, "(%s is not it)", who)
		case "nothing":
			b.WriteString("NOTHING THERE")
		default:
			fmt.Fprintf(&b, "%s: %s", strings.ToUpper(string(s.Kind)), who)
		}
		if s.Message != "" {
			fmt.Fprintf(&b, " — %s", s.Message)
		}
		b.WriteString("\n")
	})
	return b.String()
}

// A program prints conflicts in its own words.
func Example_foreignPrinter() {
	ctx := context.Background()
	catalog, err := fbc.Read(ctx, strings.NewReader(shop), "shop.jsonl", fbc.Options{})
	if err != nil {
		log.Fatal(err)
	}
	_, err = resolver.New().Resolve(ctx, resolver.Request{
		Catalogs:      []resolver.Catalog{{Key: cache.Key{Namespace: "olm", Name: "shop"}, Content: catalog}},
		Subscriptions: []resolver.Subscription{{Name: "shop", Package: "shop"}},
	})
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		fmt.Print(bricks(conflict))
	}
	// Output:
	// WANTED: subscription shop
	//    shop.v1 -> package postgres in range >=15.0.0 — orders are kept there
	//       NOTHING THERE
	//          (postgres.v14 is not it)
}
