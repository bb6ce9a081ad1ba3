package cel

import (
	"sync"
	"testing"
)

// Rules in error are evaluated side by side too.
func TestErrorsAreSafeForConcurrentUse(t *testing.T) {
	bundle := Convert(set(t, blue))
	for _, rule := range []string{`properties[2].value > 4`, `timestamp(9223372036854775807) == timestamp(1)`, `properties[0].value.packageName + 1 == 2`, `semver_compare(properties[0].value, "1.0.0") == 0`} {
		p := compile(t, rule)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if _, _, err := p.Eval(t.Context(), bundle, Value{}); err == nil {
					t.Error("no error")
				}
			})
		}
		wg.Wait()
	}
}
