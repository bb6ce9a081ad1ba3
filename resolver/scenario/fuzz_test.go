package scenario_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// FuzzScenario feeds any bytes as a scenario: reading does not panic, what it
// refuses it explains, what it accepts it writes and reads back the same, and
// resolving that ends in one of the four statuses. Catalogs are read from inside
// the file alone.
func FuzzScenario(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "[]", "null", "namespace: a", everything, upgrade, base,
		problem("subscriptions: [{name: b, package: backup}]\nexpect: {status: resolved, set: [backup.v1.0.0]}"),
		problem("subscriptions: [{name: b, package: backup}]\nwhatif: [{name: w, forbid: [{bundle: etcd.v0.9.4}]}]\nexpect: {whatif: [{name: w}]}"),
		"a: &a [*a]", "<<: {namespace: b}", "namespace: !!binary aGk=", "catalogs: [{name: c, blobs: [1, null, [], {}]}]",
		"installed: [{name: a.v1, properties: [{type: olm.constraint, value: {all: {constraints: []}}}]}]",
		"{\"namespace\": \"a\", \"namespace\": \"b\"}", "\xff\xfe", "\ufeffnamespace: a",
	} {
		f.Add([]byte(seed))
	}
	runner := &scenario.Runner{Resolver: resolver.New(resolver.WithLimits(resolver.Limits{Solves: 200, Bundles: 1000, CELCost: 100_000})), NoCorrections: true}
	f.Fuzz(func(t *testing.T, data []byte) {
		ctx := context.Background()
		s, err := scenario.Parse(ctx, "p.yaml", data)
		if err != nil {
			var bad *scenario.Error
			if !errors.As(err, &bad) || len(bad.Problems) == 0 || err.Error() == "" {
				t.Fatalf("not explained: %#v", err)
			}
			return
		}
		want := testkit.Must(json.Marshal(s))(t)
		for _, form := range []scenario.Format{scenario.YAML, scenario.JSON} {
			var out bytes.Buffer
			if err := s.Write(&out, form); err != nil {
				t.Fatal(err)
			}
			again, err := scenario.Parse(ctx, "p.yaml", out.Bytes())
			if err != nil {
				t.Fatalf("%v in\n%s", err, out.Bytes())
			}
			if got, err := json.Marshal(again); err != nil || !bytes.Equal(want, got) {
				t.Fatalf("want %s\ngot  %s (%v)\nfrom %s", want, got, err, out.Bytes())
			}
		}
		for _, c := range s.Catalogs {
			if c.Path != "" {
				return
			}
		}
		if a := runner.Run(ctx, s); a.Status == "" {
			t.Fatal("no status")
		}
		if _, _, err := runner.Test(ctx, s); err != nil && !errors.Is(err, scenario.ErrNoExpectation) {
			t.Fatal(err)
		}
	})
}
