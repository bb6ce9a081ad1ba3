package disk_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/disk"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// Environment variables.
const (
	writerVariable = "RESOLUTE_COPY_WRITER" // runs the test binary as a writer
	onceVariable   = "RESOLUTE_COPY_ONCE"   // makes the writer write once
)

// TestMain runs the test binary as a writer if its environment requests it.
func TestMain(m *testing.M) {
	if path := os.Getenv(writerVariable); path != "" {
		writeForever(path)
	}
	if path := os.Getenv(onceVariable); path != "" {
		runtime.LockOSThread() // strace counts system calls per thread
		if err := disk.Write(context.Background(), path, twoContents(failure{})[1], disk.Options{}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// twoContents are the contents that writers alternate between. They differ in length, so a mix
// of both is detectable.
func twoContents(t require.TestingT) [2]*cache.Content {
	return [2]*cache.Content{
		{Catalog: synthesized(t, "mixed", 40), Digest: "sha256:small", Validator: "small"},
		{Catalog: synthesized(t, "mixed", 60), Digest: "sha256:large", Validator: "large"},
	}
}

// writeForever alternates between two contents until it is killed. It reports when it begins.
func writeForever(path string) {
	var fatal failure
	contents := twoContents(fatal)
	fmt.Println("ready")
	for i := rand.IntN(2); ; i++ {
		if err := disk.Write(context.Background(), path, contents[i%2], disk.Options{}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
}

// failure ends the writer on an error.
type failure struct{}

func (failure) Errorf(format string, args ...any) { fmt.Printf(format, args...) }
func (failure) FailNow()                          { os.Exit(1) }

// startWriter starts a writer and waits until it begins. The writer is killed at the end of the
// test.
func startWriter(t *testing.T, path string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writerVariable+"="+path)
	out := testkit.Must(cmd.StdoutPipe())(t)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	require.Equal(t, "ready\n", testkit.Must(bufio.NewReader(out).ReadString('\n'))(t))
	return cmd
}

// oneOf requires that a copy is one of two contents, and returns it.
func oneOf(t *testing.T, contents [2]*cache.Content, got *cache.Content) *cache.Content {
	want := contents[0]
	if got.Digest == contents[1].Digest {
		want = contents[1]
	}
	require.Equal(t, want.Digest, got.Digest)
	require.Equal(t, want.Validator, got.Validator)
	require.Equal(t, want.Catalog.Len(), got.Catalog.Len())
	return want
}

// TestKillAtEveryCall kills a writer at each of its write, sync and rename calls. Afterwards
// the file is either the old content or the new one, complete, and the next writer removes
// temporary files.
func TestKillAtEveryCall(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("needs strace to kill the writer at a system call")
	}
	if out, err := exec.Command(strace, "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("strace does not work here: %s", out)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "copy")
	contents := twoContents(t)
	require.NoError(t, disk.Write(context.Background(), path, contents[0], disk.Options{}))
	step := testkit.Times(9, 1)
	for _, call := range []string{"write", "fsync", "renameat"} {
		killed := 0
		for n := 1; n < 1000; n += step {
			cmd := exec.Command(strace, "-f", "-o", os.DevNull, "-e", "trace="+call, "-e", fmt.Sprintf("inject=%s:signal=SIGKILL:when=%d", call, n), os.Args[0])
			cmd.Env = append(os.Environ(), onceVariable+"="+path)
			out, err := cmd.CombinedOutput()
			got, readErr := disk.Read(context.Background(), path, disk.Options{})
			require.NoError(t, readErr, "killed at %s %d", call, n)
			requireSame(t, oneOf(t, contents, got).Catalog, got.Catalog)
			require.NoError(t, disk.Write(context.Background(), path, contents[0], disk.Options{}))
			require.Equal(t, []string{"copy"}, names(t, dir))
			if err == nil {
				require.Equal(t, contents[1].Digest, got.Digest, "%s", out)
				break // the writer makes no further call
			}
			killed++
		}
		t.Logf("killed at %d calls of %s", killed, call)
		if runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64" {
			require.Positive(t, killed, call)
			if call == "fsync" && step == 1 {
				require.Equal(t, 2, killed, "the file is synced before the rename, the directory after it")
			}
		}
	}
}

// TestTwoProcesses: while two processes write one copy, a reader always finds one of their
// contents, complete.
func TestTwoProcesses(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("open files cannot be replaced here")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "copy")
	contents := twoContents(t)
	require.NoError(t, disk.Write(context.Background(), path, contents[0], disk.Options{}))
	for range 2 {
		startWriter(t, path)
	}
	found := map[string]int{}
	end, reads := time.Now().Add(20*time.Second), testkit.Times(10, 100)
	for n := 0; n < reads || len(found) < 2 && time.Now().Before(end); n++ {
		got := testkit.Must(disk.Read(context.Background(), path, disk.Options{}))(t)
		oneOf(t, contents, got)
		found[got.Digest]++
		require.LessOrEqual(t, len(names(t, dir)), 3, "each writer has at most one temporary file")
	}
	t.Logf("found %v", found)
}
