package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed109e2655/resolute/internal/text"
)

const (
	sarifSchema  = "https://json.schemastore.org/sarif-2.1.0.json"
	sarifVersion = "2.1.0"
	// MaxSARIFResults bounds the results of a run, as GitHub rejects more. A notification
	// counts the omitted ones.
	MaxSARIFResults = 25_000
)

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	ColumnKind  string            `json:"columnKind"`
	Automation  *sarifID          `json:"automationDetails,omitempty"`
	Invocations []sarifInvocation `json:"invocations"`
	Results     []sarifResult     `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	URI     string      `json:"informationUri"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID    string     `json:"id"`
	Short sarifText  `json:"shortDescription"`
	Help  *sarifText `json:"help,omitempty"`
}

type sarifID struct {
	ID string `json:"id"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level   string    `json:"level"`
	Message sarifText `json:"message"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type sarifLocation struct {
	Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine int `json:"startLine"`
}

type sarifLogical struct {
	Name string `json:"fullyQualifiedName"`
}

// sarif writes the report as SARIF 2.1.0 with one run. Rules and fingerprints are stable
// between runs, so that consumers can detect new findings. It returns write errors only.
func (r *Report) sarif(w io.Writer) error {
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "resolute", Version: r.Version, URI: "https://github.com/seed109e2655/resolute", Rules: r.sarifRules()}},
		ColumnKind:  "utf16CodeUnits",
		Invocations: []sarifInvocation{{Successful: true}},
		Results:     []sarifResult{},
	}
	if r.Command != "" {
		run.Automation = &sarifID{"resolute/" + r.Command + "/"}
	}
	index := make(map[string]int, len(run.Tool.Driver.Rules))
	for i, rule := range run.Tool.Driver.Rules {
		index[rule.ID] = i
	}
	seen := make(map[string]int)
	for i := range r.Findings {
		if i == MaxSARIFResults {
			run.Invocations[0].Notifications = []sarifNotification{{"warning", sarifText{
				fmt.Sprintf("%d more findings are omitted", len(r.Findings)-i)}}}
			break
		}
		f := &r.Findings[i]
		run.Results = append(run.Results, r.sarifResult(f, index[f.Code], seen))
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(sarifLog{sarifSchema, sarifVersion, []sarifRun{run}})
}

// sarifRules returns the rules for the codes of the report.
func (r *Report) sarifRules() []sarifRule {
	words := maps.Clone(r.Rules)
	if words == nil {
		words = make(map[string]string)
	}
	for i := range r.Findings {
		if code := r.Findings[i].Code; words[code] == "" {
			words[code] = code
		}
	}
	rules := make([]sarifRule, 0, len(words))
	for _, code := range slices.Sorted(maps.Keys(words)) {
		rules = append(rules, sarifRule{ID: code, Short: sarifText{words[code]}})
	}
	return rules
}

// sarifResult converts a finding.
func (r *Report) sarifResult(f *Finding, rule int, seen map[string]int) sarifResult {
	out := sarifResult{RuleID: f.Code, RuleIndex: rule, Level: string(f.Severity), Message: sarifText{sarifMessage(f.Text)}}
	var at sarifLocation
	if file, line := r.place(f); file != "" {
		at.Physical = &sarifPhysical{Artifact: sarifArtifact{fileURI(file)}}
		at.Physical.Region = &sarifRegion{max(line, 1)}
	}
	if name := f.Name(); name != "" {
		at.Logical = []sarifLogical{{text.Inert(name)}}
	}
	if at.Physical != nil || at.Logical != nil {
		out.Locations = []sarifLocation{at}
	}
	id := f.fingerprint()
	seen[id]++
	out.Fingerprints = map[string]string{"resolute/v1": fmt.Sprintf("%s:%d", id, seen[id])}
	return out
}

// brackets matches a bracket and the preceding backslashes.
var brackets = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\\*)([][])`) })

// sarifMessage escapes a message, in which brackets denote links (SARIF 2.1.0, 3.11.6) and
// braces placeholders (3.11.5).
func sarifMessage(s string) string {
	s = strings.NewReplacer("{", "{{", "}", "}}").Replace(text.Inert(s))
	return brackets().ReplaceAllString(s, `${1}${1}\${2}`)
}

// fingerprint identifies a finding between runs by code and subject, independent of its
// location and text.
func (f *Finding) fingerprint() string {
	sum := sha256.Sum256([]byte(strings.Join(append([]string{f.Code}, f.Subject...), "\x00")))
	return hex.EncodeToString(sum[:8])
}

// fileURI returns a URI reference for a path.
func fileURI(file string) string {
	u := url.URL{Path: strings.TrimPrefix(file, "./")}
	if strings.HasPrefix(file, "/") {
		u.Scheme = "file"
	}
	return u.String()
}
