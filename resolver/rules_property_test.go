package resolver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/oracle"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// asWritten is a comment. A rule with a comment is compiled as it is written, when
// its catalog is read, and not together with those that differ in their literals.
const asWritten = " //"

var (
	writtenRule = regexp.MustCompile(`"rule":"(?:[^"\\]|\\.)*`)
	column      = regexp.MustCompile(`column \d+`) // in which a text ends
)

// ending is a function that ends each rule in the JSON of a blob or a property with a
// text.
func ending(comment string) func(rule []byte) []byte {
	return func(rule []byte) []byte { return append(rule[:len(rule):len(rule)], comment...) }
}

// TestPropertyRulesCompiledWhenReached has nothing that is seen of a catalog or an
// answer depend on when rules are compiled and on which were compiled before: not
// what is set aside, nor words, nor what was counted. Some rules are broken.
func TestPropertyRulesCompiledWhenReached(t *testing.T) {
	r, shared := resolver.New(), newConverter()
	var rules, broken atomic.Int64
	checkProperty(t, 0.05, func(p *oracle.Problem) error {
		seen := func(c converter, comment string) string {
			out := ""
			req := c.RequestWith(p, func(cat *oracle.Catalog) *cache.Catalog {
				n := 0
				text := writtenRule.ReplaceAllFunc(bytes.Join(cat.Blobs(), []byte("\n")), func(rule []byte) []byte {
					if n++; n%5 == 0 {
						rule = ending(" && 'a' < 1")(rule)
					}
					return ending(comment)(rule)
				})
				rules.Add(int64(n))
				if len(text) == 0 {
					return cache.NewCatalog(nil, nil) // a file without blobs is an error
				}
				content := must(fbc.Read(context.Background(), bytes.NewReader(text), "", fbc.Options{Catalog: key(cat.Key), Parser: c.Parser}))
				for _, p := range content.Problems() {
					out += fmt.Sprintln(p)
					if strings.Contains(p.Message, "no matching overload") {
						broken.Add(1)
					}
				}
				return content
			})
			req.Constraints, req.Relax = nil, nil // of rules without a comment
			for i, in := range req.Installed {
				if in.Properties == nil {
					continue
				}
				var list []*properties.Property
				for prop := range in.Properties.All() {
					list = append(list, must(properties.New(prop.Type(), writtenRule.ReplaceAllFunc(prop.Raw(), ending(comment)))))
				}
				set := properties.NewSet(list...)
				req.Installed[i].Properties = &set
			}
			s, err := r.Resolve(context.Background(), req)
			var conflict *resolver.Conflict
			if errors.As(err, &conflict) {
				out += string(must(json.Marshal(conflict))) + conflict.Text()
			} else if err != nil {
				out += err.Error()
			}
			out += string(must(json.Marshal(s)))
			return column.ReplaceAllString(strings.ReplaceAll(out, asWritten, ""), "")
		}
		if reached, first := seen(shared, ""), seen(newConverter(), asWritten); reached != first {
			return fmt.Errorf("compiled when reached:\n%s\ncompiled as it is written:\n%s", reached, first)
		}
		return nil
	})
	if !testing.Short() {
		require.Positive(t, rules.Load())
		require.Positive(t, broken.Load())
	}
}

// countsLooks is a context that counts how often it is looked at.
type countsLooks struct {
	context.Context
	looks int
}

// Err implements [context.Context].
func (c *countsLooks) Err() error { c.looks++; return c.Context.Err() }

// A context is looked at before each rule that is reached, though it need not be
// evaluated: to make it ready takes time.
func TestContextIsLookedAtBeforeEachRule(t *testing.T) {
	looks := func(rules int) int {
		var blob strings.Builder
		blob.WriteString(`{"schema":"olm.package","name":"a","defaultChannel":"c"}
			{"schema":"olm.channel","package":"a","name":"c","entries":[{"name":"a.v1"}]}
			{"schema":"olm.bundle","package":"a","name":"a.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}}`)
		for i := range rules {
			fmt.Fprintf(&blob, `,{"type":"olm.constraint","value":{"any":{"constraints":[{"package":{"packageName":"a","versionRange":">=1.0.0"}},{"cel":{"rule":"properties.exists(p, p.type == 't%d')"}}]}}}`, i)
		}
		blob.WriteString("]}")
		content := must(fbc.Read(t.Context(), strings.NewReader(blob.String()), "", fbc.Options{}))
		require.Empty(t, content.Problems())
		ctx := &countsLooks{Context: t.Context()}
		must(resolver.New().Resolve(ctx, resolver.Request{Namespace: "ns",
			Catalogs:      []resolver.Catalog{{Key: cache.Key{Namespace: "ns", Name: "c"}, Content: content}},
			Subscriptions: []resolver.Subscription{{Name: "a", Package: "a"}}}))
		return ctx.looks
	}
	require.GreaterOrEqual(t, looks(120)-looks(20), 100)
}
