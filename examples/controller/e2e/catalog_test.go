package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// operator is a package with one channel, in which each version replaces the one
// before.
type operator struct {
	name     string
	versions []string
	// provides is the kind of an API that each version provides.
	provides string
	// requires is a package that each version requires, with a failure message.
	requires, message string
}

// blobs returns the file-based catalog of an operator, as JSON lines.
func (o operator) blobs() string {
	var lines strings.Builder
	write := func(blob map[string]any) {
		// Texts, lists and maps always have a JSON.
		data, _ := json.Marshal(blob)
		lines.Write(append(data, '\n'))
	}
	var entries []map[string]any
	for i, v := range o.versions {
		entry := map[string]any{"name": o.name + ".v" + v}
		if i > 0 {
			entry["replaces"] = o.name + ".v" + o.versions[i-1]
		}
		entries = append(entries, entry)
	}
	write(map[string]any{"schema": "olm.package", "name": o.name, "defaultChannel": "stable"})
	write(map[string]any{"schema": "olm.channel", "package": o.name, "name": "stable", "entries": entries})
	for _, v := range o.versions {
		props := []map[string]any{{"type": "olm.package", "value": map[string]any{"packageName": o.name, "version": v}}}
		if o.provides != "" {
			props = append(props, map[string]any{"type": "olm.gvk",
				"value": map[string]any{"group": "example.com", "version": "v1", "kind": o.provides}})
		}
		if o.requires != "" {
			props = append(props, map[string]any{"type": "olm.constraint", "value": map[string]any{
				"failureMessage": o.message,
				"package":        map[string]any{"packageName": o.requires, "versionRange": ">=1.0.0"}}})
		}
		write(map[string]any{"schema": "olm.bundle", "package": o.name, "name": o.name + ".v" + v, "image": "example.com/" + o.name, "properties": props})
	}
	return lines.String()
}

// writeOperator puts an operator into a catalog's directory, as a whole.
func writeOperator(t *testing.T, dir string, o operator) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	name := filepath.Join(dir, o.name+".jsonl")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "."+o.name), []byte(o.blobs()), 0o644))
	require.NoError(t, os.Rename(filepath.Join(dir, "."+o.name), name))
}

// app requires db; db and rival both provide the API Database.
func app() operator {
	return operator{name: "app", versions: []string{"1.0.0"}, requires: "db", message: "app keeps its orders in a database"}
}
func db(versions ...string) operator {
	return operator{name: "db", versions: versions, provides: "Database"}
}
func rival() operator {
	return operator{name: "rival", versions: []string{"2.0.0"}, provides: "Database"}
}
func tool(versions ...string) operator {
	return operator{name: "tool", versions: versions}
}

// verbose wants a package that nobody has, and has a lot to say about it.
func verbose() operator {
	var message strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&message, "line %d of the reasons. ", i)
	}
	return operator{name: "verbose", versions: []string{"1.0.0"}, requires: "nothing-has-this-name", message: message.String()}
}
