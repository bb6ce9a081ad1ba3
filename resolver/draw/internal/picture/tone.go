package picture

// Tone is a colour of lines and areas. Each has a contrast of at least 3:1
// with both the light and the dark paper, as WCAG 2 requires of graphics, so
// that one colour serves both. Text keeps the text colour. A tone never
// carries information alone. The zero value is the text colour.
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

// Line returns the line colour.
func (t Tone) Line() string {
	if t == "" {
		return "currentColor"
	}
	return string(t)
}

// Tint is the opacity of an area.
const Tint = ".14"

// Faint is the opacity of secondary text.
const Faint = ".75"

// area returns the attributes of an outlined area in this tone.
func (t Tone) area() []any {
	if t == "" {
		return []any{"fill", "currentColor", "fill-opacity", ".03", "stroke", "currentColor", "stroke-opacity", Faint}
	}
	return []any{"fill", string(t), "fill-opacity", Tint, "stroke", string(t)}
}
