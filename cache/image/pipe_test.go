//go:build unix

package image_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/image"
)

// TestPipes: a named pipe instead of an archive or blob is rejected without blocking.
func TestPipes(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o644))
	img := good(t)
	layout := img.layout(t)
	blob := filepath.Join(layout, "blobs", strings.ReplaceAll(img.layers[0]["digest"].(string), ":", "/"))
	require.NoError(t, os.Remove(blob))
	require.NoError(t, syscall.Mkfifo(blob, 0o644))
	for ref, says := range map[string]string{
		"oci:" + layout:          "its layer 1: ",
		"oci-archive:" + pipe:    "not a regular file",
		"docker-archive:" + pipe: "not a regular file",
	} {
		var file *image.ContentError
		require.ErrorAs(t, fails(t, parsed(ref), image.Options{}), &file, ref)
		require.Contains(t, file.Reason, says, ref)
	}
}
