package draw_test

import (
	"context"
	"io"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/graph/draw"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
)

// TestSVGPaths: every line of a picture begins somewhere, and goes on from there.
func TestSVGPaths(t *testing.T) {
	svg := picture(t, func(w io.Writer) error {
		return draw.SVG(context.Background(), w, universe.Written(t, headed), draw.Options{AllEdges: true})
	})
	paths := regexp.MustCompile(` d="([^"]*)"`).FindAllStringSubmatch(svg, -1)
	require.NotEmpty(t, paths)
	for _, p := range paths {
		require.Regexp(t, `^M-?[0-9.]+ -?[0-9.]+(L-?[0-9.]+ -?[0-9.]+)+Z?$`, p[1])
	}
}
