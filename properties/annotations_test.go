package properties_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/properties"
)

// TestCreatedAt: the forms of published catalogs that have one meaning are read; without a zone the
// time is UTC.
func TestCreatedAt(t *testing.T) {
	noon := time.Date(2024, 3, 7, 12, 0, 0, 0, time.UTC)
	for _, text := range []string{"2024-03-07T12:00:00Z", "2024-03-07 12:00:00", "2024-03-07T12:00:00", "2024-03-07T14:00:00+02:00", "2024-03-07T14:00:00+0200",
		"2024-03-07T12:00:00.000Z", "2024-03-07T12:00:00.000000", "2024-03-07 12:00 UTC", "2024-03-07 14:00:00+02:00", " 2024-03-07 12:00:00 "} {
		got, err := (&properties.Metadata{Annotations: map[string]string{"createdAt": text}}).CreatedAt()
		require.NoError(t, err, text)
		require.Equal(t, noon, got, text)
	}
	got, err := (&properties.Metadata{Annotations: map[string]string{"createdAt": "2024-03-07"}}).CreatedAt()
	require.NoError(t, err)
	require.Equal(t, noon.Add(-12*time.Hour), got)
	for _, text := range []string{"03/07/2024", "07-03-2024", "24/03/07", "Thu Mar 7 12:00:00 IST 2024", "20240307", "2024-13-07", "soon"} {
		_, err := (&properties.Metadata{Annotations: map[string]string{"createdAt": text}}).CreatedAt()
		require.ErrorContains(t, err, "is not a time like 2026-01-31T12:00:00Z", text)
	}
	_, err = (*properties.Metadata)(nil).CreatedAt()
	require.ErrorIs(t, err, properties.ErrNoTime)
}

// TestParseMetadata: annotations and labels that are texts are kept, and nothing else.
func TestParseMetadata(t *testing.T) {
	m := properties.ParseMetadata(json.RawMessage(`{"annotations":{"a":"b\u0041","n":1},"labels":{"x":"y"},"description":"long"}`))
	require.Equal(t, map[string]string{"a": "bA"}, m.Annotations)
	require.Equal(t, map[string]string{"x": "y"}, m.Labels)
	for _, text := range []string{``, `null`, `[]`, `{"annotations":[1],"labels":null}`, `{"annotations":{`} {
		m := properties.ParseMetadata(json.RawMessage(text))
		require.Empty(t, m.Annotations, text)
		require.Empty(t, m.Labels, text)
	}
}
