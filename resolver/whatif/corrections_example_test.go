package whatif_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// The user's own request comes first among the corrections.
func ExampleFindCorrections() {
	ctx, r := context.Background(), resolver.New()
	content, err := fbc.Read(ctx, strings.NewReader(`{"schema":"olm.package","name":"etcd","defaultChannel":"stable"}
{"schema":"olm.channel","package":"etcd","name":"stable","entries":[{"name":"etcd.v1"}]}
{"schema":"olm.channel","package":"etcd","name":"fast","entries":[{"name":"etcd.v2"}]}
{"schema":"olm.bundle","package":"etcd","name":"etcd.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"etcd","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"etcd","name":"etcd.v2","image":"i","properties":[{"type":"olm.package","value":{"packageName":"etcd","version":"2.0.0"}}]}
`), "catalog", fbc.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	req := resolver.Request{
		Namespace:     "operators",
		Catalogs:      []resolver.Catalog{{Key: cache.Key{Namespace: "olm", Name: "community"}, Content: content}},
		Subscriptions: []resolver.Subscription{{Name: "etcd", Package: "etcd", Channels: []string{"stable"}, StartingCSV: "etcd.v2"}},
	}
	_, err = r.Resolve(ctx, req)
	var conflict *resolver.Conflict
	if !errors.As(err, &conflict) {
		return
	}
	if err := whatif.FindCorrections(ctx, r, req, conflict, whatif.FindOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range conflict.Corrections {
		fmt.Println(c.Text, c.Result)
		for _, change := range c.Changes {
			fmt.Println(" ", change.Who, change.Commands)
		}
	}
	// Output:
	// release startingCSV etcd.v2 of subscription etcd [etcd.v1]
	//   administrator [kubectl -n operators patch subscription.operators.coreos.com etcd --type merge -p '{"spec":{"startingCSV":null}}']
	// let subscription etcd follow channel fast [etcd.v2]
	//   administrator [kubectl -n operators patch subscription.operators.coreos.com etcd --type merge -p '{"spec":{"channel":"fast"}}']
	// drop subscription etcd []
	//   administrator [kubectl -n operators delete subscription.operators.coreos.com etcd]
}
