package heap

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The room between two collections is what the constants say, whatever is live.
func TestHeapRoom(t *testing.T) {
	for _, mb := range []uint64{0, 4, 50, 127, 128, 300, 512, 700, 1200, 5000, 100_000} {
		live := mb << 20
		room := float64(max(live, 4<<20)) * float64(percent(live)) / 100
		want := math.Min(math.Max(float64(live)/2, leastRoom), mostRoom)
		require.InDelta(t, want, room, float64(max(live, 4<<20))/100, "%d MiB live", mb)
	}
}

// The pace follows the heap from collection to collection, and leaves the
// settings of the environment alone.
func TestHeapIsPaced(t *testing.T) {
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })

	set := func() uint64 {
		s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(s)
		return s[0].Value.Uint64()
	}
	Pace(func(name string) string { return map[string]string{"GOGC": "100"}[name] })
	Pace(func(name string) string { return map[string]string{"GOMEMLIMIT": "1GiB"}[name] })
	require.EqualValues(t, 100, set())

	t.Cleanup(Pace(func(string) string { return "" }))
	small := set()
	require.Greater(t, small, uint64(100))
	ballast := make([]byte, 600<<20)
	runtime.GC()
	require.Eventually(t, func() bool { return set() < 100 }, 10*time.Second, time.Millisecond, "still %d", set())
	runtime.KeepAlive(ballast)
}
