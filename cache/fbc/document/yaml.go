package document

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// All reads the documents of a YAML text, usually one, that begins at a line of its file. An empty
// document is null. The error is a [*SyntaxError] without a file, or that of the context; the
// documents before it are returned too.
func All(ctx context.Context, text []byte, line int, limits Limits) (docs []*Node, err error) {
	limits = limits.withDefaults()
	if tooMany(text, limits) {
		return nil, &SyntaxError{Line: line, TooLarge: true, Reason: fmt.Sprintf("it has more than the %d values that a document may have", limits.MaxNodes)}
	}
	defer func() {
		if p := recover(); p != nil { // no input may crash the program
			err = &SyntaxError{Line: line, Reason: "this YAML cannot be understood"}
		}
	}()
	dec := yaml.NewDecoder(&ctxReader{ctx: ctx, text: acceptVersion(text)})
	for {
		var doc yaml.Node
		switch err := dec.Decode(&doc); {
		case err == io.EOF:
			return docs, nil
		case ctx.Err() != nil:
			return docs, ctx.Err()
		case err != nil:
			return docs, yamlError(err, line-1)
		}
		x := expansion{ctx: ctx, limits: limits, base: line - 1, open: map[*yaml.Node]bool{}}
		n, err := x.node(&doc, 0)
		if err != nil {
			return docs, err
		}
		docs = append(docs, n)
	}
}

// acceptVersion returns a text in which directives for the version of YAML are comments: the
// library accepts only 1.1, although it reads 1.2.
func acceptVersion(text []byte) []byte {
	own := false // the text is a copy
	for at := 0; at < len(text) && bytes.IndexByte([]byte("#% \t\r\n"), text[at]) >= 0; {
		if bytes.HasPrefix(text[at:], []byte("%YAML")) {
			if !own {
				text, own = bytes.Clone(text), true
			}
			text[at] = '#'
		}
		line, _, _ := bytes.Cut(text[at:], []byte("\n"))
		at += len(line) + 1
	}
	return text
}

// tooMany returns whether an upper estimate of the number of values of a YAML text exceeds the
// limit: each value begins with one of these characters, apart from those of aliases, which are
// counted during expansion. This keeps the parser from building a tree of some hundred bytes for
// each byte of the text.
func tooMany(text []byte, limits Limits) bool {
	most := 4*limits.MaxNodes - 2
	if len(text) <= most {
		return false
	}
	n := 0
	for _, c := range text {
		switch c {
		case '\n', ',', ':', '[', '{', '-', '?':
			n++
		}
	}
	return n > most
}

// ctxReader reads text in small chunks, and stops with the context.
type ctxReader struct {
	ctx  context.Context
	text []byte
}

// Read implements io.Reader.
func (a *ctxReader) Read(p []byte) (int, error) {
	if err := a.ctx.Err(); err != nil {
		return 0, err
	}
	if len(a.text) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), 4<<10)], a.text)
	a.text = a.text[n:]
	return n, nil
}

// yamlLine matches the line in an error of the library.
var yamlLine = regexp.MustCompile(`^line (\d+): `)

// yamlError converts an error of the library, which counts lines from the beginning of the text.
func yamlError(err error, base int) *SyntaxError {
	e := &SyntaxError{Line: base + 1, Reason: strings.TrimPrefix(err.Error(), "yaml: ")}
	if m := yamlLine.FindStringSubmatch(e.Reason); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			e.Line = base + n
			e.Reason = strings.TrimPrefix(e.Reason, m[0])
		}
	}
	e.Reason = "this is not valid YAML: " + e.Reason
	return e
}
