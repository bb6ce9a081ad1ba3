package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/internal/testkit/universe"
)

// TestSchemas: the schemas are those of the types that the commands write. `go test
// ./cmd/resolute -run TestSchemas -update` renews them.
func TestSchemas(t *testing.T) {
	files := newSchemas(t).files()
	for name, data := range files {
		file := filepath.Join("schema", name)
		if *update {
			require.NoError(t, os.WriteFile(file, data, 0o644))
		}
		there, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(there), string(data), "%s is not what the command prints; renew it with -update", file)
	}
	there, err := filepath.Glob("schema/*.json")
	require.NoError(t, err)
	require.Len(t, there, len(files))
}

// TestEachCommandHasASchema: each command with -o json has one, and no other.
func TestEachCommandHasASchema(t *testing.T) {
	var with []string
	for _, c := range application().commands("") {
		for _, f := range c.Flags {
			if o, ok := f.(*cli.StringFlag); ok && o.Name == "output" && o.Validator("json") == nil {
				with = append(with, c.Name)
			}
		}
	}
	var described []string
	for _, c := range printed() {
		described = append(described, c.command)
	}
	slices.Sort(with)
	require.Equal(t, described, with)
}

// kept are the files of the schemas, wherever a test runs.
//
//go:embed schema/*.json
var kept embed.FS

// compiled are the schemas of the commands, by name.
var compiled = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.DefaultDraft(jsonschema.Draft2020)
	files, err := fs.Glob(kept, "schema/*.json")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		data, err := kept.ReadFile(file)
		if err != nil {
			return nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		if err := c.AddResource(schemaID+filepath.Base(file), doc); err != nil {
			return nil, err
		}
	}
	out := make(map[string]*jsonschema.Schema)
	for _, file := range files {
		name := filepath.Base(file)
		s, err := c.Compile(schemaID + name)
		if err != nil {
			return nil, err
		}
		out[strings.TrimSuffix(name, ".json")] = s
	}
	return out, nil
})

// checkJSON holds what a command printed against its schema.
func checkJSON(command, out string) error {
	all, err := compiled()
	if err != nil {
		return err
	}
	s := all[command]
	if s == nil {
		return fmt.Errorf("%s has no schema", command)
	}
	dec := json.NewDecoder(strings.NewReader(out))
	dec.UseNumber()
	for {
		var line any
		err := dec.Decode(&line)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = s.Validate(line)
		}
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", command, err, out[:min(len(out), 2000)])
		}
	}
}

// unlike are the runs of this package's tests whose JSON is not as the schema has it.
var unlike struct {
	sync.Mutex
	runs []string
	seen map[string]int // runs with JSON, by command
}

// checked holds the output of a run against the schema, if it is JSON: each test that runs a
// command is a test of its schema. Exceptions are found at the end, by TestMain.
func checked(args []string, out string) {
	command := jsonOf(args)
	if command == "" {
		return
	}
	err := checkJSON(command, out)
	unlike.Lock()
	defer unlike.Unlock()
	if unlike.seen == nil {
		unlike.seen = make(map[string]int)
	}
	unlike.seen[command]++
	if err != nil {
		unlike.runs = append(unlike.runs, fmt.Sprintf("%s: %v", strings.Join(args, " "), err))
	}
}

// jsonOf is the command of arguments whose output is JSON, empty for all others.
func jsonOf(args []string) string {
	isJSON := slices.Contains(args, "-o=json") || slices.Contains(args, "--output=json")
	for i, arg := range args {
		isJSON = isJSON || (arg == "-o" || arg == "--output") && i+1 < len(args) && args[i+1] == "json"
	}
	at := slices.IndexFunc(args, func(arg string) bool {
		return slices.ContainsFunc(printed(), func(c printer) bool { return c.command == arg })
	})
	if !isJSON || at < 0 {
		return ""
	}
	return args[at]
}

// corpus runs each command with -o json, for each exit status that it has.
func corpus(t *testing.T) map[string][]string {
	t.Helper()
	const examples, scenarios = "../../examples/", "../../examples/scenarios/"
	community := examples + "catalogs/community"
	missing := write(t, "missing.yaml", "catalogs: [{name: c, path: nowhere}]\nsubscriptions: [{name: a, package: a}]")
	wrong := write(t, "wrong.yaml", "subscriptions: [{name: a}]")
	differs := write(t, "differs.yaml", "expect: {status: unsatisfiable}")
	all, err := filepath.Glob(scenarios + "*")
	require.NoError(t, err)
	perFile := func(command string) []string {
		return append([]string{command + " " + missing + " " + wrong + " nowhere.yaml " + install, command + " --timeout 1ns " + install, command + " --max-bundles 1 " + install},
			command+" "+strings.Join(all, " "))
	}
	out := map[string][]string{
		"resolve": append(perFile("resolve"), "resolve --trace --trace-times "+install+" "+conflict, "resolve "+examples, "resolve --trace "+strings.Join(all, " ")),
		"whatif":  append(perFile("whatif"), "whatif --drop nothing "+install, "whatif --drop messaging "+install),
		"test":    append(perFile("test"), "test "+scenarios, "test "+differs),
		"try": {"try " + community + " etcd", "try " + community + " nothing", "try nowhere etcd", "try --timeout 1ns " + community + " etcd",
			"try --explain cert-manager.v1.16.5 " + community + " cert-manager=<1.16.0"},
		"validate": {"validate " + community, "validate " + examples + "catalogs/untidy.yaml nowhere", "validate --timeout 1ns " + community, "validate nowhere"},
		"audit": {"audit " + community, "audit " + examples + "catalogs/untidy.yaml", "audit nowhere", "audit --timeout 1ns " + community, "audit --max-rounds 1 --shard 0/2 " + community,
			"audit --max-bundles 1 " + community},
		"graph": {"graph " + community + " etcd", "graph --all-edges --installed etcdoperator.v0.9.1@0.9.1 " + community + " etcd", "graph " + community + " nothing", "graph nowhere etcd",
			"graph --across a=" + community + " b=" + examples + "catalogs/certified.yaml etcd", "graph --across --installed cert-manager.v1.15.0 a=" + community + " cert-manager", "graph --across a cert-manager"},
		"list":    {"list " + community, "list " + community + " cert", "list " + community + " zzz", "list nowhere", "list --timeout 1ns " + community},
		"capture": {"capture " + write(t, "dump.yaml", dumped), "capture --migrate --catalog olm/goods=" + write(t, "goods.jsonl", universe.JSON(t, goods)) + " " + write(t, "dump.yaml", dumped), "capture nowhere", "capture --timeout 1ns nowhere"},
		"render":  {"render " + community},
		"version": {"version"},
		"images":  {"images"},
		"mirror": {"mirror " + examples + "mirror/imageset.yaml --catalog registry.example.com/community-operator-index:v4.19=" + community, "mirror nowhere",
			"mirror " + write(t, "isc.yaml", strings.ReplaceAll(imageSet(t), "grafana-operator", "grafana-operators")) + " --catalog registry.example.com/community-operator-index:v4.19=" + community,
			"mirror --timeout 1ns " + examples + "mirror/imageset.yaml"},
		"ready": {"ready " + scenarios + "upgrade.yaml --next olm/community=" + community + " --openshift 4.19", "ready " + missing + " " + wrong + " " + install + " --openshift 4.19",
			"ready --timeout 1ns --openshift 4.19 " + install, "ready nowhere --openshift 4.19", "ready --shard 0/2 --openshift 4.19 " + strings.Join(all, " ")},
	}
	for _, s := range all {
		out["converge"] = append(out["converge"], "converge "+s)
		out["explain"] = append(out["explain"], "explain "+s+" cert-manager", "explain "+s+" strimzi-cluster-operator.v0.51.0")
		out["needs"] = append(out["needs"], "needs "+s)
	}
	for _, command := range []string{"channels", "converge", "explain", "needs", "upgrade"} {
		arg := map[string]string{"channels": " a", "explain": " a", "upgrade": " a"}[command]
		out[command] = append(out[command], command+" "+missing+arg, command+" "+wrong+arg, command+" nowhere.yaml"+arg, command+" --timeout 1ns "+install+arg, command+" --max-bundles 1 "+install+arg)
	}
	out["upgrade"] = append(out["upgrade"], "upgrade "+scenarios+"upgrade.yaml etcd", "upgrade "+scenarios+"upgrade.yaml messaging", "upgrade "+scenarios+"upgrade.yaml nothing", "upgrade "+scenarios+"upgrade.yaml etcd=9.9.9")
	out["channels"] = append(out["channels"], "channels "+scenarios+"upgrade.yaml dashboards", "channels "+scenarios+"upgrade.yaml etcd", "channels "+install+" messaging", "channels "+install+" nothing")
	for _, c := range printed() { // wrong usage
		out[c.command] = append(out[c.command], c.command+" --strict=maybe --no-such-flag")
		if c.command != "images" && c.command != "version" {
			out[c.command] = append(out[c.command], c.command)
		}
	}
	out["images"] = append(out["images"], "images --clear", "images --remove nothing")
	out["needs"] = append(out["needs"], "needs --drop messaging "+scenarios+"upgrade.yaml", "needs "+scenarios+"upgrade.yaml nothing")
	proof := write(t, "proof.json", resolute(t.Context(), "", "resolve", "-o", "certificate", install).out)
	none := write(t, "none.json", resolute(t.Context(), "", "resolve", "-o", "certificate", conflict).out)
	out["verify"] = []string{"verify --scenario " + install + " " + proof, "verify --scenario " + conflict + " " + none, "verify --scenario " + conflict + " " + proof,
		"verify --scenario " + install + " " + wrong, "verify --timeout 1ns --scenario " + install + " " + proof}
	locked := write(t, "resolute.lock", resolute(t.Context(), "", "lock", install).out)
	stale := write(t, "stale.lock", resolute(t.Context(), "", "lock", "../../examples/catalogs/community", "etcd").out)
	edited := write(t, "edited.lock", strings.Replace(resolute(t.Context(), "", "lock", install).out, "version: 1.16.5", "version: 1.16.6", 1))
	out["lock"] = []string{"lock " + install, "lock " + conflict, "lock " + missing, "lock " + wrong, "lock nowhere.yaml", "lock --timeout 1ns " + install, "lock --max-bundles 1 " + install,
		"lock " + community + " etcd", "lock", "lock --update " + edited, "lock --update " + locked, "lock --update " + locked + " " + install}
	out["verify"] = append(out["verify"], "verify "+locked, "verify --cluster "+install+" "+locked, "verify --cluster "+conflict+" "+locked, "verify "+edited, "verify --catalog default/community="+write(t, "c.jsonl", universe.JSON(t, goods))+" "+stale,
		"verify --timeout 1ns "+locked, "verify --catalog x=y "+locked)
	out["resolve"] = append(out["resolve"], "resolve --locked "+locked+" "+install, "resolve --locked "+locked+" "+conflict, "resolve --locked "+edited)
	for name, pair := range diffs(t) {
		out["diff"] = append(out["diff"], "diff "+pair[0]+" "+pair[1]+" --worse-than error", "diff nowhere "+name)
	}
	return out
}

func imageSet(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../examples/mirror/imageset.yaml")
	require.NoError(t, err)
	return string(data)
}

// diffs are pairs of catalogs.
func diffs(t *testing.T) map[string][2]string {
	t.Helper()
	dirs, err := filepath.Glob("../../resolver/catalogdiff/testdata/*/old.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	out := make(map[string][2]string)
	for _, old := range dirs {
		dir := filepath.Dir(old)
		out[filepath.Base(dir)] = [2]string{old, filepath.Join(dir, "new.yaml")}
	}
	return out
}

// TestSchemaOfEachOutput: what the commands print is as their schemas say, whatever the exit
// status; and each schema refuses an output of which a required key was taken, to which a key was
// added, or of which a value has another type.
func TestSchemaOfEachOutput(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	runs := corpus(t)
	for _, c := range printed() {
		t.Run(c.command, func(t *testing.T) {
			statuses, mutants := make(map[int]int), 0
			for _, line := range runs[c.command] {
				args := strings.Fields(line + " -o json")
				got := resolute(t.Context(), "", args...)
				require.NoError(t, checkJSON(c.command, got.out), line)
				statuses[got.status]++
				if c.command != "render" {
					require.NotEmpty(t, got.out, "%s: %s", line, got.errOut)
				}
				if mutants < 2000 && c.command != "render" {
					mutants += refuses(t, c, got.out)
				}
			}
			require.NotEmpty(t, statuses)
			t.Logf("exit statuses %v, %d mutants refused", statuses, mutants)
		})
	}
}

// refuses requires that the schema of a command refuses what is made of the first lines of an
// output: without a key at the top, with one more anywhere, and with values of other types.
func refuses(t *testing.T, command printer, out string) int {
	t.Helper()
	n, lines := 0, 0
	for line := range strings.Lines(out) {
		if lines++; lines > 3 || len(line) > 20_000 {
			break
		}
		for _, mutant := range mutants(t, command, line) {
			require.Error(t, checkJSON(command.command, mutant), mutant)
			n++
		}
	}
	return n
}

// mutants are texts that are no output: a key too many in each object, a value of a wrong type
// at each key, and each required key of the top taken away.
func mutants(t *testing.T, command printer, line string) []string {
	t.Helper()
	var root map[string]any
	require.NoError(t, json.Unmarshal([]byte(line), &root))
	var out []string
	emit := func() {
		data, err := json.Marshal(root)
		require.NoError(t, err)
		out = append(out, string(data))
	}
	for _, key := range required(root, command) {
		if _, failed := root["error"]; failed && (key == "stats" || key == "problems") {
			continue // without them it is another failure
		}
		value := root[key]
		delete(root, key)
		emit()
		root[key] = value
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v[:min(len(v), 3)] {
				walk(item)
			}
		case map[string]any:
			v["noSuchKey"] = true
			emit()
			delete(v, "noSuchKey")
			for _, key := range slices.Sorted(maps.Keys(v)) {
				value := v[key]
				if slices.Contains([]string{"value", "expect", "deploymentConfig"}, key) { // which can be anything
					continue
				}
				v[key] = wrongType(value)
				emit()
				v[key] = value
				if !slices.Contains([]string{"labels", "matchLabels", "pin", "omitted", "blobs"}, key) { // whose keys are names
					walk(value)
				}
			}
		}
	}
	walk(root)
	return out
}

// wrongType is a value of another type.
func wrongType(v any) any {
	if _, ok := v.(string); ok {
		return 7
	}
	return "seven"
}

// required are the keys that a line of a command must have: those of the first of its objects
// that has all keys of the line.
func required(line map[string]any, c printer) []string {
	for _, of := range c.objects {
		var keys []string
		known, all := make(map[string]bool), true
		for _, f := range fieldsOf(of) {
			if known[f.key] = true; !f.optional {
				keys = append(keys, f.key)
				_, there := line[f.key]
				all = all && there
			}
		}
		for key := range line {
			all = all && known[key]
		}
		if all {
			return keys
		}
	}
	return nil
}
