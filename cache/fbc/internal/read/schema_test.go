package read

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearSchema(t *testing.T) {
	for schema, want := range map[string]string{
		"olm.bundel": "olm.bundle", "olm.bundles": "olm.bundle", "olm.bunde": "olm.bundle", "OLM.Bundle": "olm.bundle", "olm.bundle ": "olm.bundle",
		"bundle": "olm.bundle", "olmbundle": "olm.bundle", "olm-bundle": "olm.bundle", "olm:bundle": "olm.bundle", "lom.bundle": "olm.bundle", "om.bundle": "olm.bundle",
		"olm.chanel": "olm.channel", "olm.channels": "olm.channel", "olm.pakage": "olm.package", "olm.pacakge": "olm.package",
		"olm.deprecation": "olm.deprecations", "olm.depreciations": "olm.deprecations",
		"olm.bundle": "", "olm.package": "", "olm.deprecations": "",
		// others are other programs'
		"olm.bundle.metadata": "", "helm.bundle": "", "custom.bundle": "", "olm.csv": "", "olm.catalog": "", "olm.semver": "", "olm.template.basic": "", "olm.composite": "",
		"io.example.channel": "", "x": "", "olm": "", "olm.": "", "resolute.findings": "", "olm.package.icon": "", "olm.gvk": "",
	} {
		require.Equal(t, want, nearSchema(schema), "%q", schema)
	}
}
