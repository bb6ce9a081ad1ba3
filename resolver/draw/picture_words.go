package draw

import (
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/draw/internal/picture"
)

// maxLabel is the maximum number of characters of a name in a box.
const maxLabel = 56

func (p *drawing) title() string {
	s := "package " + text.Middle(text.Name(p.pkg.Name), maxLabel)
	if p.pkg.Quarantine != nil {
		s += ", quarantined"
	}
	if p.pkg.Deprecated {
		s += ", deprecated"
	}
	return s
}

// heading is the title with what labels lack of the names of bundles.
func (p *drawing) heading() string {
	if p.base == "" || p.base == p.pkg.Name {
		return p.title()
	}
	return p.title() + " (" + text.Middle(text.Name(p.base), maxLabel) + ")"
}

func (p *part) title() string {
	c := p.channel
	s := "channel " + text.Middle(text.Name(c.Name), maxLabel)
	if c.Default() {
		s += " (default)"
	}
	if c.Quarantined() != nil {
		s += ", quarantined"
	}
	if c.Deprecated {
		s += ", deprecated"
	}
	return s
}

// tooltip describes a row in one line.
func (r *row) tooltip() string {
	if len(r.folded) > 0 {
		names := make([]string, len(r.folded))
		for i := range r.folded {
			names[i] = text.Name(r.folded[i].name)
		}
		return text.Short(names, maxFolded)
	}
	words := []string{text.Name(r.name)}
	if r.version != "" {
		words = append(words, r.version)
	}
	words = append(words, r.notes()...)
	if r.entry != nil && !r.entry.SkipRange().IsZero() {
		words = append(words, "skipRange "+text.Inert(r.entry.SkipRange().String()))
	}
	if r.onPath {
		words = append(words, "on the upgrade path to the head")
	}
	return strings.Join(words, ", ")
}

// rest returns the number of omitted edges in words.
func (r *row) rest() string { return text.Count(r.more, "more edge", "more edges") }

// style is the appearance of a row with a mark: its box, and its colour in light and dark
// pictures. Colours never carry information alone.
type style struct {
	picture.Look
	mark markKind
	tone picture.Tone
}

// styles returns the styles of marks, most important first.
func styles() []style {
	return []style{
		{picture.Look{Class: "quarantined", Fill: "#fbdad7", Line: "#b3261e"}, markQuarantined, picture.Red},
		{picture.Look{Class: "excluded", Fill: "#fbdad7", Line: "#b3261e"}, markExcluded, picture.Red},
		{picture.Look{Class: "stranded", Fill: "#fde7c8", Line: "#a65f00"}, markStranded, picture.Orange},
		{picture.Look{Class: "deadend", Fill: "#fde7c8", Line: "#a65f00"}, markDeadEnd, picture.Orange},
		{picture.Look{Class: "deprecated", Fill: "#fdf6c9", Line: "#8a7400"}, markDeprecated, picture.Yellow},
		{picture.Look{Class: "virtual", Fill: "#f1f1f1", Line: "#9a9a9a"}, markVirtual, picture.Grey},
		{picture.Look{Class: "outside", Fill: "#f1f1f1", Line: "#9a9a9a"}, markOutside, picture.Grey},
		{picture.Look{Class: "skipped", Fill: "#eceef1", Line: "#7c8794"}, markSkipped, picture.Grey},
		{picture.Look{Class: "head", Fill: "#d9efdc", Line: "#1f7a33"}, markHead, picture.Green},
		{picture.Look{Class: "installed", Fill: "#d8e7fb", Line: "#1a56a8"}, markInstalled, picture.Blue},
	}
}

// style returns the style of the most important mark of a row.
func (r *row) style() style { return styleOf(func(s style) bool { return r.has(s.mark) }) }

// styleOf returns the first matching style, or the default.
func styleOf(wanted func(style) bool) style {
	list := styles()
	if i := slices.IndexFunc(list, wanted); i >= 0 {
		return list[i]
	}
	return style{Look: picture.Look{Fill: "#ffffff", Line: "#5b6570"}}
}
