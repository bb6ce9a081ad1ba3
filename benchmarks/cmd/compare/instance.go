package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed109e2655/resolute/benchmarks/libsolv"
	"github.com/seed109e2655/resolute/benchmarks/synthetic"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

const scenarioFile = "scenario.json"

// The JSON formats of catalogs.
const (
	formCompact = "compact"
	formSpaced  = "spaced" // a space after colons and commas, as in Python
)

// writeInstance writes the catalogs and the request of a configuration into a
// folder, in compact JSON, unless an earlier run did, and returns the path of
// the scenario.
func (c *comparison) writeInstance(name string, cfg synthetic.Config) (string, error) {
	g, err := synthetic.New(cfg)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(c.work, name)
	path := filepath.Join(dir, scenarioFile)
	mark := filepath.Join(dir, "config.json")
	want, err := json.Marshal(g.Config())
	if err != nil {
		return "", err
	}
	if have, err := os.ReadFile(mark); err == nil && string(have) == string(want) {
		return path, nil
	}
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o777)); err != nil {
		return "", err
	}
	if err := g.WriteFiles(dir); err != nil {
		return "", err
	}
	return path, os.WriteFile(mark, want, 0o666) // last: marks the folder as complete
}

// writeSpaced rewrites the catalogs of an instance with spaces, and returns
// the path of its scenario.
func writeSpaced(path string) (string, error) {
	from := filepath.Dir(path)
	to := from + "-" + formSpaced
	if err := errors.Join(os.RemoveAll(to), os.CopyFS(to, os.DirFS(from))); err != nil {
		return "", err
	}
	catalogs, err := filepath.Glob(filepath.Join(to, "*.jsonl"))
	if err != nil {
		return "", err
	}
	for _, name := range catalogs {
		data, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(name, spaced(data), 0o666); err != nil {
			return "", err
		}
	}
	return filepath.Join(to, scenarioFile), nil
}

// spaced inserts a space after the colons and commas of JSON.
func spaced(data []byte) []byte {
	out := make([]byte, 0, len(data)+len(data)/8)
	text, escaped := false, false
	for _, b := range data {
		out = append(out, b)
		switch {
		case escaped:
			escaped = false
		case b == '"':
			text = !text
		case text:
			escaped = b == '\\'
		case b == ':' || b == ',':
			out = append(out, ' ')
		}
	}
	return out
}

// writeTestcase translates a scenario for libsolv, and returns the path of the
// testcase.
func writeTestcase(ctx context.Context, scenarioPath string) (string, error) {
	path := filepath.Join(filepath.Dir(scenarioPath), libsolv.TestcaseFile)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	s, err := scenario.ReadFile(ctx, scenarioPath)
	if err != nil {
		return "", err
	}
	loaded, err := s.Load(ctx)
	if err != nil {
		return "", err
	}
	test, err := libsolv.Translate(ctx, loaded.Request)
	if err != nil {
		return "", fmt.Errorf("%s: %w", scenarioPath, err)
	}
	return test.Write(filepath.Dir(scenarioPath))
}
