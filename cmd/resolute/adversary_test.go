package main

import (
	"bytes"
	"context"
	"encoding/json"
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
	"go.yaml.in/yaml/v3"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// injections try to be more than a name in one output or another.
func injections() []string {
	return []string{
		strings.Repeat("long", testkit.Times(500, 2000)),
		"\x1b[31mred\x1b[0m", "\u009b2J", "a\r\nb\x00\x7f", "\u202egnp.\u2066exe\u2069", "zero\u200bwidth\ufeff\u2028", "аdmіn",
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</svg><svg onload=alert(1)>`, `]]><!--`, `&lt;b&gt;&#60;`,
		`"]; evil [label="`, `"] --> x["`, "%%{init: {}}%%\nclick f0 \"javascript:alert(1)\"", "end\nsubgraph x", "`code`", "javascript:alert(1)",
		"\n::error::x", "%0A::error::x", "](javascript:alert(1)) ![](//x)\n# <b>@all</b>", "\n1 -2 0\np cnf 1 1", "a: b\n- c # d", "{{ .Name }}",
		"../../../etc/passwd", `C:\windows\system32`, "/absolute", "\\\\server\\share", "-o=json", `\u001b[2J`, "\t\v\f\b\a", "::stop-commands::x", "##[add-mask]x", "x ##[GROUP]y", "##vso[task.setvariable variable=x]y", " \t::error::x",
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
	for _, p := range []string{"plain", "other"} { // which a mirror is made of
		blobs = append(blobs, object{"schema": "olm.package", "name": p, "defaultChannel": s}, object{"schema": "olm.channel", "package": p, "name": s, "entries": []object{{"name": p + ".v1"}}},
			object{"schema": "olm.deprecations", "package": p, "entries": []object{{"reference": object{"schema": "olm.channel", "name": s}, "message": s}}})
	}
	blobs = append(blobs, bundle("other", "other.v1", "1.0.0"),
		bundle("plain", "plain.v1", "1.0.0", requires(object{"package": object{"packageName": "other", "versionRange": ">=1.0.0"}})),
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
	answering := []string{"resolve", "whatif", "explain", "validate", "converge"}
	for _, s := range []string{"tame", "not\x01tame"} {
		for _, unsolvable := range []bool{false, true} {
			some := answering
			if !unsolvable {
				some = nil // every command
			}
			for args, got := range allOutputs(t, s, unsolvable, some...) {
				known[formOf(args)] = append(known[formOf(args)], skeleton(t, args, got.out)...)
			}
		}
	}
	nothing := write(t, "nothing.yaml", "subscriptions: [{name: a, package: a}]")
	for _, form := range []string{"mermaid", "dot"} { // conflicts of other shapes
		args := "resolve " + form
		for _, file := range []string{conflict, nothing} {
			known[form] = append(known[form], skeleton(t, args, resolute(context.Background(), "", "resolve", "-o", form, file).out)...)
		}
	}
	for i, s := range injections() {
		if i > 0 && !testkit.Long() {
			continue // all of them stand in the names of the next loop
		}
		t.Run(fmt.Sprintf("%d %.20q", i, s), func(t *testing.T) {
			for _, unsolvable := range []bool{false, true} {
				for args, got := range allOutputs(t, s, unsolvable, answering...) {
					checkInert(t, args, got, known[formOf(args)])
				}
			}
		})
	}
	for some := range slices.Chunk(injections()[1:], testkit.Times(16, 6)) { // every command; without the long one, as all together would be too long
		t.Run("several", func(t *testing.T) {
			for args, got := range allOutputs(t, "\n"+strings.Join(some, " "), false) {
				checkInert(t, args, got, known[formOf(args)])
			}
		})
	}
}

// allOutputs runs each command that reads a scenario, a catalog or a dump, or only some, in
// each form.
func allOutputs(t *testing.T, s string, conflict bool, some ...string) map[string]result {
	t.Helper()
	dir := t.TempDir()
	file, catalog := filepath.Join(dir, "s.json"), filepath.Join(dir, "c.json")
	text := hostileScenario(s, conflict)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	var in struct {
		Catalogs []struct{ Blobs []json.RawMessage }
	}
	require.NoError(t, json.Unmarshal([]byte(text), &in))
	catalogKey := "c" + strings.ReplaceAll(s, "/", "")
	names := map[string]string{"SCENARIO": file, "CATALOG": catalog, "PACKAGE": "p" + s, "BUNDLE": "q" + s + "2", "SUBSCRIBED": "b" + s}
	put := func(name, file string, text []byte) {
		names[name] = filepath.Join(dir, file)
		require.NoError(t, os.WriteFile(names[name], text, 0o600))
	}
	blobs := in.Catalogs[0].Blobs
	put("CATALOG", "c.json", append(lines(blobs), hostileLifecycles(s)...))
	put("PREVIOUS", "old.json", lines(blobs[:len(blobs)-3]))
	put("MIRROR", "mirror.json", hostileMirror(s))
	put("DUMP", "dump.json", hostileDump(s))
	put("WHATIFS", "whatifs.json", []byte(text))
	out := make(map[string]result)
	commands := commandLines()
	commands["capture text"] = []string{"capture", "--migrate", "DUMP"}
	for _, form := range []string{"html", "markdown", "sarif", "junit", "github"} {
		commands["capture "+form] = []string{"capture", "-o", form, "DUMP"}
	}
	commands["capture json"] = []string{"capture", "-o", "json", "--catalog", "ns/c=CATALOG", "DUMP"}
	for command, line := range commands {
		if some != nil && !slices.Contains(some, line[0]) {
			continue
		}
		args := slices.Clone(line)
		for i, arg := range args {
			key, value, both := strings.Cut(arg, "=")
			if key == "c" {
				key = catalogKey
			}
			if name, ok := names[value]; both && ok {
				args[i] = key + "=" + name
			} else if name, ok := names[arg]; ok {
				args[i] = name
			}
		}
		out[command] = resolute(context.Background(), "", args...)
	}
	out["trace text"] = resolute(context.Background(), "", "resolve", "--trace", file)
	out["unknown text"] = resolute(context.Background(), "", "explain", file, s)
	out["missing text"] = resolute(context.Background(), "", "resolve", "nowhere"+s)
	out["package text"] = resolute(context.Background(), "", "graph", catalog, "nowhere"+s)
	return out
}

// lines writes an object a line.
func lines[T any](objects []T) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	for _, o := range objects {
		if err := enc.Encode(o); err != nil {
			panic(err)
		}
	}
	return out.Bytes()
}

// hostileLifecycles says until when packages are supported, with a text in every name.
func hostileLifecycles(s string) []byte {
	type object = map[string]any
	var out []object
	for _, p := range []string{"p" + s, "q" + s} {
		out = append(out, object{"schema": "io.openshift.operators.lifecycles.v1alpha1", "package": p, "versions": []object{
			{"name": "1.0", "phases": []object{{"name": s, "startDate": "2024-01-01", "endDate": "2025-01-01"}, {"name": "b" + s, "startDate": s}}}, {"name": s}}})
	}
	return lines(out)
}

// hostileMirror is a configuration of oc-mirror with a text in every name.
func hostileMirror(s string) []byte {
	type object = map[string]any
	return lines([]object{{"kind": "ImageSetConfiguration", "apiVersion": "mirror.openshift.io/v2alpha1", "x" + s: s, "mirror": object{"operators": []object{{
		"catalog": "registry.example/c", "targetTag": s, "y" + s: s,
		"packages": []object{{"name": "plain", "z" + s: s}},
	}}, "blockedImages": []object{{"name": "no" + s}}, "additionalImages": []object{{"name": s}}}}})
}

// hostileDump is a dump of a cluster with a text in every name and message.
func hostileDump(s string) []byte {
	type object = map[string]any
	entity := func(group, kind, name string, spec, status object) object {
		return object{"apiVersion": "operators.coreos.com/" + group, "kind": kind, "metadata": object{"name": name, "namespace": "ns", "labels": object{s: s}, "annotations": object{s: s, "operatorframework.io/properties": s}}, "spec": spec, "status": status}
	}
	failed := []object{{"type": "ResolutionFailed", "status": "True", "reason": s, "message": s}, {"type": "CatalogSourcesUnhealthy", "status": "True", "reason": s, "message": s}}
	return lines([]object{
		entity("v1", "OperatorGroup", "og", object{"targetNamespaces": []string{s}}, nil),
		entity("v1", "OperatorGroup", "other", object{"targetNamespaces": []string{"ns"}, "serviceAccountName": s}, object{"conditions": failed}),
		entity("v1alpha1", "CatalogSource", "c", object{"sourceType": "grpc", "image": s, "address": s, "displayName": s}, object{"message": s, "connectionState": object{"lastObservedState": s}}),
		entity("v1alpha1", "Subscription", "a", object{"name": "p" + s, "channel": s, "source": "c", "sourceNamespace": "ns", "installPlanApproval": "Manual"},
			object{"installedCSV": "p" + s + "1", "currentCSV": "p" + s + "2", "state": "UpgradePending", "installPlanRef": object{"name": "plan"}, "conditions": failed}),
		entity("v1alpha1", "Subscription", "b", object{"name": "p" + s, "channel": s, "source": "gone" + s, "sourceNamespace": s}, object{"state": s, "conditions": failed}),
		entity("v1alpha1", "ClusterServiceVersion", "p", object{"version": "1.0.0", "replaces": s, "customresourcedefinitions": object{
			"owned": []object{{"name": "x." + s, "version": "v1", "kind": "K" + s}}, "required": []object{{"name": "y." + s, "version": "v1", "kind": "L" + s}}}}, object{"phase": "Failed", "reason": s, "message": s}),
		entity("v1alpha1", "ClusterServiceVersion", "q", object{"version": s}, object{"phase": s}),
		entity("v1alpha1", "InstallPlan", "plan", object{"approval": "Manual", "approved": false, "clusterServiceVersionNames": []string{"p" + s + "2", s}}, object{"phase": "Failed", "message": s, "conditions": failed,
			"bundleLookups": []object{{"identifier": s, "path": s, "replaces": s, "catalogSourceRef": object{"name": s, "namespace": s}, "conditions": failed}}}),
		{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": object{"name": "x." + s}, "spec": object{"group": s, "names": object{"kind": s, "plural": s}, "versions": []object{{"name": s, "served": true}}}},
		{"apiVersion": s, "kind": s, "metadata": object{"name": s}},
	})
}

// checkInert holds an output against what those of tame names are made of.
func checkInert(t *testing.T, args string, got result, known []string) {
	t.Helper()
	require.Contains(t, []int{exitOK, exitNo, exitUnusable}, got.status, args)
	hidden := func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
	require.False(t, strings.ContainsFunc(got.errOut, hidden), "%s: %.300q", args, got.errOut)
	requireNoCommand(t, args, got.errOut)
	switch form := formOf(args); form {
	case "json", "catalog", "certificate":
		for line := range strings.SplitSeq(strings.TrimSpace(got.out), "\n") {
			require.True(t, line == "" || json.Valid([]byte(line)), args)
		}
		return
	case "sarif":
		require.True(t, got.out == "" || json.Valid([]byte(got.out)), args)
		return
	case "yaml", "isc", "installplan":
		dec := yaml.NewDecoder(strings.NewReader(got.out))
		for err := error(nil); err != io.EOF && (form != "installplan" || got.status == exitOK); { // a conflict is text there
			var n yaml.Node
			if err = dec.Decode(&n); err != io.EOF {
				require.NoError(t, err, "%s: %.500s", args, got.out)
			}
		}
	case "text":
		requireNoCommand(t, args, got.out)
	case "github", "dimacs":
		require.NotRegexp(t, logCommand, got.out, args)
		each := map[string]string{"github": "^(::(error|warning|notice) [^:]*::.*)?$", "dimacs": "^(c .*|c|p cnf [0-9 ]+|[-0-9 ]+|)$"}[form]
		for line := range strings.SplitSeq(got.out, "\n") {
			require.Regexp(t, each, line, args)
		}
	}
	if i := strings.IndexFunc(got.out, hidden); i >= 0 {
		require.Fail(t, args, "%q", got.out[max(0, i-100):min(len(got.out), i+200)])
	}
	for _, part := range skeleton(t, args, got.out) {
		require.True(t, slices.Contains(known, part), "%s: %q is not among what tame names give rise to", args, part)
	}
}

// logCommand is a command that a runner of workflows takes from anywhere in a line, and
// lineCommand one with which a line begins.
var (
	logCommand  = regexp.MustCompile(`##[A-Za-z]*\[`)
	lineCommand = regexp.MustCompile(`(?m)^\s*::\S.*::`)
)

// requireNoCommand holds that a runner of workflows finds nothing to execute in an output.
func requireNoCommand(t *testing.T, args, out string) {
	t.Helper()
	require.NotRegexp(t, logCommand, out, args)
	require.NotRegexp(t, lineCommand, out, args)
}

// TestNamesOfFoldersAreNoCommands: a runner of workflows executes nothing that stands in the
// name of a folder or file, whatever a command prints about it.
func TestNamesOfFoldersAreNoCommands(t *testing.T) {
	for _, name := range []string{"##[add-mask]x", "a##[Group]b", "##vso[task.x]y", "::error::x", " ::STOP-COMMANDS::x"} {
		t.Chdir(t.TempDir())
		require.NoError(t, os.MkdirAll(filepath.Join(name, name), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(name, name, name+".json"), []byte(`{"schema": "olm.channel", "package": "p", "name": "c", "entries": [{"name": "p.v1"}]} {`), 0o600))
		good := filepath.Join(name, "good.yaml")
		require.NoError(t, os.WriteFile(good, []byte("---\nschema: olm.package\nname: p\ndefaultChannel: nowhere\n"), 0o600))
		missing := filepath.Join(name, "missing")
		for _, form := range []string{"text", "github"} {
			for _, args := range [][]string{{"validate", "-o", form, name}, {"validate", "-o", form, good}, {"validate", "-o", form, missing},
				{"audit", "-o", form, name}, {"diff", "-o", form, name, name}, {"diff", "-o", form, good, name}, {"capture", "-o", form, name}, {"test", "-o", form, name}} {
				got := resolute(context.Background(), "", args...)
				words := strings.Join(args, " ")
				requireNoCommand(t, words, got.errOut)
				require.NotRegexp(t, logCommand, got.out, words)
				if form == "text" {
					requireNoCommand(t, words, got.out)
				}
			}
		}
		for _, args := range [][]string{{"resolve", name}, {"resolve", good}, {"resolve", missing}, {"test", name}, {"graph", name, name}, {"graph", missing, "p"}, {"try", name, name}, {"mirror", missing}, {"explain", missing, name}, {name}, {"--" + name}} {
			got := resolute(context.Background(), "", args...)
			requireNoCommand(t, strings.Join(args, " "), got.out+"\n"+got.errOut)
		}
	}
}

// formOf returns the form of an output.
func formOf(args string) string { return args[strings.LastIndex(args, " ")+1:] }

// skeleton is what an output is made of, without names and numbers; nothing for
// text.
func skeleton(t *testing.T, args, out string) []string {
	t.Helper()
	switch formOf(args) {
	case "html", "svg", "junit":
		return elementsOf(t, out)
	case "markdown":
		out = regexp.MustCompile(`\\.|&#?\w+;`).ReplaceAllString(out, "")
		return regexp.MustCompile("<[^>]*>?|\\]\\(|`+|://|@|(?m:^#+|^\\|)").FindAllString(out, -1)
	case "dot", "mermaid":
		out = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"`).ReplaceAllString(out, `""`)
		out = regexp.MustCompile(`\d+`).ReplaceAllString(out, "0")
		out = regexp.MustCompile(`(?m)^  (class|linkStyle) [\w,]+`).ReplaceAllString(out, "  $1 ids")
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
	p := parsePage(t, source)
	for _, a := range p.attributes {
		if a.Name.Local == "href" || a.Name.Local == "style" {
			require.Regexp(t, `^(#[\w.-]*|[\w:;.,%() -]*)$`, a.Value)
		}
	}
	slices.Sort(p.elements)
	return slices.Compact(p.elements)
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
