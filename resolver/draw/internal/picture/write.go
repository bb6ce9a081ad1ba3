package picture

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// Style is the style sheet of all pictures. It is constant, so that a page
// with a strict content security policy can allow its hash.
const Style = ".picture{color:#1d2329}.picture .paper{fill:#fff}@media (prefers-color-scheme:dark){.picture{color:#e4e7ea}.picture .paper{fill:#15191d}}"

// Writer writes an SVG picture that can be shown alone or inlined into HTML.
// It follows the light or dark mode of the page, has an accessible name and
// description, and contains no scripts, links or identifiers. It escapes all
// text, keeps the first error, and fails with the cause of the end of its
// context.
type Writer struct {
	ctx  context.Context
	enc  *xml.Encoder
	tags []xml.Name
	err  error

	elements int // written so far
}

// MaxDescription is the maximum length of a description, in bytes.
const MaxDescription = 4 << 10

// MaxScaled is the width up to which a page may scale a picture to its own width, in pixels. Wider ones
// have the class "wide".
const MaxScaled = 1300

// NewWriter begins a picture of a size in pixels. The title is its accessible
// name, and the description its content, truncated to [MaxDescription].
func NewWriter(ctx context.Context, w io.Writer, width, height float64, title, description string) *Writer {
	enc := xml.NewEncoder(w)
	enc.Indent("", " ")
	s := &Writer{ctx: ctx, enc: enc}
	class := "picture"
	if width > MaxScaled {
		class += " wide"
	}
	s.Open("svg", "xmlns", "http://www.w3.org/2000/svg", "class", class, "width", width, "height", height,
		"viewBox", "0 0 "+Num(width)+" "+Num(height), "role", "img", "aria-label", title,
		"font-family", Font, "font-size", FontSize, "fill", "currentColor")
	s.Leaf("title", title)
	s.Leaf("desc", text.Clip(description, MaxDescription))
	s.Leaf("style", Style)
	s.Leaf("rect", "", "class", "paper", "width", width, "height", height, "fill", "#fff")
	return s
}

func (s *Writer) token(t xml.Token) {
	if s.err == nil {
		s.err = s.enc.EncodeToken(t)
	}
}

// Open begins an element with attributes, given as names and values, which are
// texts or coordinates (see [Num]). A [Tone] adds the attributes of an area in
// it.
func (s *Writer) Open(name string, attrs ...any) {
	start := xml.StartElement{Name: xml.Name{Local: name}}
	for i := 0; i < len(attrs); i += 2 {
		if tone, ok := attrs[i].(Tone); ok {
			attrs = slices.Replace(slices.Clone(attrs), i, i+1, tone.area()...)
		}
		value := attrs[i+1]
		if f, ok := value.(float64); ok {
			value = Num(f)
		}
		start.Attr = append(start.Attr, xml.Attr{Name: xml.Name{Local: fmt.Sprint(attrs[i])}, Value: fmt.Sprint(value)})
	}
	s.tags = append(s.tags, start.Name)
	if s.elements++; s.elements%32 == 0 && s.err == nil && s.ctx.Err() != nil {
		s.err = context.Cause(s.ctx)
	}
	s.token(start)
}

// Close ends the current element.
func (s *Writer) Close() {
	s.token(xml.EndElement{Name: s.tags[len(s.tags)-1]})
	s.tags = s.tags[:len(s.tags)-1]
}

// Leaf writes an element that is empty or contains only text.
func (s *Writer) Leaf(name, text string, attrs ...any) {
	s.Open(name, attrs...)
	if text != "" {
		s.token(xml.CharData(text))
	}
	s.Close()
}

// Path writes an SVG path; see [Line].
func (s *Writer) Path(d string, attrs ...any) {
	s.Leaf("path", "", append([]any{"d", d}, attrs...)...)
}

// Text writes a line of text with the given start of its baseline.
func (s *Writer) Text(x, y float64, text string, attrs ...any) {
	s.Leaf("text", text, append([]any{"x", x, "y", y}, attrs...)...)
}

// End closes all open elements and returns the first error.
func (s *Writer) End() error {
	for len(s.tags) > 0 {
		s.Close()
	}
	if s.err == nil {
		s.err = s.enc.Close()
	}
	return s.err
}

// Num renders a coordinate to a tenth of a pixel.
func Num(f float64) string { return strconv.FormatFloat(math.Round(f*10)/10, 'f', -1, 64) }

// Line returns the path through points, given as x and y.
func Line(points ...float64) string {
	var b strings.Builder
	for i := 0; i+1 < len(points); i += 2 {
		op := "L"
		if i == 0 {
			op = "M"
		}
		b.WriteString(op + Num(points[i]) + " " + Num(points[i+1]))
	}
	return b.String()
}
