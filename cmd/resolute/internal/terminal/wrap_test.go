package terminal

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWrapped: lines are broken between words at the width, further ones indented; words,
// commands and what is no terminal stay whole.
func TestWrapped(t *testing.T) {
	for in, want := range map[string]string{
		"short\n": "short\n",
		"one two three four five six seven eight nine ten\n":                               "one two three four five six seven eight\n    nine ten\n",
		"  - one two three four five six seven eight nine\n":                               "  - one two three four five six seven\n      eight nine\n",
		"a-word-that-is-longer-than-the-whole-terminal-is-wide then\n":                     "a-word-that-is-longer-than-the-whole-terminal-is-wide\n    then\n",
		"     kubectl patch installplan install-topo2 -n team-d --type merge\n":            "     kubectl patch installplan install-topo2 -n team-d --type merge\n",
		"\x1b[31mone two\x1b[0m three four five six seven eight\n":                         "\x1b[31mone two\x1b[0m three four five six seven eight\n",
		"é é é é é é é é é é é é é é é é é é é é é\nand a line that is short\n":            "é é é é é é é é é é é é é é é é é é é é\n    é\nand a line that is short\n",
		"COLUMN   OTHER COLUMN    LAST COLUMN ONE\n":                                       "COLUMN   OTHER COLUMN    LAST COLUMN ONE\n",
		"  administrator: kubectl -n gateways delete subscription gateway\n":               "  administrator:\nkubectl -n gateways delete subscription gateway\n",
		"a subscription (`kubectl -n gateways get subscription gateway`) is stuck there\n": "a subscription\n(`kubectl -n gateways get subscription gateway`)\n    is stuck there\n",
		"it is shown by `kubectl get crd backups.example.com -o yaml`, and here too\n":     "it is shown by\n`kubectl get crd backups.example.com -o yaml`,\n    and here too\n",
		"run: oc delete job unpack-1 -n openshift-marketplace\n":                           "run:\noc delete job unpack-1 -n openshift-marketplace\n",
		"what kubectl asks of the cluster is broken as are other sentences\n":              "what kubectl asks of the cluster is\n    broken as are other sentences\n",
		"通道通道通道通道 通道通道通道通道 通道通道\n":                                                         "通道通道通道通道 通道通道通道通道\n    通道通道\n",
		"                              far to the right, beyond the end of it\n":           "                              far to the\n                    right, beyond the\n                    end of it\n",
	} {
		var b bytes.Buffer
		n, err := (&Stream{Writer: &b, width: 40}).Wrapped().Write([]byte(in))
		require.NoError(t, err)
		require.Equal(t, len(in), n)
		require.Equal(t, want, b.String())
		b.Reset()
		_, err = (&Stream{Writer: &b}).Wrapped().Write([]byte(in))
		require.NoError(t, err)
		require.Equal(t, in, b.String(), "no terminal")
	}
}
