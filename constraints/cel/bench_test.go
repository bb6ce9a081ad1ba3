package cel

import "testing"

const typicalRule = `properties.exists(p, p.type == "olm.package" && p.value.packageName == "blue" && semver_compare(p.value.version, "1.10.0") < 0)`

func BenchmarkCompile(b *testing.B) {
	c := NewCompiler(Options{})
	for b.Loop() {
		if _, err := c.Compile(typicalRule); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEval(b *testing.B) {
	p, bundle := compile(b, typicalRule), Convert(set(b, blue))
	b.ReportAllocs()
	for b.Loop() {
		if match, _, err := p.Eval(b.Context(), bundle, Value{}); !match || err != nil {
			b.Fatal(match, err)
		}
	}
}
