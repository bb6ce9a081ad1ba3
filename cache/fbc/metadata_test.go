package fbc_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestMetadata: annotations and labels are kept if asked for, from the metadata or from the
// ClusterServiceVersion among the manifests; otherwise they are unknown, which is not "none".
func TestMetadata(t *testing.T) {
	csv := base64.StdEncoding.EncodeToString([]byte(`{"kind":"ClusterServiceVersion","metadata":{"annotations":{"createdAt":"2024-03-07"},"labels":{"a":"c"}},"spec":{}}`))
	bundle := func(name, version, more string) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{"schema":"olm.bundle","package":"p","name":%q,"image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":%q}}%s]}`, name, version, more))
	}
	blobs := []json.RawMessage{json.RawMessage(`{"schema":"olm.package","name":"p","defaultChannel":"c"}`),
		json.RawMessage(`{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"p.v3","replaces":"p.v2"},{"name":"p.v2","replaces":"p.v1"},{"name":"p.v1"}]}`),
		bundle("p.v1", "1.0.0", `,{"type":"olm.csv.metadata","value":{"annotations":{"createdAt":"2024-03-07"},"labels":{"a":"b"}}}`),
		bundle("p.v2", "2.0.0", `,{"type":"olm.bundle.object","value":{"data":"`+csv+`"}}`), bundle("p.v3", "3.0.0", "")}
	kept := testkit.Must(fbc.FromBlobs(t.Context(), blobs, fbc.Options{Metadata: true}))(t).Package("p")
	require.Equal(t, "b", kept.Bundle("p.v1").Metadata.Labels["a"])
	require.Equal(t, "c", kept.Bundle("p.v2").Metadata.Labels["a"])
	require.Equal(t, "2024-03-07", kept.Bundle("p.v2").Metadata.Annotations["createdAt"])
	require.NotNil(t, kept.Bundle("p.v3").Metadata)
	require.Empty(t, kept.Bundle("p.v3").Metadata.Annotations)
	dropped := testkit.Must(fbc.FromBlobs(t.Context(), blobs, fbc.Options{}))(t).Package("p")
	for _, b := range dropped.Bundles {
		require.Nil(t, b.Metadata, b.Name)
	}
}
