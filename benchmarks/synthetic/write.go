package synthetic

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"
)

// The blobs of a file-based catalog, as far as they are needed here.
type (
	packageBlob struct {
		Schema         string `json:"schema"`
		Name           string `json:"name"`
		DefaultChannel string `json:"defaultChannel"`
	}
	channelBlob struct {
		Schema  string      `json:"schema"`
		Package string      `json:"package"`
		Name    string      `json:"name"`
		Entries []entryBlob `json:"entries"`
	}
	entryBlob struct {
		Name     string   `json:"name"`
		Replaces string   `json:"replaces,omitempty"`
		Skips    []string `json:"skips,omitempty"`
	}
	bundleBlob struct {
		Schema     string     `json:"schema"`
		Package    string     `json:"package"`
		Name       string     `json:"name"`
		Image      string     `json:"image"`
		Properties []property `json:"properties"`
	}
	property struct {
		Type  string `json:"type"`
		Value any    `json:"value"`
	}
	packageValue struct {
		PackageName string `json:"packageName"`
		Version     string `json:"version"`
	}
	rangeValue struct {
		PackageName  string `json:"packageName"`
		VersionRange string `json:"versionRange"`
	}
	gvkValue struct {
		Group   string `json:"group"`
		Version string `json:"version"`
		Kind    string `json:"kind"`
	}
	constraint struct {
		FailureMessage string      `json:"failureMessage,omitempty"`
		Package        *rangeValue `json:"package,omitempty"`
		GVK            *gvkValue   `json:"gvk,omitempty"`
		CEL            *celValue   `json:"cel,omitempty"`
		All            *children   `json:"all,omitempty"`
		Any            *children   `json:"any,omitempty"`
	}
	celValue struct {
		Rule string `json:"rule"`
	}
	children struct {
		Constraints []constraint `json:"constraints"`
	}
)

// Blobs returns the blobs of the catalog with that number, package by package:
// the package, its channels, its bundles from the oldest to the newest. Each
// blob belongs to the caller. A number that no catalog has gives no blobs.
func (g *Generator) Blobs(catalog int) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		if catalog < 0 || catalog >= g.cfg.Catalogs {
			return
		}
		for n := catalog; n < g.cfg.Packages; n += g.cfg.Catalogs {
			for _, blob := range g.Package(n).blobs() {
				if !yield(encode(blob)) {
					return
				}
			}
		}
	}
}

// WriteCatalog writes the catalog with that number as JSON lines, one blob a
// line. It holds one package in memory at a time. The error is that of w.
func (g *Generator) WriteCatalog(w io.Writer, catalog int) error {
	out := bufio.NewWriterSize(w, 64<<10)
	for blob := range g.Blobs(catalog) {
		if _, err := out.Write(append(blob, '\n')); err != nil {
			return err
		}
	}
	return out.Flush()
}

// encode returns the JSON of a blob without escaping < and >. The types above
// hold nothing that has no JSON.
func encode(blob any) json.RawMessage {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(blob)
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

func (p Package) blobs() []any {
	blobs := []any{packageBlob{Schema: "olm.package", Name: p.Name, DefaultChannel: p.Channels[0].Name}}
	for _, c := range p.Channels {
		blob := channelBlob{Schema: "olm.channel", Package: p.Name, Name: c.Name}
		for _, e := range c.Entries {
			entry := entryBlob{Name: p.Bundles[e.Version].Name}
			if e.Replaces >= 0 {
				entry.Replaces = p.Bundles[e.Replaces].Name
			}
			if e.Skips >= 0 {
				entry.Skips = []string{p.Bundles[e.Skips].Name}
			}
			blob.Entries = append(blob.Entries, entry)
		}
		blobs = append(blobs, blob)
	}
	for _, b := range p.Bundles {
		blob := bundleBlob{
			Schema: "olm.bundle", Package: p.Name, Name: b.Name,
			Image: "registry.example/" + p.Name + ":" + b.Version,
			Properties: []property{
				{"olm.package", packageValue{p.Name, b.Version}},
				{"olm.gvk", gvkOf(p.Number)},
			},
		}
		for _, r := range b.Requires {
			blob.Properties = append(blob.Properties, r.property())
		}
		blobs = append(blobs, blob)
	}
	return blobs
}

// gvkOf returns the API that all bundles of a package provide, and no others.
func gvkOf(number int) gvkValue {
	return gvkValue{Group: PackageName(number) + ".example.com", Version: "v1", Kind: fmt.Sprintf("Kind%06d", number)}
}

func (r Requirement) property() property {
	name, gvk := PackageName(r.Target), gvkOf(r.Target)
	inRange := rangeValue{name, r.Range}
	switch r.Kind {
	case ByGVK:
		return property{"olm.gvk.required", gvk}
	case ByCEL:
		return property{"olm.constraint", constraint{FailureMessage: "needs " + name, CEL: &celValue{r.rule()}}}
	case ByAll:
		return property{"olm.constraint", constraint{
			FailureMessage: "needs " + name + " with its API",
			All:            &children{[]constraint{{Package: &inRange}, {GVK: &gvk}}},
		}}
	case ByAny:
		other := gvkOf(r.Other)
		return property{"olm.constraint", constraint{
			FailureMessage: "needs " + name + " or what " + PackageName(r.Other) + " provides",
			Any:            &children{[]constraint{{Package: &inRange}, {GVK: &other}}},
		}}
	default:
		return property{"olm.package.required", inRange}
	}
}

// rule says in CEL what Target and Range say.
func (r Requirement) rule() string {
	version, comparison := r.Range, "=="
	if v, atLeast := strings.CutPrefix(r.Range, ">="); atLeast {
		version, comparison = v, ">="
	}
	return fmt.Sprintf("properties.exists(p, p.type == 'olm.package' && p.value.packageName == '%s' && semver_compare(p.value.version, '%s') %s 0)",
		PackageName(r.Target), version, comparison)
}
