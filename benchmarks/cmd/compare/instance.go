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

// writeInstance writes the catalogs and the request of a configuration into a
// folder of their own, unless an earlier run did, and returns the scenario's path.
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
	return path, os.WriteFile(mark, want, 0o666) // last: the folder is complete
}

// writeTestcase translates a scenario for libsolv, and returns the testcase's path.
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
