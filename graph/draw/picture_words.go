package draw

import (
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/picture"
	"github.com/seed109e2655/resolute/internal/text"
)

// maxLabel bounds the characters of a name in a picture of boxes.
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

// label returns what stands in a box: the name, and below it version and marks.
func (r *row) label(escape func(string) string, br string) string {
	name := escape(text.Middle(text.Name(r.name), maxLabel))
	var words []string
	if r.version != "" {
		words = append(words, text.Middle(r.version, maxLabel/2))
	}
	for _, m := range r.marks {
		words = append(words, string(m.kind))
	}
	if r.more > 0 {
		words = append(words, r.rest())
	}
	if len(words) == 0 {
		return name
	}
	return name + br + escape(strings.Join(words, ", "))
}

// tooltip returns all that is known of a row, in one line.
func (r *row) tooltip() string {
	if len(r.folded) > 0 {
		return text.Short(text.Names(r.folded), maxFolded)
	}
	words := []string{text.Name(r.name)}
	if r.version != "" {
		words = append(words, r.version)
	}
	words = append(words, r.notes()...)
	if r.entry != nil && !r.entry.SkipRange.IsZero() {
		words = append(words, "skipRange "+text.Inert(r.entry.SkipRange.String()))
	}
	if r.way {
		words = append(words, "on the way to the head")
	}
	return strings.Join(words, ", ")
}

// rest says how many edges are not shown.
func (r *row) rest() string { return text.Count(r.more, "more edge", "more edges") }

// style is how a box looks that has a mark: its class in Mermaid, the colours of its
// area and lines, and its colour in a picture that is light and dark. Colours only
// repeat what the words say.
type style struct {
	mark              markKind
	class, fill, line string
	tone              picture.Tone
}

// styles returns the styles of marks, those that matter most first.
func styles() []style {
	return []style{
		{markQuarantined, "quarantined", "#fbdad7", "#b3261e", picture.Red},
		{markBarred, "barred", "#fbdad7", "#b3261e", picture.Red},
		{markStranded, "stranded", "#fde7c8", "#a65f00", picture.Orange},
		{markDeadEnd, "deadend", "#fde7c8", "#a65f00", picture.Orange},
		{markDeprecated, "deprecated", "#fdf6c9", "#8a7400", picture.Yellow},
		{markVirtual, "virtual", "#f1f1f1", "#9a9a9a", picture.Grey},
		{markOutside, "outside", "#f1f1f1", "#9a9a9a", picture.Grey},
		{markSkipped, "skipped", "#eceef1", "#7c8794", picture.Grey},
		{markHead, "head", "#d9efdc", "#1f7a33", picture.Green},
		{markInstalled, "installed", "#d8e7fb", "#1a56a8", picture.Blue},
	}
}

// style returns the style of a row by the mark that matters most.
func (r *row) style() style { return styleOf(func(s style) bool { return r.has(s.mark) }) }

// styleOf returns the first style that is wanted, or that of what has no mark.
func styleOf(wanted func(style) bool) style {
	list := styles()
	if i := slices.IndexFunc(list, wanted); i >= 0 {
		return list[i]
	}
	return style{class: "plain", fill: "#ffffff", line: "#5b6570"}
}
