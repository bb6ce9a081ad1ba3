package constraints

import (
	"fmt"
	"testing"
)

func BenchmarkParse(b *testing.B) {
	p := NewParser()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := p.Parse(fmt.Appendf(nil, `{"failureMessage":"needs pkg-%d","cel":{"rule":"properties.exists(p, p.type == 'olm.package' && p.value.packageName == 'pkg-%d' && semver_compare(p.value.version, '1.2.0') >= 0)"}}`, i, i)); err != nil {
			b.Fatal(err)
		}
	}
}
