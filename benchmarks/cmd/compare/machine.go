package main

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"github.com/seed109e2655/resolute/benchmarks/libsolv"
)

const unknown = "unknown"

// describe returns the known properties of the machine.
func describe(ctx context.Context) Machine {
	memory, _, _ := strings.Cut(field("/proc/meminfo", "MemTotal"), " ")
	kib, _ := strconv.ParseUint(memory, 10, 64)
	return Machine{
		CPU:     field("/proc/cpuinfo", "model name"),
		Cores:   runtime.NumCPU(),
		Memory:  kib << 10,
		System:  runtime.GOOS + "/" + runtime.GOARCH,
		Go:      runtime.Version(),
		Libsolv: libsolvVersion(ctx),
	}
}

// field returns the value of a name in a file of lines "name: value".
func field(file, name string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return unknown
	}
	for line := range strings.Lines(string(data)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return unknown
}

// libsolvVersion queries the package manager, because testsolv does not print
// its version.
func libsolvVersion(ctx context.Context) string {
	if _, err := libsolv.Find(); err != nil {
		return "not installed"
	}
	for _, query := range [][]string{
		{"dpkg-query", "-W", "-f", "${Version}", "libsolv-tools"},
		{"rpm", "-q", "--qf", "%{VERSION}", "libsolv-tools"},
	} {
		if out, err := exec.CommandContext(ctx, query[0], query[1:]...).Output(); err == nil {
			return strings.TrimSpace(string(out))
		}
	}
	return unknown
}
