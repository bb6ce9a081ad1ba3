package read

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestStamp: what a file system notes of a change is in the stamp.
func TestStamp(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	at := time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC)
	write := func(text string) stamp {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(name, at, at))
		info := testkit.Must(os.Stat(name))(t)
		return newStamp(info)
	}
	one := write("a")
	info := testkit.Must(os.Stat(name))(t)
	require.Equal(t, one, newStamp(info))
	require.NotEqual(t, one, write("ab"))
	if runtime.GOOS == "linux" {
		time.Sleep(20 * time.Millisecond) // Linux counts in ticks
		require.NotEqual(t, one, write("b"), "size and time are the same")
		require.False(t, one.settled(time.Now()), "it was changed just now, whatever its time says")
		require.True(t, one.settled(time.Now().Add(time.Minute)))
	}
}

func TestSettled(t *testing.T) {
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		stamp stamp
		want  bool
	}{
		{stamp{}, false},
		{stamp{modified: time.Unix(0, 0)}, false},
		{stamp{modified: time.Unix(1, 0)}, false},
		{stamp{modified: time.Unix(2, 0)}, true},
		{stamp{modified: now.Add(-2 * time.Second)}, false},
		{stamp{modified: now.Add(-2*time.Second - 1)}, true},
		{stamp{modified: now.Add(time.Hour)}, false},
		{stamp{modified: now.Add(-time.Hour), change: change{inode: 1, nanoseconds: now.UnixNano()}}, false},
		{stamp{modified: now.Add(-time.Hour), change: change{inode: 1, nanoseconds: now.Add(-time.Hour).UnixNano()}}, true},
	} {
		require.Equal(t, tt.want, tt.stamp.settled(now), "%+v", tt.stamp)
	}
}
