package upgrade_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/upgrade"
)

// Upgrading a shop's front takes its database along, and leaves the rest.
func ExampleLeast() {
	const blobs = `
{"schema":"olm.package","name":"db","defaultChannel":"x"}
{"schema":"olm.channel","package":"db","name":"x","entries":[{"name":"db.v1"},{"name":"db.v2","replaces":"db.v1"}]}
{"schema":"olm.bundle","package":"db","name":"db.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"db","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"db","name":"db.v2","image":"i","properties":[{"type":"olm.package","value":{"packageName":"db","version":"2.0.0"}}]}
{"schema":"olm.package","name":"web","defaultChannel":"x"}
{"schema":"olm.channel","package":"web","name":"x","entries":[{"name":"web.v1"},{"name":"web.v2","replaces":"web.v1"}]}
{"schema":"olm.bundle","package":"web","name":"web.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"web","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"web","name":"web.v2","image":"i","properties":[{"type":"olm.package","value":{"packageName":"web","version":"2.0.0"}},{"type":"olm.package.required","value":{"packageName":"db","versionRange":">=2.0.0"}}]}
`
	ctx := context.Background()
	catalog, err := fbc.Read(ctx, strings.NewReader(blobs), "shop", fbc.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	req := resolver.Request{
		Namespace: "shop",
		Catalogs:  []resolver.Catalog{{Key: cache.Key{Namespace: "olm", Name: "shop"}, Content: catalog}},
		Installed: []resolver.Installed{{Name: "db.v1"}, {Name: "web.v1"}},
		Subscriptions: []resolver.Subscription{
			{Name: "db", Package: "db", InstalledCSV: "db.v1"},
			{Name: "web", Package: "web", InstalledCSV: "web.v1"},
		},
	}
	up, err := upgrade.Least(ctx, resolver.New(), req, []upgrade.Target{{Subscription: "web"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range up.Rounds[0].Companions {
		fmt.Printf("%s, since %s requires %s\n", c.Bundle, c.Because[0].Bundle, c.Because[0].Constraint)
	}
	// Output:
	// db.v2, since web.v2 requires package db in range >=2.0.0
}
