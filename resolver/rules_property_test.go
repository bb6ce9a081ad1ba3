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
