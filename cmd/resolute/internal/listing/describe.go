package listing

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed109e2655/resolute/cache/fbc"
)

// The limits of descriptions, in bytes. Longer text is cut, a larger icon is dropped.
const (
	MaxSummary     = 240
	MaxDescription = 4 << 10
	MaxKeyword     = 64
	MaxKeywords    = 32
	MaxIcon        = 512 << 10
)

// Description is what a catalog says about a package beside its versions.
type Description struct {
	Name        string   `json:"name"`
	DisplayName string   `json:"displayName,omitempty"`
	Summary     string   `json:"summary,omitempty"`
	Description string   `json:"description,omitempty"`
	Provider    string   `json:"provider,omitempty"`
	Keywords    []string `json:"keywords,omitempty"`
	Icon        string   `json:"icon,omitempty"`
}

// Describe sets the description of a package. It ignores packages that the catalog lacks.
func (x *Index) Describe(d *Description) {
	if p := x.byName[d.Name]; p != nil {
		p.DisplayName, p.Summary, p.Description = cmp.Or(d.DisplayName, p.DisplayName), cmp.Or(d.Summary, p.Summary), cmp.Or(d.Description, p.Description)
		p.Provider, p.Icon = cmp.Or(d.Provider, p.Provider), cmp.Or(d.Icon, p.Icon)
		if len(d.Keywords) > 0 {
			p.Keywords = d.Keywords
		}
		p.prepare()
	}
}

// Descriptions returns the descriptions of all packages.
func (x *Index) Descriptions() []Description {
	out := make([]Description, len(x.packages))
	for i, p := range x.packages {
		out[i] = Description{p.Name, p.DisplayName, p.Summary, p.Description, p.Provider, p.Keywords, p.Icon}
	}
	return out
}

// Blob takes the description out of a blob of the catalog: an olm.package blob, or the bundle of
// which [Package].Bundle is the name. The blob of the bundle wins, except for the icon.
func (x *Index) Blob(b fbc.Blob) {
	switch b.Schema {
	case "olm.package":
		if x.byName[b.Name] == nil {
			return
		}
		var pack struct {
			Description string
			Icon        packageIcon
		}
		_ = json.Unmarshal(b.Raw, &pack) // fields of a wrong type are ignored
		d := &Description{Name: b.Name, Icon: pack.Icon.url()}
		if p := x.byName[b.Name]; p.Description == "" {
			d.Description = cut(pack.Description, MaxDescription)
			if p.Summary == "" {
				d.Summary = firstSentence(pack.Description)
			}
		}
		x.Describe(d)
	case "olm.bundle":
		if p := x.byName[b.Package]; p != nil && p.Bundle == b.Name {
			x.Describe(describe(b.Package, b.Raw))
		}
	}
}

// Raw is [Index.Blob] of a blob as JSON.
func (x *Index) Raw(raw json.RawMessage) {
	var head struct{ Schema, Package, Name string }
	if json.Unmarshal(raw, &head) == nil {
		x.Blob(fbc.Blob{Schema: head.Schema, Package: head.Package, Name: head.Name, Raw: raw})
	}
}

// packageIcon is the icon of an olm.package blob or of a ClusterServiceVersion.
type packageIcon struct {
	Base64Data string `json:"base64data"`
	MediaType  string `json:"mediatype"`
}

func (i packageIcon) url() string { return Icon(i.MediaType, i.Base64Data) }

// iconTypes are the types of images that are shown. Browsers run no script and load nothing else
// for an image, SVG included.
var iconTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"}

// Icon returns an image as a data URL, or "" if it is not of a known type, not base64 or too
// large.
func Icon(mediaType, data string) string {
	if !slices.Contains(iconTypes, mediaType) || data == "" || base64.StdEncoding.DecodedLen(len(data)) > MaxIcon {
		return ""
	}
	if _, err := base64.StdEncoding.DecodeString(data); err != nil {
		return ""
	}
	return "data:" + mediaType + ";base64," + strings.NewReplacer("\n", "", "\r", "").Replace(data)
}

// csv is the part of a ClusterServiceVersion that describes the operator.
type csv struct {
	DisplayName, Description string
	Keywords                 []string
	Provider                 struct{ Name string }
	Icon                     []packageIcon
}

// describe returns the description in the blob of a bundle, from olm.csv.metadata or the
// ClusterServiceVersion among its objects.
func describe(name string, blob json.RawMessage) *Description {
	d := &Description{Name: name}
	var bundle struct {
		Properties []struct {
			Type  string          `json:"type"`
			Value json.RawMessage `json:"value"`
		} `json:"properties"`
	}
	if json.Unmarshal(blob, &bundle) != nil {
		return d
	}
	for _, p := range bundle.Properties {
		switch p.Type {
		case "olm.csv.metadata":
			var meta struct {
				csv
				Annotations map[string]string
			}
			_ = json.Unmarshal(p.Value, &meta)
			d.add(&meta.csv, meta.Annotations)
		case "olm.bundle.object":
			var object struct{ Data []byte }
			var manifest struct {
				Kind     string
				Metadata struct{ Annotations map[string]string }
				Spec     csv
			}
			if json.Unmarshal(p.Value, &object) == nil {
				if _ = json.Unmarshal(object.Data, &manifest); manifest.Kind == "ClusterServiceVersion" {
					d.add(&manifest.Spec, manifest.Metadata.Annotations)
				}
			}
		}
	}
	return d
}

// add sets missing fields.
func (d *Description) add(c *csv, annotations map[string]string) {
	d.DisplayName = cmp.Or(d.DisplayName, cut(c.DisplayName, MaxSummary))
	d.Description = cmp.Or(d.Description, cut(c.Description, MaxDescription))
	d.Summary = cmp.Or(d.Summary, firstSentence(annotations["description"]), firstSentence(c.Description))
	d.Provider = cmp.Or(d.Provider, cut(c.Provider.Name, MaxSummary))
	if d.Keywords == nil {
		for _, k := range c.Keywords[:min(len(c.Keywords), MaxKeywords)] {
			d.Keywords = append(d.Keywords, cut(k, MaxKeyword))
		}
	}
	if d.Icon == "" && len(c.Icon) > 0 {
		d.Icon = c.Icon[0].url()
	}
}

// firstSentence returns the first sentence of a Markdown text that is no heading, picture or HTML,
// on one line and at most MaxSummary bytes long.
func firstSentence(markdown string) string {
	var said []string
	size := 0
paragraph:
	for line := range strings.Lines(markdown) {
		line = strings.TrimSpace(line)
		switch prose := line != "" && !strings.ContainsRune("#<!=", rune(line[0])) && strings.Trim(line, "=-*_ ") != ""; {
		case prose && size <= MaxSummary:
			said = append(said, line)
			size += len(line)
		case prose || len(said) > 0:
			break paragraph
		}
	}
	text := strings.Join(said, " ")
	if end := strings.Index(text, ". "); end > 0 {
		text = text[:end+1]
	}
	return cut(text, MaxSummary)
}

// cut shortens a text, between words if it can.
func cut(s string, limit int) string {
	s = strings.ToValidUTF8(strings.TrimSpace(s), "\ufffd")
	if len(s) <= limit {
		return s
	}
	n := limit - len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	if space := strings.LastIndexByte(s[:n], ' '); space > n/2 {
		n = space
	}
	return strings.TrimSpace(s[:n]) + "…"
}
