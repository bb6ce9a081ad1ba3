// Command plot draws the results of benchmarks/cmd/compare as SVG pictures:
//
//	go run . ../results
//
// It reads results.json there and writes process.svg, the time of whole
// processes of resolute and libsolv over the size of the catalog, memory.svg,
// their memory, and warm.svg, questions to a process with a loaded catalog. All
// axes are logarithmic.
//
// It is a module of its own, so that users of resolute do not depend on its
// dependencies.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: plot FOLDER, with the results.json of benchmarks/cmd/compare")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "plot:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	r, err := read(filepath.Join(dir, "results.json"))
	if err != nil {
		return err
	}
	return errors.Join(
		drawChart(filepath.Join(dir, "process.svg"), r.process()),
		drawChart(filepath.Join(dir, "memory.svg"), r.memory()),
		drawChart(filepath.Join(dir, "warm.svg"), r.warm()))
}

// usage is the cost of a process.
type usage struct {
	Seconds float64
	Peak    uint64 // resident bytes
}

// results are the drawn parts of results.json.
type results struct {
	Date    string
	Machine struct {
		CPU   string
		Cores int
	}
	Process []struct {
		Preset, Form      string
		Bundles           int
		Resolute, Libsolv *usage
	}
	Warm []struct {
		Preset                         string
		Bundles                        int
		Load, Resolve, WhatIf, Explain struct {
			Seconds float64
			Failed  string
		}
	}
	Earlier []struct {
		Program, What string
		Bundles       int
		Seconds       float64
	}
}

func read(name string) (*results, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r := &results{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}
