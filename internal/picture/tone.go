package picture

// Tone is a colour of lines and areas. Each has a contrast of at least 3 to 1 with both
// the light and the dark paper, as WCAG 2 asks of graphics, so that one colour does for
// both; text is written in the colour of the text around it. A tone only repeats what
// words say. The zero value is the colour of the text.
type Tone string

// The tones.
const (
	Grey   Tone = "#7c8794"
	Blue   Tone = "#3b82d0"
	Green  Tone = "#2e9e5b"
	Red    Tone = "#d9483b"
	Orange Tone = "#c77a14"
	Yellow Tone = "#a08a00"
	Violet Tone = "#9a63c9"
	Teal   Tone = "#0e8f97"
	Brown  Tone = "#b0643a"
	Olive  Tone = "#6f8f2a"
)

// Line returns the colour of a line.
func (t Tone) Line() string {
	if t == "" {
		return "currentColor"
	}
	return string(t)
}

// Tint is how much of a tone an area has.
const Tint = ".14"

// Faint is how much of its colour a text has that matters less.
const Faint = ".75"

// area returns the attributes of an area in this tone, with an outline.
func (t Tone) area() []any {
	if t == "" {
		return []any{"fill", "currentColor", "fill-opacity", ".03", "stroke", "currentColor", "stroke-opacity", Faint}
	}
	return []any{"fill", string(t), "fill-opacity", Tint, "stroke", string(t)}
}
