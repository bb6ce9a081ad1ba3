package catalogdiff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/declared"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
)

// found says of each of [declared.Mistakes] what a comparison is to find: each finding by
// code, severity, package, channel, bundle, and the blob that it is at. Nothing else may be
// found.
var found = map[string][]string{
	"a hotfix replaces an older version and skips only the newest: the one in between is stranded": {
		"error edgeLost grafana-operator v4 grafana-operator.v4.9.0 @ channel grafana-operator v4",
		"error notInstallable grafana-operator v4 grafana-operator.v4.9.0 @ channel grafana-operator v4",
	},
	"a skipRange ends one version too early": {
		"error edgeLost prometheus beta prometheusoperator.0.47.0 @ channel prometheus beta",
	},
	"a release forgets its replaces: two heads": {
		"error newProblem grafana-operator v4 - @ channel grafana-operator v4",
	},
	"the head requires an API that nobody provides": {
		"error notInstallable rabbitmq-cluster-operator - rabbitmq-cluster-operator.v2.22.3 @ bundle rabbitmq-cluster-operator rabbitmq-cluster-operator.v2.22.3",
		"error headUnreachable rabbitmq-cluster-operator stable rabbitmq-cluster-operator.v2.22.2 @ bundle rabbitmq-cluster-operator rabbitmq-cluster-operator.v2.22.3",
	},
	"an update drops an API that a dependent requires": {
		"error dependentBroken alloydb-omni-operator - alloydb-omni-operator.v1.8.0 @ bundle cert-manager cert-manager.v1.16.5",
		"error dependentBroken kubedb-installer - kubedb-installer.v2026.2.26 @ bundle cert-manager cert-manager.v1.16.5",
	},
	"a circle of replaces": {
		"error newProblem prometheus beta - @ channel prometheus beta",
	},
	"a range of a dependency that holds no version": {
		"error notInstallable rabbitmq-messaging-topology-operator - rabbitmq-messaging-topology-operator.v1.19.3 @ bundle rabbitmq-messaging-topology-operator rabbitmq-messaging-topology-operator.v1.19.3",
		"error headUnreachable rabbitmq-messaging-topology-operator stable rabbitmq-messaging-topology-operator.v1.19.2 @ bundle rabbitmq-messaging-topology-operator rabbitmq-messaging-topology-operator.v1.19.3",
	},
	"the head is marked olm.deprecated": {
		"error dependentBroken kuadrant-operator - kuadrant-operator.v0.11.0 @ bundle limitador-operator limitador-operator.v0.11.0",
		"error dependentBroken kuadrant-operator - kuadrant-operator.v0.11.1 @ bundle limitador-operator limitador-operator.v0.11.0",
		"error dependentBroken kuadrant-operator stable kuadrant-operator.v0.10.0 @ bundle limitador-operator limitador-operator.v0.11.0",
		"error edgeLost limitador-operator stable limitador-operator.v0.10.0 @ bundle limitador-operator limitador-operator.v0.11.0",
		"error deprecated limitador-operator stable limitador-operator.v0.11.0 @ bundle limitador-operator limitador-operator.v0.11.0",
	},
	"the default channel is renamed, and the package not told": {
		"error newProblem grafana-operator - - @ package  grafana-operator",
		"error channelRemoved grafana-operator v5 - @ package  grafana-operator",
	},
	"two requirements of one bundle come to provide the same API": {
		"error clash dns-operator - dns-operator.v0.6.0 @ bundle dns-operator dns-operator.v0.6.0",
		"error dependentBroken kuadrant-operator - kuadrant-operator.v0.10.0 @ bundle dns-operator dns-operator.v0.6.0",
		"error dependentBroken kuadrant-operator - kuadrant-operator.v0.11.0 @ bundle dns-operator dns-operator.v0.6.0",
		"error dependentBroken kuadrant-operator - kuadrant-operator.v0.11.1 @ bundle dns-operator dns-operator.v0.6.0",
		"error dependentBroken kuadrant-operator - kuadrant-operator.v0.7.1 @ bundle dns-operator dns-operator.v0.2.0",
		"error dependentBroken kuadrant-operator - kuadrant-operator.v0.7.2 @ bundle dns-operator dns-operator.v0.2.0",
		"error dependentBroken kuadrant-operator stable kuadrant-operator.v0.6.1 @ bundle dns-operator dns-operator.v0.2.0",
	},
	"an exact pin on a dependency holds it back": {
		"error dependentBroken rabbitmq-messaging-topology-operator - rabbitmq-messaging-topology-operator.v1.19.3 @ bundle rabbitmq-messaging-topology-operator rabbitmq-messaging-topology-operator.v1.19.3",
		"error headUnreachable rabbitmq-messaging-topology-operator stable rabbitmq-messaging-topology-operator.v1.19.2 @ bundle rabbitmq-messaging-topology-operator rabbitmq-messaging-topology-operator.v1.19.3",
	},
	"a version is skipped that a dependent pins": { // and opm refuses what lies behind it
		"error newProblem authorino-operator stable authorino-operator.v0.10.0 @ channel authorino-operator stable",
		"error newProblem authorino-operator stable authorino-operator.v0.11.1 @ channel authorino-operator stable",
		"error edgeLost authorino-operator stable authorino-operator.v0.12.0 @ channel authorino-operator stable",
		"error newProblem authorino-operator stable authorino-operator.v0.12.0 @ channel authorino-operator stable",
		"error newProblem authorino-operator stable authorino-operator.v0.9.0 @ channel authorino-operator stable",
		"error dependentBroken kuadrant-operator - kuadrant-operator.v0.11.0 @ channel authorino-operator stable",
		"error dependentBroken kuadrant-operator - kuadrant-operator.v0.11.1 @ channel authorino-operator stable",
		"error dependentBroken kuadrant-operator stable kuadrant-operator.v0.10.0 @ channel authorino-operator stable",
		// 0.13.1 still has AuthConfig v1beta1, which 0.14.0 took away; now 0.13.0 goes past it.
		"warning crdVersionDropped authorino-operator - authorino-operator.v0.16.0 @ bundle authorino-operator authorino-operator.v0.16.0",
	},
	"an old version claims by its skipRange what is newer": {
		"error headUnreachable prometheus beta prometheusoperator.0.47.0 @ channel prometheus beta",
		"error headUnreachable prometheus beta prometheusoperator.0.56.3 @ channel prometheus beta",
	},
}

// TestPlantedMistakes plants each mistake in a copy of a whole real catalog.
func TestPlantedMistakes(t *testing.T) {
	original := planted(t)
	clean, _ := built(t, original)
	every := testkit.Times(4, 1) // a whole catalog is built for each
	for i, m := range declared.Mistakes() {
		if i%every != 0 {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			c, old := original.Clone(), clean
			if m.Before != nil {
				m.Before(c)
				old, _ = built(t, c)
			}
			m.Plant(c)
			now, lines := built(t, c)
			r := testkit.Must(catalogdiff.Compare(t.Context(), old, now, catalogdiff.Options{}))(t)
			blobs := make(map[int]string)
			for blob, line := range lines {
				blobs[line] = blob
			}
			var got []string
			for _, f := range r.Worse {
				require.Equal(t, "catalog.jsonl", f.File)
				got = append(got, strings.TrimSuffix(line(f), " @"+fmt.Sprint(f.Line)+": ")+" @ "+blobs[f.Line])
				t.Logf("%s\n    %s", got[len(got)-1], f.Text)
			}
			require.Equal(t, found[m.Name], got)
		})
	}
}
