package main

import (
	"context"
	"flag"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
)

var update = flag.Bool("update", false, "write what the commands in the documents print into them")

// documents are those that show commands with their output.
var documents = []string{"README.md", "cmd/resolute/README.md", "resolver/CONFLICTS.md"}

// TestDocuments runs the commands that the documents show with their output, and
// holds the one against the other: what is shown there needs no other test. `go test ./cmd/resolute -update` renews them;
// what it writes is to be read before it is kept.
func TestDocuments(t *testing.T) {
	t.Chdir("../..")
	block := regexp.MustCompile("(?s)```console\n\\$ go run ./cmd/resolute ([^\n]*)\n(.*?)```\n")
	took := regexp.MustCompile(`(?m)^Audited in [0-9.]+ s\.$`)
	blocks := 0
	for _, name := range documents {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		renewed := block.ReplaceAllStringFunc(string(text), func(shown string) string {
			blocks++
			m := block.FindStringSubmatch(shown)
			got := resolute(context.Background(), "", strings.Fields(m[1])...)
			got.out = took.ReplaceAllString(got.out, "Audited in 0.0 s.")
			if diff := cmp.Diff(m[2], got.out); diff != "" && !*update {
				t.Errorf("%s: %s (-shown +now):\n%s", name, m[1], diff)
			}
			return strings.TrimSuffix(shown, m[2]+"```\n") + got.out + "```\n"
		})
		if *update {
			require.NoError(t, os.WriteFile(name, []byte(renewed), 0o644))
		}
	}
	require.GreaterOrEqual(t, blocks, 16)
}

// TestReadmeFirstMinute: the first two commands of README.md run the program and test it. The
// first one succeeds; the conflict, with its exit status, comes after them.
func TestReadmeFirstMinute(t *testing.T) {
	t.Chdir("../..")
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	var commands []string
	for _, m := range regexp.MustCompile("(?s)```(?:sh|console)\n(.*?)```").FindAllStringSubmatch(string(readme), 2) {
		line, _, _ := strings.Cut(m[1], "\n")
		commands = append(commands, strings.TrimPrefix(line, "$ "))
	}
	require.Len(t, commands, 2)
	first, ours := strings.CutPrefix(commands[0], "go run ./cmd/resolute ")
	require.True(t, ours, commands[0])
	got := resolute(t.Context(), "", strings.Fields(first)...)
	require.Equal(t, exitOK, got.status, got.errOut)
	require.Contains(t, got.out, ": resolved, ")
	require.Equal(t, "go test ./...", commands[1])
	conflict := strings.Index(string(readme), "resolve examples/scenarios/conflict.yaml")
	require.Greater(t, conflict, strings.Index(string(readme), "go test ./..."))
	require.Contains(t, string(readme)[:conflict], "exit status 1")
}

// TestReadmeShowsTheConflict: the picture in README.md is what the command draws of the
// scenario whose answer stands below it.
func TestReadmeShowsTheConflict(t *testing.T) {
	t.Chdir("../..")
	const picture = "cmd/resolute/pictures/conflict.svg"
	got := resolute(t.Context(), "", "resolve", "-o", "svg", "examples/scenarios/conflict.yaml")
	if *update {
		require.NoError(t, os.WriteFile(picture, []byte(got.out), 0o644))
	}
	kept, err := os.ReadFile(picture)
	require.NoError(t, err)
	require.Equal(t, string(kept), got.out)
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	require.Contains(t, string(readme), "]("+picture+")")
}

// TestReadmeShowsTheQuickstart: the program in README.md is the one that runs.
func TestReadmeShowsTheQuickstart(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	program, err := os.ReadFile("../../examples/quickstart/main.go")
	require.NoError(t, err)
	shown := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(readme)
	require.NotNil(t, shown)
	indented := "\t" + strings.ReplaceAll(strings.TrimSpace(string(shown[1])), "\n", "\n\t")
	require.Contains(t, string(program), indented)
}

// TestReadmeShowsScenarios: the scenarios in the command line's README.md are those of the
// examples.
func TestReadmeShowsScenarios(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	shown := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(readme, -1)
	require.Len(t, shown, 2)
	for i, name := range []string{"../../examples/scenarios/policy.yaml", kube} {
		file, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Contains(t, string(file), string(shown[i][1]))
	}
}

// TestReadmeAndHelp: each command and flag that the README names is there, and each that is
// there is named.
func TestReadmeAndHelp(t *testing.T) {
	file, err := os.ReadFile("README.md")
	require.NoError(t, err)
	readme := string(file)
	commands, flags := make(map[string]bool), map[string]bool{"help": true, "version": true}
	a := application()
	root := a.root()
	for _, c := range append(a.commands(""), root) {
		if c.Hidden {
			continue
		}
		if c != root {
			commands[c.Name] = true
			usage := strings.ReplaceAll(strings.TrimSpace(c.Name+" "+c.ArgsUsage), "|", `\|`)
			require.True(t, strings.Contains(readme, "`"+usage+"`"), "the table of commands lacks %s", usage)
		}
		for _, f := range c.Flags {
			name := f.Names()[0]
			flags[name] = true
			require.True(t, strings.Contains(readme, "`--"+name+"`"), "%s --%s is not in it", c.Name, name)
		}
	}
	commands["completion"] = true
	inline := regexp.MustCompile("(?s)```.*?```|`[^`\n]+`").FindAllString(readme, -1)
	for _, text := range inline {
		for _, m := range regexp.MustCompile(`(?:^|[ \n])(?:go run \./examples/)?resolute ([a-z]+)`).FindAllStringSubmatch(text, -1) {
			require.True(t, commands[m[1]], text)
		}
		if strings.Contains(text, "kubectl get") {
			continue
		}
		for _, m := range regexp.MustCompile(`(?:^|[ `+"`"+`\n(])--([a-z][a-z-]*)`).FindAllStringSubmatch(text, -1) {
			require.True(t, flags[m[1]], "--%s in %s", m[1], text)
		}
	}
}

// application is the program without a command.
func application() *app {
	a := &app{args: []string{"resolute"}, out: terminal.New(io.Discard), err: terminal.New(io.Discard)}
	a.images = a.newImages()
	return a
}
