//go:build linux

package main

import (
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
)

// openTerminal opens a terminal of so many columns: what is written to tty is read from
// screen.
func openTerminal(t *testing.T, columns uint16) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo terminals here: ", err)
	}
	control := func(of *os.File, request uintptr, value unsafe.Pointer) {
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, of.Fd(), request, uintptr(value))
		require.Zero(t, errno)
	}
	unlocked, number := int32(0), uint32(0)
	control(screen, syscall.TIOCSPTLCK, unsafe.Pointer(&unlocked))
	control(screen, syscall.TIOCGPTN, unsafe.Pointer(&number))
	tty, err = os.OpenFile("/dev/pts/"+strconv.Itoa(int(number)), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	size := [4]uint16{40, columns}
	control(tty, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	return screen, tty
}

// onTerminal runs the program with its output on a terminal.
func onTerminal(t *testing.T, columns uint16, args ...string) (out string, status int) {
	t.Helper()
	return withTerminal(t, columns, func(tty *os.File) int {
		return run(t.Context(), append([]string{"resolute"}, args...), strings.NewReader(""), tty, io.Discard)
	})
}

// withTerminal returns the output on a terminal, and the exit status.
func withTerminal(t *testing.T, columns uint16, run func(tty *os.File) int) (out string, status int) {
	t.Helper()
	screen, tty := openTerminal(t, columns)
	defer screen.Close()
	read := make(chan string)
	go func() {
		b, _ := io.ReadAll(screen) // ends with an error once nobody has the terminal open
		read <- string(b)
	}()
	status = run(tty)
	require.NoError(t, tty.Close())
	return strings.ReplaceAll(<-read, "\r\n", "\n"), status
}

var painted = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestTerminalWidths: on a terminal no line is wider than that, but for commands, which are
// not broken; tables keep their columns, or become blocks.
func TestTerminalWidths(t *testing.T) {
	t.Setenv("TERM", "xterm")
	const rabbit = "rabbitmq-messaging-topology-operator"
	try := []string{"try", "../../examples/catalogs/community", rabbit}
	alternatives := []string{"resolve", "../../examples/scenarios/alternatives.yaml"}
	tables := map[string][]string{ // by width, what a table or block looks like
		"120 try":          {"WAVE  ACTION     BUNDLE                                       CHANNEL  BECAUSE\n0     + install  cert-manager 1.16.5 ", "stable   required by " + rabbit + "\n"},
		"80 try":           {"0  + install cert-manager.v1.16.5\n   channel stable\n   required by " + rabbit + ".v1.19.3\n"},
		"40 try":           {"\n   channel stable\n   subscription\n    " + rabbit + "\n"},
		"120 alternatives": {"BUNDLE                           CATALOG        CHANNEL  BECAUSE\n0     + install  service-binding-operator.v1.4.0  olm/community  stable "},
		"80 alternatives":  {"WAVE  ACTION     BUNDLE                          CHANNEL  BECAUSE\n0     + install  service-binding-operator 1.4.0  stable   required by\n" + strings.Repeat(" ", 58) + "dbaas-operator\n"},
		"60 alternatives":  {"0  + install service-binding-operator.v1.4.0\n   channel stable\n   required by dbaas-operator.v0.5.0\n"},
		"80 loop":          {"PACKAGE         NOW    ROUND 1  ROUND 2  ROUND 3\ntempo-operator  1.0.1  1.1.0    1.0.2    1.1.0\n"},
		"40 loop":          {"tempo-operator\n  now      1.0.1\n  round 1  1.1.0\n", "  ~ tempo-operator.v1.1.0 ->\n      tempo-operator.v1.0.2 (downgrade)\n"},
		"80 priorities":    {"0  + install cert-manager-operator.v1.15.1\n   channel stable-v1 of olm/certified\n"},
	}
	for name, args := range map[string][]string{
		"try": try, "alternatives": alternatives, "loop": {"converge", "../../examples/scenarios/loop.yaml"}, "priorities": {"resolve", "../../examples/scenarios/priorities.yaml"},
		"conflict": {"resolve", conflict}, "upgrade": {"resolve", "../../examples/scenarios/upgrade.yaml"}, "whatif": {"whatif", "../../examples/scenarios/alternatives.yaml"},
		"graph": {"graph", "--installed", "etcdoperator.v0.9.1@0.9.1", "../../examples/catalogs/community", "etcd"},
	} {
		for _, width := range []int{120, 80, 60, 40} {
			out, _ := onTerminal(t, uint16(width), args...)
			out = painted.ReplaceAllString(out, "")
			for line := range strings.Lines(out) {
				command := strings.HasPrefix(strings.TrimSpace(line), "kubectl ")
				word := !strings.Contains(strings.TrimSpace(line), " ")
				if !command && !word {
					require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), width, line)
				}
			}
			for _, want := range tables[strconv.Itoa(width)+" "+name] {
				require.Contains(t, out, want, "%s at %d", name, width)
			}
			if name == "conflict" {
				require.Contains(t, out, "kubectl -n gateways delete subscription.operators.coreos.com authorization\n")
			}
		}
		piped := run1(t, args...).out
		require.NotContains(t, piped, "\x1b", "no terminal")
	}
	piped := run1(t, try...).out
	require.Contains(t, piped, "0     + install  rabbitmq-cluster-operator.v2.22.3             default/community  stable   required by "+rabbit+".v1.19.3\n", "in full")
}

// TestHelpOnATerminal: the help fits, options keep their columns where there is room, and an
// example is not broken.
func TestHelpOnATerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	commands := []string{"--help"}
	for _, c := range (&app{out: terminal.New(io.Discard)}).commands("") {
		commands = append(commands, c.Name)
	}
	for _, width := range []int{100, 80, 60} {
		for _, name := range commands {
			out, _ := onTerminal(t, uint16(width), "help", name)
			if name == "--help" {
				out, _ = onTerminal(t, uint16(width), name)
			}
			for line := range strings.Lines(out) {
				usage := strings.HasPrefix(line, "   resolute "+name+" ") // is to be copied
				require.True(t, usage || utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) <= width, "%s at %d: %s", name, width, line)
			}
		}
	}
	out, _ := onTerminal(t, 80, "help", "whatif")
	for _, part := range []string{
		"   --drop, --pin and --forbid together form one what-if that replaces those of\n   the scenario. For example:\n",
		"\n   resolute whatif shop.yaml --drop cache --pin web=web.v1.4.0 --forbid db.v3.0.0\n\n   The exit",
		"\n   --forbid BUNDLE [ --forbid BUNDLE ]\n       what if BUNDLE were forbidden; repeatable\n",
		"\n   --max-bundles N     stop after N candidate bundles; 0 means the default, a\n                       negative number no limit (default: 2000000)\n",
	} {
		require.Contains(t, out, part)
	}
}

// TestErrorsOnATerminal: errors are broken between words, as answers are.
func TestErrorsOnATerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	out, status := withTerminal(t, 60, func(tty *os.File) int {
		return run(t.Context(), []string{"resolute", "try", "../../examples/catalogs/community", "etcd=9"}, strings.NewReader(""), io.Discard, tty)
	})
	require.Equal(t, exitUnusable, status)
	require.Equal(t, "resolute: etcd=9: \"9\" is not a version such as 1.2.3 or a\n    range such as '>=1.2.0 <2.0.0'; did you mean 9.0.0 or\n    '>=9.0.0 <10.0.0'?\n", out)
}

// TestTerminalWideCharacters: characters that take two columns count as two.
func TestTerminalWideCharacters(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("c.jsonl", []byte(universe.JSON(t, "web/通道 web.v1.0.0\ndb/stable db.v1.0.0")), 0o600))
	out, status := onTerminal(t, 80, "try", "c.jsonl", "web", "db")
	require.Equal(t, exitOK, status, out)
	require.Contains(t, painted.ReplaceAllString(out, ""), ""+
		"WAVE  ACTION     BUNDLE      CATALOG    CHANNEL  BECAUSE\n"+
		"0     + install  db.v1.0.0   default/c  stable   subscription db\n"+
		"0     + install  web.v1.0.0  default/c  通道     subscription web\n")
}

// TestColor: --color, and the variables that count without it.
func TestColor(t *testing.T) {
	const green = "\x1b[32m+ install\x1b[0m"
	for _, tt := range []struct {
		when, noColor, force string
		terminal             bool
		coloured             bool
	}{
		{terminal: true, coloured: true},
		{when: "auto", terminal: true, coloured: true},
		{when: "never", terminal: true},
		{when: "always", coloured: true},
		{when: "always", noColor: "1", coloured: true},
		{when: "never", force: "1"},
		{},
		{force: "1", coloured: true},
		{force: "0"},
		{noColor: "1", terminal: true},
		{noColor: "1", force: "1"},
	} {
		t.Setenv("TERM", "xterm")
		t.Setenv("NO_COLOR", tt.noColor)
		t.Setenv("CLICOLOR_FORCE", tt.force)
		args := []string{"try", "../../examples/catalogs/community", "etcd"}
		if tt.when != "" {
			args = append(args, "--color", tt.when)
		}
		out := run1(t, args...).out
		if tt.terminal {
			out, _ = onTerminal(t, 80, args...)
		}
		require.Equal(t, tt.coloured, strings.Contains(out, green), "%+v: %s", tt, out)
		require.Equal(t, tt.coloured, strings.Contains(out, "\x1b["), "%+v: %s", tt, out)
	}
	got := run1(t, "--color", "sometimes", "try", "../../examples/catalogs/community", "etcd")
	require.Equal(t, exitUnusable, got.status)
	require.Contains(t, got.errOut, `"sometimes" is not auto, always or never`)
	require.Equal(t, exitOK, run1(t, "--color=never", "help", "try").status)
}

// TestColoursOfActions: an upgrade is yellow, a downgrade red, what stays is dim.
func TestColoursOfActions(t *testing.T) {
	out := run1(t, "--color", "always", "converge", "../../examples/scenarios/loop.yaml").out
	require.Contains(t, out, "  \x1b[33m~\x1b[0m tempo-operator.v1.0.1 -> tempo-operator.\x1b[33mv1.1.0\x1b[0m\n")
	require.Contains(t, out, "  \x1b[31m~\x1b[0m tempo-operator.v1.1.0 -> tempo-operator.\x1b[31mv1.0.2\x1b[0m (downgrade)\n")
	out = run1(t, "--color", "always", "resolve", "../../examples/scenarios/upgrade.yaml").out
	require.Regexp(t, `\x1b\[2m= keep\x1b\[0m +\x1b\[2mgrafana-operator.v5.9.2\x1b\[0m`, out)
	out = run1(t, "--color", "always", "whatif", "../../examples/scenarios/alternatives.yaml").out
	require.Contains(t, out, "  \x1b[31m~\x1b[0m service-binding-operator.v1.4.0 -> service-binding-operator.\x1b[31mv1.3.4\x1b[0m (downgrade)\n")
	require.Contains(t, out, "  \x1b[32m+\x1b[0m rh-service-binding-operator.\x1b[32mv1.4.1\x1b[0m\n")
	require.Contains(t, out, "  \x1b[31m-\x1b[0m service-binding-operator.\x1b[31mv1.4.0\x1b[0m\n")
}
