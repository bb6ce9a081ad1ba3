package draw

import (
	"encoding/xml"
	"io"
	"math"
	"strconv"
)

// svg writes the elements of a picture. What it is given is escaped; the first
// error is kept.
type svg struct {
	enc  *xml.Encoder
	tags []xml.Name
	err  error
}

// newSVG returns a writer of elements.
func newSVG(w io.Writer) *svg {
	enc := xml.NewEncoder(w)
	enc.Indent("", " ")
	return &svg{enc: enc}
}

// token writes a token.
func (s *svg) token(t xml.Token) {
	if s.err == nil {
		s.err = s.enc.EncodeToken(t)
	}
}

// open begins an element with attributes, given as names and values.
func (s *svg) open(name string, attrs ...string) {
	start := xml.StartElement{Name: xml.Name{Local: name}}
	for i := 0; i+1 < len(attrs); i += 2 {
		start.Attr = append(start.Attr, xml.Attr{Name: xml.Name{Local: attrs[i]}, Value: attrs[i+1]})
	}
	s.tags = append(s.tags, start.Name)
	s.token(start)
}

// close ends the element begun last.
func (s *svg) close() {
	s.token(xml.EndElement{Name: s.tags[len(s.tags)-1]})
	s.tags = s.tags[:len(s.tags)-1]
}

// leaf writes an element with nothing but text in it, or nothing.
func (s *svg) leaf(name, text string, attrs ...string) {
	s.open(name, attrs...)
	if text != "" {
		s.token(xml.CharData(text))
	}
	s.close()
}

// end writes what is left, and returns the first error.
func (s *svg) end() error {
	if s.err == nil {
		s.err = s.enc.Close()
	}
	return s.err
}

// num renders a coordinate to a tenth of a pixel.
func num(f float64) string { return strconv.FormatFloat(math.Round(f*10)/10, 'f', -1, 64) }

// line returns the path through points, given as x and y.
func line(points ...float64) string {
	var out []byte
	for i := 0; i+1 < len(points); i += 2 {
		op := "L"
		if i == 0 {
			op = "M"
		}
		out = append(out, op+num(points[i])+" "+num(points[i+1])...)
	}
	return string(out)
}
