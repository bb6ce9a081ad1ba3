package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// injections try to be more than a name in one output or another.
func injections() []string {
	return []string{
		"\x1b[31mred\x1b[0m", "\u009b2J", "a\r\nb\x00\x7f", "\u202egnp.\u2066exe\u2069", "zero\u200bwidth\ufeff\u2028", "аdmіn",
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</svg><svg onload=alert(1)>`, `]]><!--`, `&lt;b&gt;&#60;`,
		`"]; evil [label="`, `"] --> x["`, "%%{init: {}}%%\nclick f0 \"javascript:alert(1)\"", "end\nsubgraph x", "`code`", "javascript:alert(1)",
		"../../../etc/passwd", `C:\windows\system32`, "/absolute", "\\\\server\\share", "-o=json", strings.Repeat("long", 2000),
	}
}

// hostileScenario has a text in every name and message: of catalogs, packages,
// channels, bundles, subscriptions, properties, APIs, rules and what-ifs. The
// first two subscriptions can be met, all three cannot.
func hostileScenario(s string, conflict bool) string {
	type object = map[string]any
	bundle := func(pkg, name, version string, more ...any) object {
		return object{"schema": "olm.bundle", "package": pkg, "name": name, "image": s,
			"properties": append(more, object{"type": "olm.package", "value": object{"packageName": pkg, "version": version}}, object{"type": s, "value": s})}
	}
	api := object{"type": "olm.gvk", "value": object{"group": "g." + s, "version": "v1", "kind": "K" + s}}
	requires := func(c object) object {
		c["failureMessage"] = s
		return object{"type": "olm.constraint", "value": c}
	}
	var blobs []any
	for _, p := range []string{"p" + s, "q" + s, "r" + s} {
		blobs = append(blobs, object{"schema": "olm.package", "name": p, "defaultChannel": s},
			object{"schema": "olm.channel", "package": p, "name": s, "entries": []object{{"name": p + "1"}, {"name": p + "2", "replaces": p + "1", "skips": []string{s}}}},
			bundle(p, p+"1", "1.0.0"),
			object{"schema": "olm.deprecations", "package": p, "entries": []object{{"reference": object{"schema": "olm.package"}, "message": s}}})
	}
	blobs = append(blobs,
		bundle("p"+s, "p"+s+"2", "2.0.0", requires(object{"package": object{"packageName": "q" + s, "versionRange": ">=1.0.0"}})),
		bundle("q"+s, "q"+s+"2", "2.0.0", requires(object{"cel": object{"rule": "true /* " + s}})),
		bundle("r"+s, "r"+s+"2", "2.0.0", api, requires(object{"not": object{"constraints": []object{{"package": object{"packageName": "q" + s, "versionRange": ">=1.0.0"}}}}})),
		bundle("broken"+s, "broken"+s, s))
	subs := []object{{"name": "a" + s, "package": "p" + s}, {"name": "b" + s, "package": "q" + s}}
	if conflict {
		subs = append(subs, object{"name": "c" + s, "package": "r" + s, "startingCSV": "r" + s + "2"}, object{"name": "d" + s, "package": "nowhere" + s, "channel": s})
	}
	out, err := json.Marshal(object{
		"catalogs":      []object{{"name": "c" + strings.ReplaceAll(s, "/", ""), "blobs": blobs}},
		"installed":     []object{{"name": "p" + s + "1", "package": "p" + s, "version": "1.0.0"}, {"name": "gone" + s, "package": "gone" + s, "version": "1.0.0", "automatic": true}},
		"subscriptions": append([]object{{"name": "o" + s, "package": "p" + s, "installedCSV": "p" + s + "1"}}, subs...),
		"forbid":        []object{{"bundle": "r" + s + "1", "message": s}},
		"whatif":        []object{{"name": s, "drop": object{"subscriptions": []string{"a" + s}}, "forbid": []object{{"bundle": "p" + s + "2", "message": s}}}},
	})
	if err != nil {
		panic(err)
	}
	return string(out)
}

// TestOutputsAreInert: whatever is in the names and messages of a scenario and
// of its catalogs, each form of output shows it as text and nothing more.
func TestOutputsAreInert(t *testing.T) {
	// What names of ours give rise to: some hostile ones are refused as the name of
	// a package, and then there is no solution, or no bundle.
	known := make(map[string][]string)
	for _, s := range []string{"tame", "not\x01tame"} {
		for _, unsolvable := range []bool{false, true} {
			for args, got := range allOutputs(t, s, unsolvable) {
				known[args] = append(known[args], skeleton(t, args, got.out)...)
			}
		}
	}
	nothing := write(t, "nothing.yaml", "subscriptions: [{name: a, package: a}]")
	for _, form := range []string{"mermaid", "dot"} { // conflicts of other shapes
		args := "resolve " + form
		for _, file := range []string{conflict, nothing} {
			known[args] = append(known[args], skeleton(t, args, resolute(context.Background(), "", "resolve", "-o", form, file).out)...)
		}
	}
	for i, s := range injections() {
		t.Run(fmt.Sprintf("%d %.20q", i, s), func(t *testing.T) {
			for _, unsolvable := range []bool{false, true} {
				for args, got := range allOutputs(t, s, unsolvable) {
					checkInert(t, args, got, known[args])
				}
			}
		})
	}
}

// allOutputs runs each command that reads a scenario or a catalog, in each form.
func allOutputs(t *testing.T, s string, conflict bool) map[string]result {
	t.Helper()
	dir := t.TempDir()
	file, catalog := filepath.Join(dir, "s.json"), filepath.Join(dir, "c.json")
	text := hostileScenario(s, conflict)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	var in struct {
		Catalogs []struct{ Blobs []json.RawMessage }
	}
	require.NoError(t, json.Unmarshal([]byte(text), &in))
	var blobs []byte
	for _, b := range in.Catalogs[0].Blobs {
		blobs = append(append(blobs, b...), '\n')
	}
	require.NoError(t, os.WriteFile(catalog, blobs, 0o600))
	out := make(map[string]result)
	run := func(command string, forms []string, args ...string) {
		for _, form := range forms {
			got := resolute(context.Background(), "", append([]string{command, "-o", form}, args...)...)
			out[command+" "+form] = got
		}
	}
	run("resolve", []string{"text", "json", "html", "mermaid", "dot"}, file)
	run("whatif", []string{"text", "json"}, file)
	run("converge", []string{"text", "json", "mermaid", "svg"}, file)
	run("explain", []string{"text", "json"}, file, "q"+s+"2")
	run("validate", []string{"text", "json"}, catalog)
	run("audit", []string{"text", "json", "html"}, catalog)
	run("graph", []string{"text", "json", "dot", "mermaid", "svg"}, catalog, "p"+s)
	out["trace text"] = resolute(context.Background(), "", "resolve", "--trace", file)
	out["unknown text"] = resolute(context.Background(), "", "explain", file, s)
	out["missing text"] = resolute(context.Background(), "", "resolve", "nowhere"+s)
	out["package text"] = resolute(context.Background(), "", "graph", catalog, "nowhere"+s)
	return out
}

// checkInert holds an output against what those of tame names are made of.
func checkInert(t *testing.T, args string, got result, known []string) {
	t.Helper()
	require.Contains(t, []int{exitOK, exitNo, exitUnusable}, got.status, args)
	for _, r := range got.errOut {
		require.True(t, r == '\n' || unicode.IsPrint(r), "%s: %U in %.300q", args, r, got.errOut)
	}
	if strings.HasSuffix(args, " json") {
		for line := range strings.SplitSeq(strings.TrimSpace(got.out), "\n") {
			require.True(t, line == "" || json.Valid([]byte(line)), args)
		}
		return
	}
	for i, r := range got.out {
		require.True(t, r == '\n' || unicode.IsPrint(r), "%s: %U in %.300q", args, r, got.out[max(0, i-100):])
	}
	for _, part := range skeleton(t, args, got.out) {
		require.True(t, slices.Contains(known, part), "%s: %q is not among what tame names give rise to", args, part)
	}
}

// skeleton is what an output is made of, without names and numbers; nothing for
// text.
func skeleton(t *testing.T, args, out string) []string {
	t.Helper()
	switch _, form, _ := strings.Cut(args, " "); form {
	case "html", "svg":
		return elementsOf(t, out)
	case "dot", "mermaid":
		out = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"`).ReplaceAllString(out, `""`)
		out = regexp.MustCompile(`\d+`).ReplaceAllString(out, "0")
		return strings.Split(out, "\n")
	}
	return []string{}
}

// elementsOf lists the elements of a page or picture, each with its attributes and
// the values of those that could do something.
func elementsOf(t *testing.T, source string) []string {
	t.Helper()
	if source == "" {
		return nil
	}
	dec := xml.NewDecoder(strings.NewReader(strings.TrimPrefix(source, "<!DOCTYPE html>")))
	dec.Strict, dec.AutoClose, dec.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var out []string
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			slices.Sort(out)
			return slices.Compact(out)
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			line := token.Name.Local
			for _, a := range token.Attr {
				line += " " + a.Name.Local
				if a.Name.Local == "href" || a.Name.Local == "style" {
					require.Regexp(t, `^(#[\w.-]*|[\w:;.,%() -]*)$`, a.Value)
				}
			}
			out = append(out, line)
		case xml.Comment:
			out = append(out, "comment")
		case xml.ProcInst:
			out = append(out, "instruction")
		}
	}
}

// FuzzArguments: no command line makes the program panic or speak in control
// characters, and each ends with one of the four statuses. Nothing but existing
// files is read.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		"resolve\n-", "resolve\n-o\njson\n-", "audit\n--shard\n1/2\n-", "audit\n--shard\n-1/0", "graph\n-\np\nc", "explain\n-\nb", "resolve\n--timeout\n1ns\n-",
		"resolve\n--max-solves\n99999999999999999999\n-", "--help", "resolve\n--trace\n--trace-candidates=-1\n-", "\x1b[31m", "resolve\n-o\n\u202e", "graph\n-o", "--", "validate\na\x00b",
		"audit\n--kubernetes\n1.33.0\n-", "converge\n--max-rounds\n0\n-",
	} {
		f.Add(seed)
	}
	dir, shard := f.TempDir(), regexp.MustCompile(`^-?[0-9]+/-?[0-9]+$`)
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\n")
		for _, a := range args { // files are only found in an empty directory
			if strings.ContainsAny(a, "/\\") && !shard.MatchString(a) {
				return
			}
		}
		t.Chdir(dir)
		got := resolute(context.Background(), "subscriptions: [{name: a, package: b}]", args...)
		require.Contains(t, []int{exitOK, exitNo, exitUnusable, exitIncomplete}, got.status)
		for _, r := range got.errOut {
			require.True(t, r == '\n' || unicode.IsPrint(r), "%U in %q", r, got.errOut)
		}
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Empty(t, left, "nothing is written")
	})
}
