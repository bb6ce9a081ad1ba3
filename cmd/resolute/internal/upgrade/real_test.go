package upgrade_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
)

// realCatalog reads a real catalog, and skips where there is none.
func realCatalog(t *testing.T, name string) *cache.Catalog {
	return testkit.Must(fbc.LoadPath(t.Context(), testkit.Real(t, name), fbc.Options{Catalog: community}))(t)
}

// TestHeadsWithoutAWayOn: of the 583 heads that the channels of the community catalog of
// 4.14 have (several in a broken channel), 59 have no way on in that of 4.19: of 20 the
// package is gone, of 30 the channel, and 9 have no edge. A program of another language
// counted the same from the text of the catalogs; the ten that are named were looked up by
// hand in them.
func TestHeadsWithoutAWayOn(t *testing.T) {
	today, next := realCatalog(t, "community-v4.14-full.jsonl.gz"), realCatalog(t, "community-v4.19-full.jsonl.gz")
	byHand := map[string]string{
		"forklift-operator stable-v2.6 forklift-operator.v2.6.3":                                   "packageGone",
		"zookeeper-operator alpha zookeeper-operator.v0.17.10":                                     "packageGone",
		"registry-operator beta registry-operator.v0.3.0":                                          "packageGone",
		"stolostron community-0.5 stolostron.v0.5.3":                                               "channelGone",
		"kepler-operator dev-preview kepler-operator.v0.10.0":                                      "channelGone",
		"project-quay stable-3.18 quay-operator.v3.18.0":                                           "channelGone",
		"sailoperator 3.0-dp1 sailoperator.v3.0.0-dp1":                                             "channelGone",
		"shipwright-operator alpha shipwright-operator.v0.13.0":                                    "noEdge",
		"kaoto-operator alpha kaoto-operator.v2.11.0":                                              "noEdge",
		"yaks alpha yaks-operator.v0.19.2":                                                         "noEdge",
		"argocd-operator alpha " + headOf(today, "argocd-operator", "alpha"):                       "",
		"rabbitmq-cluster-operator stable " + headOf(today, "rabbitmq-cluster-operator", "stable"): "",
	}
	heads, found, looked := 0, make(map[string]int), 0
	r := resolver.New()
	for p := range today.Packages() {
		for _, ch := range p.Channels {
			taken := make(map[string]bool)
			for _, e := range ch.Entries {
				taken[e.Replaces] = true
				for _, s := range e.Skips() {
					taken[s] = true
				}
			}
			for _, e := range ch.Entries {
				if taken[e.Name] {
					continue
				}
				heads++
				req := resolver.Request{Catalogs: []resolver.Catalog{{Key: community, Content: today}},
					Installed:     []resolver.Installed{{Name: e.Name, Package: p.Name}},
					Subscriptions: []resolver.Subscription{{Name: "s", Package: p.Name, Channels: []string{ch.Name}, InstalledCSV: e.Name}}}
				report, err := upgrade.Check(context.Background(), r, req, upgrade.Options{Versions: []upgrade.Version{{Catalogs: []upgrade.NextCatalog{{For: community.String(), Content: next}}}}})
				require.NoError(t, err)
				var code string
				for _, why := range report.Operators[0].Reasons {
					if why.Code == "packageGone" || why.Code == "channelGone" || why.Code == "noEdge" {
						code = why.Code
						found[code]++
						require.Contains(t, []upgrade.Verdict{upgrade.NoWay, upgrade.Gone}, report.Operators[0].Verdict)
					}
				}
				if want, ok := byHand[p.Name+" "+ch.Name+" "+e.Name]; ok {
					require.Equal(t, want, code, e.Name)
					looked++
				}
			}
		}
	}
	require.Equal(t, 583, heads)
	require.Equal(t, map[string]int{"packageGone": 20, "channelGone": 30, "noEdge": 9}, found)
	require.Equal(t, len(byHand), looked)
}

func headOf(c *cache.Catalog, pkg, channel string) string {
	return c.Package(pkg).Channel(channel).Head().Name
}
