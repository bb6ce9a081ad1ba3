package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/pull"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
)

// TestMistyped: a mistyped command, flag or package gets a suggestion.
func TestMistyped(t *testing.T) {
	for args, want := range map[string]string{
		"resolv":                 `unknown command "resolv", see resolute --help; did you mean resolve?`,
		"graph --instaled x a b": "did you mean --installed?",
		"resolve --timeot=1s x":  "see resolute resolve --help; did you mean --timeout?",
		"graph ../../examples/catalogs/community grafna-operator": "; did you mean grafana-operator?",
		"graph ../../examples/catalogs/community ectd":            "; did you mean etcd?",
	} {
		got := resolute(context.Background(), "", strings.Fields(args)...)
		require.Equal(t, 2, got.status, args)
		require.Contains(t, got.errOut, want, args)
	}
	got := resolute(context.Background(), "", "quux")
	require.Equal(t, "resolute: unknown command \"quux\", see resolute --help\n", got.errOut)
}

// TestManual: the manual page has every command with every flag, and troff has nothing to
// say against it.
func TestManual(t *testing.T) {
	dir := t.TempDir()
	got := resolute(t.Context(), "", "man", "--into", dir)
	require.Equal(t, 0, got.status, got.errOut)
	file := filepath.Join(dir, "resolute.1")
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	a := &app{images: &pull.Images{}}
	commands := 0
	for _, c := range a.commands("") {
		if c.Hidden {
			continue
		}
		commands++
		_, section, found := strings.Cut(string(page), "\n.SS resolute "+c.Name+" ")
		require.True(t, found, c.Name)
		section, _, _ = strings.Cut(section, "\n.SS ")
		for _, f := range c.Flags {
			require.Contains(t, section, "\n.B \\-\\-"+strings.ReplaceAll(f.Names()[0], "-", `\-`), c.Name)
		}
	}
	require.Greater(t, commands, 15)
	require.NotContains(t, resolute(t.Context(), "", "--help").out, "manual page")
	require.Equal(t, 2, resolute(t.Context(), "", "man", "--into", filepath.Join(dir, "nowhere")).status)

	if groff, err := exec.LookPath("groff"); err == nil {
		said, err := exec.Command(groff, "-man", "-ww", "-z", "-Tutf8", file).CombinedOutput()
		require.NoError(t, err)
		require.Empty(t, string(said))
	}
}

// TestTroff: no text becomes a macro or an escape.
func TestTroff(t *testing.T) {
	require.Equal(t, "\\&.so /etc/passwd\n\\(aqx\\(aq \\e*x\n\\&.\\-\n", troff(".so /etc/passwd\n'x' \\*x\n.-\n"))
}

// TestVersion prints what the build recorded, and says so if it recorded nothing.
func TestVersion(t *testing.T) {
	got := resolute(context.Background(), "", "--version")
	require.Equal(t, 0, got.status, got.errOut)
	require.Contains(t, got.out, "resolute version ")

	info := &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "v1.2.3"}}
	require.Equal(t, "v1.2.3, go1.26.0", version(info, true))
	info.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}}
	require.Equal(t, "v1.2.3, revision abc with changes, go1.26.0", version(info, true))
	info.Main.Version = ""
	info.Settings[1].Value = "false"
	require.Equal(t, "(devel), revision abc, go1.26.0", version(info, true))
	require.Contains(t, version(nil, false), "unknown")
}

// TestCompletion: the script for each shell parses there, if the shell is installed.
func TestCompletion(t *testing.T) {
	for shell, check := range map[string][]string{
		"bash": {"bash", "-n"}, "zsh": {"zsh", "-n"}, "fish": {"fish", "--no-execute"},
	} {
		got := resolute(context.Background(), "", "completion", shell)
		require.Equal(t, 0, got.status, got.errOut)
		require.Contains(t, got.out, "resolute", shell)
		if _, err := exec.LookPath(check[0]); err != nil {
			t.Logf("%s is not installed: its completion is not parsed", shell)
			continue
		}
		cmd := exec.Command(check[0], check[1:]...)
		cmd.Stdin = strings.NewReader(got.out)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", shell, out)
	}
	before := os.Args
	t.Cleanup(func() { os.Args = before })
	os.Args = []string{"resolute", "resol", "--generate-shell-completion"} // cli looks there
	got := resolute(context.Background(), "", os.Args[1:]...)
	require.Contains(t, got.out, "resolve")
}

const apart = `
	a/stable a.v1.0.0 needs=Nowhere
	b/stable b.v1.0.0 needs=gone@>=1.0.0`

// onCatalog is a scenario with a catalog of a universe, and more of its keys.
func onCatalog(t *testing.T, lines, keys string) string {
	t.Helper()
	return write(t, "scenario.yaml", "catalogs: [{name: community, blobs: "+universe.Array(t, lines)+"}]\n"+keys)
}

// TestConflictsApart: independent conflicts are each reported, with what
// would help against each.
func TestConflictsApart(t *testing.T) {
	file := onCatalog(t, apart, "subscriptions: [{name: a, package: a}, {name: b, package: b}]\n")
	got := resolute(context.Background(), "", "resolve", file)
	require.Equal(t, 1, got.status)
	require.Contains(t, got.out, "Subscription a cannot be met")
	require.Contains(t, got.out, "Subscription b cannot be met")
	require.Contains(t, got.out, "leaves 1 other conflict")

	got = resolute(context.Background(), "", "resolve", "-o", "json", file)
	var answer struct {
		Conflict struct {
			Roots       []string
			Corrections []struct{ Remaining int }
			Further     []struct {
				Roots       []string
				Corrections []struct{ Remaining int }
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(got.out), &answer))
	require.Len(t, answer.Conflict.Further, 1)
	require.NotEmpty(t, answer.Conflict.Corrections)
	require.NotEmpty(t, answer.Conflict.Further[0].Corrections)
	require.Equal(t, 1, answer.Conflict.Corrections[0].Remaining, "the other conflict is still there")
}

// TestBrokenCluster: under Partial, broken installed bundles block no subscription.
func TestBrokenCluster(t *testing.T) {
	file := onCatalog(t, apart+"\nc/stable c.v1.0.0", `cluster: {}
installed: [{name: a.v1.0.0}]
subscriptions: [{name: c, package: c}]
policy: {failures: Partial}
`)
	got := resolute(context.Background(), "", "resolve", file)
	require.Equal(t, 0, got.status, got.errOut)
	require.Contains(t, got.out, "c.v1.0.0")
	require.Contains(t, got.out, "a.v1.0.0")
	require.Contains(t, got.out, "broken")
}

// TestExplainRound: a bundle that one step cannot reach, but the road can, is explained
// by the round in which the road does.
func TestExplainRound(t *testing.T) {
	file := onCatalog(t, "a/stable a.v1.0.0 a.v2.0.0 a.v3.0.0", `installed: [{name: a.v1.0.0}]
subscriptions: [{name: a, package: a, installedCSV: a.v1.0.0}]
`)
	got := resolute(context.Background(), "", "explain", file, "a.v3.0.0")
	require.Empty(t, got.errOut)
	require.Contains(t, got.out, "round 2")
	got = resolute(context.Background(), "", "explain", "-o", "json", file, "a.v3.0.0")
	var answer struct{ Reached int }
	require.NoError(t, json.Unmarshal([]byte(got.out), &answer))
	require.Equal(t, 2, answer.Reached)
}

// TestHelpOfACommand: help COMMAND is COMMAND --help with all its flags, and help alone that of
// the program.
func TestHelpOfACommand(t *testing.T) {
	whole := resolute(t.Context(), "", "--help")
	require.Contains(t, whole.out, "0 resolved or clean")
	require.Equal(t, whole.out, resolute(t.Context(), "").out)
	for _, c := range (&app{images: &pull.Images{}}).commands("") {
		said := resolute(t.Context(), "", c.Name, "--help").out
		require.Equal(t, !c.Hidden, strings.Contains(whole.out, "\n     "+c.Name+" "), c.Name)
		for _, f := range c.Flags {
			require.Contains(t, said, "--"+f.Names()[0], c.Name)
		}
	}
	require.Equal(t, resolute(t.Context(), "", "try", "--help"), resolute(t.Context(), "", "help", "try"))
	require.Equal(t, whole, resolute(t.Context(), "", "help"))
	for _, args := range [][]string{{"help", "tyr"}, {"tyr", "--help"}} {
		got := resolute(t.Context(), "", args...)
		require.Equal(t, exitUnusable, got.status)
		require.Equal(t, "resolute: unknown command \"tyr\", see resolute --help; did you mean try?\n", got.errOut)
		require.Empty(t, got.out)
	}
}

// TestCompletionOfNames: packages, channels and bundles come from the catalog or scenario on
// the line. What cannot be read, or is an image, proposes nothing.
func TestCompletionOfNames(t *testing.T) {
	tryCatalogs(t)
	require.NoError(t, os.WriteFile("s.yaml", []byte("catalogs: [{name: c, path: c.jsonl}]\ninstalled: [{name: db.v1.0.0}]\nsubscriptions: [{name: mine, package: db, installedCSV: db.v1.0.0}]\n"), 0o600))
	registry := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("an image is fetched") }))
	t.Cleanup(registry.Close)
	host := strings.TrimPrefix(registry.URL, "http://")
	require.NoError(t, os.WriteFile("image.yaml", []byte("catalogs: [{name: c, image: "+host+"/ns/c:v1}]\ninstalled: [{name: db.v1.0.0}]\nsubscriptions: [{name: mine, package: db}]\n"), 0o600))
	odd := ""
	for _, name := range []string{"fine", "--worse-than", "-x", "$(touch x)"} {
		odd += fmt.Sprintf("{\"schema\": \"olm.package\", \"name\": %q}\n{\"schema\": \"olm.channel\", \"package\": %[1]q, \"name\": \"stable\", \"entries\": [{\"name\": \"v1\"}]}\n", name)
	}
	require.NoError(t, os.WriteFile("odd.jsonl", []byte(odd), 0o600))
	makePipe(t, "pipe")
	before := os.Args
	t.Cleanup(func() { os.Args = before })
	for line, want := range map[string]string{
		"try c.jsonl":                     "db web",
		"try c.jsonl db":                  "db web",
		"lock c.jsonl":                    "db web",
		"try c.jsonl --installed":         "db.v1.0.0 db.v2.0.0 db.v3.0.0 web.v1.0.0",
		"graph c.jsonl":                   "db web",
		"graph c.jsonl db":                "stable beta",
		"audit c.jsonl --package":         "db web",
		"upgrade s.yaml":                  "mine",
		"needs s.yaml":                    "db.v1.0.0",
		"needs s.yaml --drop":             "mine",
		"whatif s.yaml --drop":            "mine",
		"whatif s.yaml --forbid":          "db.v1.0.0 db.v1.0.0 db.v2.0.0 db.v3.0.0 web.v1.0.0",
		"whatif s.yaml":                   "",
		"list c.jsonl":                    "db web",
		"explain s.yaml":                  "db.v1.0.0 db.v1.0.0 db.v2.0.0 db.v3.0.0 web.v1.0.0",
		"try nowhere.jsonl":               "",
		"try quay.io/nobody/nothing:late": "",
		"explain c.jsonl":                 "",
		"explain image.yaml":              "db.v1.0.0",
		"explain pipe":                    "",
		"try pipe":                        "",
		"graph odd.jsonl":                 "fine",
	} {
		os.Args = append(append([]string{"resolute"}, strings.Fields(line)...), "--generate-shell-completion") // cli looks there
		got := resolute(t.Context(), "", os.Args[1:]...)
		require.Equal(t, want, strings.Join(strings.Fields(got.out), " "), line)
		require.Empty(t, got.errOut, line)
	}
	os.Args = []string{"resolute", "try", "--chan", "--generate-shell-completion"}
	require.Contains(t, resolute(t.Context(), "", os.Args[1:]...).out, "--channel")
}

// TestCompletionExecutesNothing presses TAB in the shells that are installed, behind lines that
// would do something if anybody ran them.
func TestCompletionExecutesNothing(t *testing.T) {
	bin := t.TempDir()
	require.NoError(t, exec.Command("go", "build", "-o", filepath.Join(bin, "resolute"), ".").Run())
	tryCatalogs(t)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("HOME", t.TempDir())
	lines := []string{"resolute validate c.jsonl > kept.txt ", "resolute validate >kept.txt ", "resolute validate $(touch made) ", "resolute validate `touch made` ",
		"resolute validate \"$(touch made)\" ", "resolute validate c.jsonl > kept.txt -", "resolute $(touch made) -", "resolute <(touch made) ", "resolute 'a b' $x${x:=$(touch made)} ",
		"resolute validate a; touch made; resolute ", "resolute validate a | touch made -", "resolute validate 2> kept.txt ", "resolute try c.jsonl $(touch made"}
	for shell, press := range map[string]func(script, line string) string{
		// The parts of the line are what bash passes to the function: split, and not expanded.
		"bash": func(script, line string) string {
			return script + "\nCOMP_LINE=" + quoted(line) + "; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; COMP_WORDS=(" + bashWords(line) + ")\n" +
				`COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); __resolute_complete; printf '%s\n' "${COMPREPLY[@]}"`
		},
		"zsh": func(script, line string) string {
			return "compdef() { :; }; _files() { :; }; _describe() { print -l -- \"${(@P)2}\"; }\n" + script +
				"\nline=" + quoted(line) + "; words=(\"${(@z)line}\"); [[ $line == *' ' ]] && words+=(''); CURRENT=${#words}; _resolute"
		},
		"fish": func(script, line string) string { return script + "\ncomplete --do-complete " + quoted(line) },
	} {
		if _, err := exec.LookPath(shell); err != nil {
			t.Logf("%s is not installed", shell)
			continue
		}
		script := resolute(t.Context(), "", "completion", shell).out
		run := func(line string) string {
			cmd := exec.CommandContext(t.Context(), shell)
			cmd.Stdin = strings.NewReader(press(script, line))
			out, err := cmd.Output()
			require.NoError(t, err, "%s: %s", shell, line)
			return string(out)
		}
		require.Contains(t, run("resolute resol"), "resolve", shell)
		require.Contains(t, run("resolute validate --time"), "--timeout", shell)
		require.Contains(t, run("resolute try c.jsonl "), "web", shell)
		for _, line := range lines {
			require.NoError(t, os.WriteFile("kept.txt", []byte("kept"), 0o600))
			run(line)
			require.NoFileExists(t, "made", "%s: %s", shell, line)
			kept, err := os.ReadFile("kept.txt")
			require.NoError(t, err)
			require.Equal(t, "kept", string(kept), "%s: %s", shell, line)
		}
	}
	pwsh := resolute(t.Context(), "", "completion", "pwsh").out
	require.NotContains(t, strings.ReplaceAll(pwsh, "Out-String | Invoke-Expression", ""), "Invoke-Expression")
	require.NotContains(t, resolute(t.Context(), "", "completion", "bash").out, "eval ")
}

// quoted is a text as one word of a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// bashWords splits a line as bash does for completion, each part quoted.
func bashWords(line string) string {
	parts := regexp.MustCompile("\"[^\"]*\"?|'[^']*'?|\\$\\([^)]*\\)?|`[^`]*`?|[<>]+|[=:]+|[^\\s<>=:]+").FindAllString(line, -1)
	if strings.HasSuffix(line, " ") {
		parts = append(parts, "")
	}
	for i := range parts {
		parts[i] = quoted(parts[i])
	}
	return strings.Join(parts, " ")
}

// TestInterruptedInWords: an interrupt is reported as such, not as a cancelled context.
func TestInterruptedInWords(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, exitIncomplete, resolute(ctx, "", "test", install).status)
	for _, args := range [][]string{{"resolve", install}, {"explain", install, "cert-manager.v1.16.5"}, {"validate", community}, {"audit", community},
		{"render", community}, {"capture", "../../examples/scenarios"}, {"graph", community, "etcd"}} {
		got := resolute(ctx, "", args...)
		require.Equal(t, exitIncomplete, got.status, args)
		require.Contains(t, got.errOut, "interrupted", args)
		require.NotContains(t, got.errOut, "context", args)
	}
}
