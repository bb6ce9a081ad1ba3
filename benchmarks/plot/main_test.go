package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sample = `{"date": "2026-01-31", "machine": {"cpu": "CPU <1>", "cores": 2},
"process": [{"preset": "random", "form": "compact", "bundles": 1000, "resolute": {"seconds": 0.01, "peak": 15000000}, "libsolv": {"seconds": 0.02, "peak": 9000000}},
            {"preset": "random", "form": "compact", "bundles": 10000, "resolute": {"seconds": 0.1}}],
"warm": [{"preset": "random", "bundles": 1000, "load": {"seconds": 0.02}, "resolve": {"seconds": 0.0001}, "explain": {"seconds": 9, "failed": "stopped"}}],
"earlier": [{"program": "Earlier", "what": "synthetic", "bundles": 1000, "seconds": 6.5}, {"program": "Earlier", "what": "other", "bundles": 7016, "seconds": 5}]}`

func TestDrawsWhatThereIs(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "results.json"), []byte(sample), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := run(dir); err != nil {
		t.Fatal(err)
	}
	for file, wants := range map[string][]string{
		"process.svg": {"resolute, random", "libsolv, random", "CPU &lt;1&gt;, 2 cores, 2026-01-31", "10000"},
		"memory.svg":  {"resolute, random", "libsolv, random", "peak resident MB", "100"},
		"warm.svg":    {"load, random", "resolve, random", "Earlier, measured earlier"},
	} {
		text := readXML(t, filepath.Join(dir, file))
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not contain %q", file, want)
			}
		}
		for _, want := range []string{`<svg role="img"`, "<title>", "prefers-color-scheme:dark"} { // an accessible name, and colours of dark pages
			if strings.Count(text, want) != 1 {
				t.Errorf("%s has %d of %s", file, strings.Count(text, want), want)
			}
		}
		if strings.Contains(text, "explain") || strings.Contains(text, "what-if") {
			t.Errorf("%s shows a value that was not measured", file)
		}
	}
}

// readXML returns a file, which must be well-formed.
func readXML(t *testing.T, name string) string {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(strings.NewReader(string(data)))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return string(data)
		} else if err != nil {
			t.Fatal(name, err)
		}
	}
}

func TestNothingToDraw(t *testing.T) {
	dir := t.TempDir()
	if err := run(dir); err == nil {
		t.Error("no results, no error")
	}
	for content, fails := range map[string]bool{"{}": false, "[": true} {
		if err := os.WriteFile(filepath.Join(dir, "results.json"), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := run(dir); (err != nil) != fails {
			t.Error(content, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "process.svg")); err == nil {
			t.Error("no chart was drawn")
		}
	}
}
