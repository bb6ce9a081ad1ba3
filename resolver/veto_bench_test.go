package resolver_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
)

// BenchmarkVeto measures a request for twenty operators of a real catalog, and one for all that can
// be installed, without a policy, with 1,000 rules whose resolver compiled them before, and with
// 1,000 rules that are compiled for the answer. Half of the rules are about one package each, a quarter about one bundle, and a quarter about any.
func BenchmarkVeto(b *testing.B) {
	data := testkit.Data(b, "community-all.jsonl.gz")
	content := testkit.Must(fbc.Load(b.Context(), data, fbc.Options{File: "community-all.jsonl.gz"}))(b)
	req := resolver.Request{Catalogs: []resolver.Catalog{{Key: cache.Key{Namespace: "olm", Name: "community"}, Content: content}},
		Policy: resolver.Policy{Failures: resolver.FailuresPartial}}
	for p := range content.Packages() {
		req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: p.Name, Package: p.Name})
	}
	rules := make([]resolver.VetoRule, 1000)
	for i := range rules {
		rules[i].Rule = fmt.Sprintf(`bundle.name == "withdrawn.v%d"`, i)
		if i%4 == 1 {
			rules[i].Rule = fmt.Sprintf(`bundle.image.startsWith("docker.io/%d/")`, i)
		}
		if i%2 == 0 {
			rules[i].Rule = fmt.Sprintf(`bundle.package == %q && semver_compare(bundle.version, "0.0.%d") < 0`, req.Subscriptions[i%len(req.Subscriptions)].Name, i)
		}
	}
	for _, n := range []int{20, len(req.Subscriptions)} {
		req := req
		req.Subscriptions = req.Subscriptions[:n]
		run := func(name string, veto []resolver.VetoRule, of func() *resolver.Resolver) {
			b.Run(fmt.Sprintf("%d operators/%s", n, name), func(b *testing.B) {
				req.Policy.Veto = veto
				if _, err := of().Resolve(context.Background(), req); err != nil { // compiles the rules
					b.Fatal(err)
				}
				for b.Loop() {
					if _, err := of().Resolve(context.Background(), req); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		r := resolver.New()
		kept := func() *resolver.Resolver { return r }
		run("no rules", nil, kept)
		run("1000 rules", rules, kept)
		run("1000 rules, compiled anew", rules, func() *resolver.Resolver { return resolver.New() })
	}
}
