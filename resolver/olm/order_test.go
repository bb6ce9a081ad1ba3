package olm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Objects are found with their keys in any order, in JSON and YAML, alone and in lists.
func TestKeysInAnyOrder(t *testing.T) {
	const meta, spec = `{"name":"db","namespace":"shop"}`, `{"name":"db","channel":"x"}`
	keys := map[string]string{"a": `"apiVersion":"operators.coreos.com/v1alpha1"`, "k": `"kind":"Subscription"`, "m": `"metadata":` + meta, "s": `"spec":` + spec}
	block := map[string]string{"a": "apiVersion: operators.coreos.com/v1alpha1", "k": "kind: Subscription", "m": "metadata:\n  name: db\n  namespace: shop", "s": "spec:\n  name: db\n  channel: x"}
	indented := func(text string) string { return "- " + strings.ReplaceAll(text, "\n", "\n  ") }
	for _, order := range []string{"akms", "kams", "kmsa", "ksma", "skma", "mska", "smak"} {
		var flow, lines []string
		for _, key := range strings.Split(order, "") {
			flow, lines = append(flow, keys[key]), append(lines, block[key])
		}
		object, text := "{"+strings.Join(flow, ",")+"}", strings.Join(lines, "\n")
		for form, dump := range map[string]string{
			"JSON":                object,
			"JSON list":           `{"kind":"List","items":[` + object + `],"apiVersion":"v1"}`,
			"JSON list, end":      `{"items":[` + object + `],"kind":"List","apiVersion":"v1"}`,
			"JSON array":          "[" + object + "]",
			"YAML":                text + "\n",
			"YAML quoted":         strings.Replace(text, "apiVersion:", `"apiVersion":`, 1),
			"YAML quoted kind":    strings.Replace(text, "kind:", `'kind':`, 1),
			"YAML comments":       strings.NewReplacer("v1alpha1", "v1alpha1 # the version", "Subscription", "Subscription # of a shop").Replace(text),
			"YAML tags":           strings.NewReplacer("kind: ", "kind: !!str ", "apiVersion: ", "apiVersion: &a ").Replace(text),
			"YAML list":           "kind: List\nitems:\n" + indented(text) + "\napiVersion: v1\n",
			"YAML list, end":      "items:\n" + indented(text) + "\nkind: List\napiVersion: v1\n",
			"YAML list, indented": "items:\n  " + strings.ReplaceAll(indented(text), "\n", "\n  ") + "\nkind: SubscriptionList\napiVersion: v1\n",
			"YAML list in flow":   "kind: List\nitems: [" + object + "]\napiVersion: v1\n",
			"documents":           "---\nkind: Other\n---\n" + text + "\n---\n",
		} {
			t.Run(order+"/"+form, func(t *testing.T) {
				c, err := read(t, dump)
				require.NoError(t, err)
				require.Empty(t, c.Problems())
				require.Equal(t, "db", onlySubscription(t, c))
			})
		}
	}
}

// Copies of operators are skipped by their head, in any order of keys.
func TestCopiesInAnyOrder(t *testing.T) {
	for _, head := range []string{"apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\n", "kind: ClusterServiceVersion\napiVersion: operators.coreos.com/v1alpha1\n"} {
		for _, text := range []string{head + "metadata:\n  name: db.v1\n  namespace: a\n  labels:\n    olm.copiedFrom: b\nspec: [unreadable\n"} {
			c, err := read(t, text)
			require.NoError(t, err)
			require.Empty(t, c.Problems(), "it is not parsed")
			require.Equal(t, 1, c.Copied())
		}
	}
}

// The identity of an item comes from the item or its list; an item without one is reported.
func TestNamelessObjects(t *testing.T) {
	const item = `{"metadata":{"name":"db","namespace":"shop"},"spec":{"name":"db"}}`
	const list = `{"kind":"SubscriptionList","apiVersion":"operators.coreos.com/v1alpha1","items":[%s]}`
	c, err := read(t, fmt.Sprintf(list, item))
	require.NoError(t, err)
	require.Equal(t, "db", onlySubscription(t, c))
	for name, dump := range map[string]string{
		"list, kind behind": `{"items":[` + item + `],"kind":"SubscriptionList","apiVersion":"operators.coreos.com/v1alpha1"}`,
		"YAML list":         "apiVersion: operators.coreos.com/v1alpha1\nitems:\n- metadata:\n    name: db\n    namespace: shop\n  spec:\n    name: db\nkind: SubscriptionList\n",
		"no apiVersion":     `{"kind":"Subscription","metadata":{"name":"db","namespace":"shop"},"spec":{"name":"db"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := read(t, dump)
			require.Len(t, c.Problems(), 1)
			require.Contains(t, c.Problems()[0].Message, "Subscription")
		})
	}
}
