package seed_test

import (
	"flag"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/seed"
)

func TestSeed(t *testing.T) {
	for text, want := range map[string]uint64{"": 1, "7": 7, "9223372036854775807": math.MaxInt64} {
		t.Setenv(seed.Variable, text)
		require.Equal(t, want, testkit.Must(seed.Seed())(t), "%q", text)
	}
	for _, text := range []string{"0", "-1", "x", " 1", "9223372036854775808"} {
		t.Setenv(seed.Variable, text)
		_, err := seed.Seed()
		require.ErrorContains(t, err, seed.Variable)
	}
}

// Without settings, every run draws the same.
func TestFixed(t *testing.T) {
	if os.Getenv(seed.Variable) != "" || os.Getenv("RAPID_SEED") != "" || flag.Lookup("rapid.seed").Value.String() != "1" {
		t.Skip("this run sets a seed")
	}
	var drawn []uint64
	rapid.Check(t, func(t *rapid.T) { drawn = append(drawn, rapid.Uint64().Draw(t, "n")) })
	first := drawn
	drawn = nil
	rapid.Check(t, func(t *rapid.T) { drawn = append(drawn, rapid.Uint64().Draw(t, "n")) })
	require.Equal(t, first, drawn)
	require.NotEmpty(t, first)
}
