package draw

import (
	"strings"

	"github.com/seed109e2655/resolute/internal/svg"
	"github.com/seed109e2655/resolute/internal/text"
)

// maxLabel bounds the characters of a name in a picture of boxes.
const maxLabel = 56

// title returns the title of a picture.
func (p *picture) title() string {
	s := "package " + text.Middle(text.Name(p.pkg.Name), maxLabel)
	if p.pkg.Quarantine != nil {
		s += ", quarantined"
	}
	if p.pkg.Deprecated {
		s += ", deprecated"
	}
	return s
}

// title returns the title of a channel.
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

// lines returns the lines below the name in a box: version and marks.
func (r *row) lines() []string {
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
		return nil
	}
	return []string{strings.Join(words, ", ")}
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

// boxStyle is how a box looks. Colours only repeat what the words say.
type boxStyle struct{ class, fill, line string }

// style returns the style of a row by the mark that matters most.
func (r *row) style() boxStyle {
	for _, s := range boxStyles() {
		if r.has(s.mark) {
			return s.style
		}
	}
	return boxStyle{"plain", "#ffffff", "#5b6570"}
}

// markedStyle is the style of what has a mark, and its colour in a picture that is
// light and dark.
type markedStyle struct {
	mark  markKind
	style boxStyle
	tone  svg.Tone
}

// boxStyles returns the styles of marks, those that matter most first.
func boxStyles() []markedStyle {
	return []markedStyle{
		{markQuarantined, boxStyle{"quarantined", "#fbdad7", "#b3261e"}, svg.Red},
		{markBarred, boxStyle{"barred", "#fbdad7", "#b3261e"}, svg.Red},
		{markStranded, boxStyle{"stranded", "#fde7c8", "#a65f00"}, svg.Orange},
		{markDeadEnd, boxStyle{"deadend", "#fde7c8", "#a65f00"}, svg.Orange},
		{markDeprecated, boxStyle{"deprecated", "#fdf6c9", "#8a7400"}, svg.Yellow},
		{markVirtual, boxStyle{"virtual", "#f1f1f1", "#9a9a9a"}, svg.Grey},
		{markOutside, boxStyle{"outside", "#f1f1f1", "#9a9a9a"}, svg.Grey},
		{markSkipped, boxStyle{"skipped", "#eceef1", "#7c8794"}, svg.Grey},
		{markHead, boxStyle{"head", "#d9efdc", "#1f7a33"}, svg.Green},
		{markInstalled, boxStyle{"installed", "#d8e7fb", "#1a56a8"}, svg.Blue},
	}
}
