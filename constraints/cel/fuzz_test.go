package cel

import (
	"context"
	"testing"
	"time"

	"github.com/seed109e2655/resolute/properties"
)

// FuzzCEL compiles and evaluates any text: it does not panic or hang, a rule compiled from its
// shape equals the rule compiled directly, and Needs is implied by a match.
func FuzzCEL(f *testing.F) {
	for _, rule := range []string{
		``, `true`, `properties.exists(p, p.type == "certified")`,
		`properties.exists(p, p.type == "olm.package" && p.value.packageName == "blue" && semver_compare(p.value.version, "1.10.0") < 0)`,
		`!properties.all(p, p.type != "a") || properties.filter(p, p.type == "b").size() > 0`,
		`"a" in properties.map(p, p.value == 1, p.type) ? cluster == [] : "a".matches("(a+)+b")`,
		`[[1]].map(x, [x, x]).map(x, [x, x]) == [1].map(x, {x: x})`,
		`has(properties[0].value.x) && {"a": 1}.exists_one(k, k == "a") && b"a" + b"b" != b""`,
		`properties.exists(p, p.type == 'a' && p.value > -17) || ''.size() == 0 // it's`, `'a'+r'b'+"""c"""+b'd'`,
		"\x00'\xff", `"\u202e"`, `((((`, `1u < 2.5`,
	} {
		f.Add(rule, `{"packageName": "blue", "version": "1.2.3"}`)
	}
	f.Add(`properties[0].value.a[0] == 1e400`, `{"a": [1e999, "\ud800", null], "a": []}`)
	compiler := NewCompiler(Options{CostLimit: 10_000})
	f.Fuzz(func(t *testing.T, rule, value string) {
		p, err := compiler.Compile(rule)
		if err != nil {
			return
		}
		var s properties.Set
		if prop, err := properties.New("certified", []byte(value)); err == nil {
			s = properties.NewSet(prop)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		match, _, err := p.Eval(ctx, s, properties.Set{})
		if err != nil && ctx.Err() != nil {
			t.Fatalf("does not terminate: %q", rule)
		}
		if match && !p.Needs().Maybe(s) {
			t.Fatalf("%q needs %+v but matches %v", rule, p.Needs(), s)
		}
	})
}
