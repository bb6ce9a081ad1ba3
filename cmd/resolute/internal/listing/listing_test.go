package listing

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
)

// blobs is a catalog with descriptions in each place that catalogs have them: the olm.package blob,
// olm.csv.metadata, and a ClusterServiceVersion among the objects.
func blobs(t *testing.T) []json.RawMessage {
	t.Helper()
	csv, err := json.Marshal(map[string]any{"kind": "ClusterServiceVersion", "metadata": map[string]any{"annotations": map[string]string{"description": "Runs web sites."}},
		"spec": map[string]any{"displayName": "Front Door", "description": "# Front Door\n\nServes pages.", "provider": map[string]string{"name": "Web Inc."}, "keywords": []string{"http"},
			"icon": []any{map[string]string{"mediatype": "image/svg+xml", "base64data": "PHN2Zy8+"}}}})
	require.NoError(t, err)
	bundle := func(pkg, name, version string, more ...any) json.RawMessage {
		props := append([]any{map[string]any{"type": "olm.package", "value": map[string]string{"packageName": pkg, "version": version}}}, more...)
		raw, err := json.Marshal(map[string]any{"schema": "olm.bundle", "package": pkg, "name": name, "image": "i", "properties": props})
		require.NoError(t, err)
		return raw
	}
	gvk := func(kind string) any {
		return map[string]any{"type": "olm.gvk", "value": map[string]string{"group": "rabbitmq.com", "version": "v1", "kind": kind}}
	}
	metadata := func(value any) any { return map[string]any{"type": "olm.csv.metadata", "value": value} }
	return []json.RawMessage{
		json.RawMessage(`{"schema":"olm.package","name":"rabbit","defaultChannel":"stable","description":"An operator.\nMore.","icon":{"mediatype":"image/png","base64data":"iVBORw0KGgo="}}`),
		json.RawMessage(`{"schema":"olm.channel","package":"rabbit","name":"stable","entries":[{"name":"rabbit.v1"},{"name":"rabbit.v2","replaces":"rabbit.v1"}]}`),
		bundle("rabbit", "rabbit.v1", "1.0.0", gvk("OldKind"), metadata(map[string]any{"displayName": "Old Rabbit"})),
		bundle("rabbit", "rabbit.v2", "2.0.0", gvk("RabbitmqCluster"), metadata(map[string]any{"displayName": "Rabbit Cluster", "description": "## About\nA broker for a Message Queue.",
			"keywords": []string{"amqp", "Queue"}, "provider": map[string]string{"name": "Burrow"}, "annotations": map[string]string{"description": "Runs brokers."}})),
		json.RawMessage(`{"schema":"olm.package","name":"web","defaultChannel":"stable","icon":{"mediatype":"text/html","base64data":"PHN2Zy8+"}}`),
		json.RawMessage(`{"schema":"olm.channel","package":"web","name":"stable","entries":[{"name":"web.v1"}]}`),
		bundle("web", "web.v1", "1.0.0", map[string]any{"type": "olm.bundle.object", "value": map[string]string{"data": base64.StdEncoding.EncodeToString(csv)}}),
		json.RawMessage(`{"schema":"olm.package","name":"plain","defaultChannel":"stable","description":"` + strings.Repeat("A queue of words. ", 1000) + `"}`),
		json.RawMessage(`{"schema":"olm.channel","package":"plain","name":"stable","entries":[{"name":"plain.v1"}]}`),
		bundle("plain", "plain.v1", "1.0.0", metadata("no object")),
	}
}

// index returns the described index of the blobs.
func index(t *testing.T) *Index {
	t.Helper()
	list := blobs(t)
	content, err := fbc.FromBlobs(t.Context(), list, fbc.Options{})
	require.NoError(t, err)
	x := New(content)
	for _, raw := range list {
		x.Raw(raw)
	}
	return x
}

// Descriptions come from the head of the default channel, and otherwise from the package.
func TestDescriptions(t *testing.T) {
	for _, backwards := range []bool{false, true} {
		list := blobs(t)
		content, err := fbc.FromBlobs(t.Context(), list, fbc.Options{})
		require.NoError(t, err)
		x := New(content)
		if backwards {
			slices.Reverse(list)
		}
		for _, raw := range list {
			x.Raw(raw)
		}
		rabbit := x.Package("rabbit")
		require.Equal(t, "Rabbit Cluster", rabbit.DisplayName)
		require.Equal(t, "Runs brokers.", rabbit.Summary)
		require.Equal(t, "Burrow", rabbit.Provider)
		require.Equal(t, []string{"amqp", "Queue"}, rabbit.Keywords)
		require.Equal(t, "## About\nA broker for a Message Queue.", rabbit.Description)
		require.Equal(t, "data:image/png;base64,iVBORw0KGgo=", rabbit.Icon)
		web := x.Package("web")
		require.Equal(t, "Front Door", web.DisplayName)
		require.Equal(t, "data:image/svg+xml;base64,PHN2Zy8+", web.Icon, "that of the package is of no known type")
		plain := x.Package("plain")
		require.LessOrEqual(t, len(plain.Summary), MaxSummary)
		require.LessOrEqual(t, len(plain.Description), MaxDescription)
		require.NotEmpty(t, plain.Summary)
		// What is written for a site describes another index the same way.
		again := New(content)
		for _, d := range x.Descriptions() {
			again.Describe(&d)
		}
		require.Equal(t, x.Packages(), again.Packages())
	}
}

// A summary is one sentence.
func TestFirstSentence(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "# Title\n\n![x](y)\n---\n": "", "One. Two.": "One.", "# T\nA broker that\nruns. More": "A broker that runs.", "One\n\nTwo": "One",
		"<b>x</b>\n===\nText\n# H": "Text", strings.Repeat("word ", 100): strings.Repeat("word ", 46) + "word…",
	} {
		require.Equal(t, want, firstSentence(text), text)
	}
}

func TestSearch(t *testing.T) {
	x := index(t)
	for wanted, want := range map[string][]string{
		"": {"plain", "rabbit", "web"}, "message queue": {"rabbit"}, "RabbitmqCluster": {"rabbit"}, "burrow": {"rabbit"}, "AMQP": {"rabbit"},
		"queue": {"rabbit", "plain"}, "oldkind": {"rabbit"}, "web": {"web"}, "web rabbit": {}, "http pages": {"web"}, "none": {},
	} {
		found, err := x.Search(t.Context(), Words(wanted))
		require.NoError(t, err)
		names := []string{}
		for _, p := range found {
			names = append(names, p.Name)
		}
		require.Equal(t, want, names, wanted)
	}
	require.Equal(t, []string{"rabbit"}, x.Near(t.Context(), "RabitmqCluster", 3))
}

// Icons are images of known types, base64, and bounded.
func TestIcons(t *testing.T) {
	require.Equal(t, "data:image/gif;base64,R0lG", Icon("image/gif", "R0\nlG"))
	for name, icon := range map[string][2]string{
		"a page": {"text/html", "PGI+"}, "parameters": {"image/png;x=", "PGI+"}, "capitals": {"IMAGE/PNG", "PGI+"}, "no base64": {"image/png", `"><script>`},
		"empty": {"image/png", ""}, "another alphabet": {"image/png", "PGI-"}, "large": {"image/png", strings.Repeat("AAAA", MaxIcon/3+4)},
	} {
		require.Empty(t, Icon(icon[0], icon[1]), name)
	}
}

// Whatever the blobs contain, descriptions stay within their limits.
func FuzzDescriptions(f *testing.F) {
	f.Add([]byte(`{"schema":"olm.package","name":"rabbit","description":5,"icon":[]}`))
	f.Add([]byte(`{"schema":"olm.bundle","package":"web","name":"web.v1","properties":[{"type":"olm.csv.metadata","value":{"displayName":"\ud800","keywords":[null,"` + strings.Repeat("k", 100) + `"],"icon":[{}]}}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		x := index(t)
		x.Raw(raw)
		for _, d := range x.Descriptions() {
			require.LessOrEqual(t, len(d.Summary), MaxSummary)
			require.LessOrEqual(t, len(d.DisplayName), MaxSummary)
			require.LessOrEqual(t, len(d.Description), MaxDescription)
			require.LessOrEqual(t, len(d.Keywords), MaxKeywords)
			require.True(t, d.Icon == "" || strings.HasPrefix(d.Icon, "data:image/"))
		}
	})
}
