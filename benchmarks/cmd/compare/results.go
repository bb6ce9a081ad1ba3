package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/seed109e2655/resolute/benchmarks/internal/measure"
)

// Results is the content of results.json. The plots read it as well.
type Results struct {
	Date    string  `json:"date"`
	Machine Machine `json:"machine"`
	Seed    uint64  `json:"seed"` // of the synthetic instances except the hard ones
	// Stages are the runs of the stages that the last run did not measure, by
	// name.
	Stages    map[string]Run  `json:"stages,omitempty"`
	Process   []Process       `json:"process,omitempty"`
	Warm      []Warm          `json:"warm,omitempty"`
	Same      []*measure.Same `json:"same,omitempty"`
	Community *Community      `json:"community,omitempty"`
	Hard      []*measure.Hard `json:"hard,omitempty"`
	Others    []*Other        `json:"others,omitempty"`
	Earlier   []Earlier       `json:"earlier"`
}

// Run is the date and machine of a measurement.
type Run struct {
	Date    string  `json:"date"`
	Machine Machine `json:"machine"`
}

// begin prepares to measure some stages: the others keep the date and machine
// of their own run.
func (r *Results) begin(now Run, stages []string) {
	before := Run{r.Date, r.Machine}
	for _, name := range stageNames() {
		if _, noted := r.Stages[name]; !noted && r.has(name) && before != now {
			if r.Stages == nil {
				r.Stages = make(map[string]Run)
			}
			r.Stages[name] = before
		}
	}
	for name, run := range r.Stages {
		if slices.Contains(stages, name) || run == now {
			delete(r.Stages, name)
		}
	}
	r.Date, r.Machine, r.Seed, r.Earlier = now.Date, now.Machine, seed, earlier()
}

// has reports whether there are figures for a stage.
func (r *Results) has(stage string) bool {
	return map[string]bool{"process": r.Process != nil, "warm": r.Warm != nil, "same": r.Same != nil, "community": r.Community != nil,
		"hard": r.Hard != nil}[stage]
}

// Machine describes the machine of a measurement.
type Machine struct {
	CPU     string `json:"cpu"`
	Cores   int    `json:"cores"`
	Memory  uint64 `json:"memoryBytes"`
	System  string `json:"system"`
	Go      string `json:"go"`
	Libsolv string `json:"libsolv"`
}

// Process is a pair of whole processes on one instance.
type Process struct {
	Preset      string  `json:"preset"`
	Form        string  `json:"form"` // of the catalog's JSON
	Bundles     int     `json:"bundles"`
	Set         int     `json:"set"` // size of the result set
	Satisfiable bool    `json:"satisfiable"`
	Pairs       int     `json:"pairs"`
	Resolute    Usage   `json:"resolute"`
	Libsolv     *Usage  `json:"libsolv,omitempty"`
	Ratio       float64 `json:"ratio,omitempty"` // median of the pairwise ratios of resolute's time to libsolv's
}

// Usage is the median cost of a process.
type Usage struct {
	Seconds    float64 `json:"seconds"`    // wall-clock time
	CPUSeconds float64 `json:"cpuSeconds"` // over all cores
	Peak       uint64  `json:"peak"`       // resident bytes
}

// Warm is a measurement in a process that has the instance loaded.
type Warm struct {
	Preset string `json:"preset"`
	Size   int    `json:"size"` // requested bundles
	*measure.Warm
}

// Community is the cost of single subscriptions to the packages of a real
// catalog.
type Community struct {
	Packages     int     `json:"packages"`
	Resolved     int     `json:"resolved"`
	MedianMicros float64 `json:"medianMicros"`
	WorstMicros  float64 `json:"worstMicros"`
	MedianAllocs uint64  `json:"medianAllocs"` // of requests with a solution
}

// Earlier is a figure of another program that was not measured in this run.
type Earlier struct {
	Program string  `json:"program"`
	Bundles int     `json:"bundles,omitempty"`
	What    string  `json:"what"`
	Seconds float64 `json:"seconds"`
	Note    string  `json:"note,omitempty"`
}

// earlier has figures of the resolver of Operator Lifecycle Manager, measured
// in process before this command existed, on an unrecorded machine. They are
// quoted for scale.
func earlier() []Earlier {
	const program = "OLM Classic"
	return []Earlier{
		{program, 7016, "one subscription on the community catalog, the quickest", 0.1, ""},
		{program, 7016, "one subscription on the community catalog, the slowest", 5.7, ""},
		{program, 1000, "synthetic", 6.5, "1.1 GB allocated"},
		{program, 3000, "synthetic", 83, "12 GB allocated"},
	}
}

const resultsFile = "results.json"

// readResults reads the results of an earlier run, if any.
func readResults(dir string) (*Results, error) {
	data, err := os.ReadFile(filepath.Join(dir, resultsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return &Results{}, nil
	}
	if err != nil {
		return nil, err
	}
	r := &Results{}
	return r, json.Unmarshal(data, r)
}

// write writes the results as JSON and Markdown.
func (r *Results) write(dir string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, resultsFile), append(data, '\n'), 0o666),
		os.WriteFile(filepath.Join(dir, "results.md"), []byte(r.markdown()), 0o666))
}
