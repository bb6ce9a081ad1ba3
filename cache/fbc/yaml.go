package fbc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/seed109e2655/resolute/graph"
)

// readYAML reads all documents of src. The stream is cut at the markers
// between documents, which stand at the beginning of a line wherever they are,
// so that a document that is broken or too large costs no other. The error is
// one that ends the reading of the catalog.
func readYAML(src *source, collector *collector) error {
	for {
		n, err := documentLength(src)
		switch {
		case isFatal(src.ctx, err):
			return err
		case err != nil && err == src.failed():
			src.advance(len(src.window()))
			return collector.ended(src)
		case err == errTooLarge:
			collector.problem(tooLarge(src.line, "bytes", src.budget.opts.MaxBlobBytes))
			skipDocument(src)
			continue
		case n == 0:
			return collector.ended(src)
		}
		if err := readDocument(src, collector, n); err != nil {
			return err
		}
		src.advance(n)
	}
}

// tooLarge is the problem of a document with too much of something.
func tooLarge[T int | int64](line int, what string, most T) graph.Problem {
	return graph.Problem{Severity: graph.SeverityError, Code: CodeTooLarge, Line: line,
		Message: fmt.Sprintf("this document has more than the %d %s that a blob may have, and is left out", most, what)}
}

// documentLength returns the length of the document that the window begins
// with, and makes the window long enough to hold it; 0 at the end. The error
// is errTooLarge or that of the stream.
func documentLength(src *source) (int, error) {
	at, content := 0, false
	for n := 1; ; n++ {
		if n%checkEvery == 0 && src.ended() {
			return 0, src.err
		}
		w := src.window()
		i := bytes.IndexByte(w[at:], '\n')
		for i < 0 && src.more() {
			from := len(w)
			w = src.window()
			if i = bytes.IndexByte(w[from:], '\n'); i >= 0 {
				i += from - at
			}
		}
		switch {
		case i < 0 && src.full():
			return 0, errTooLarge
		case i < 0 && src.failed() != nil:
			return 0, src.err
		case i < 0:
			i = len(w) - at // the last line need not be ended
		default:
			i++
		}
		line := w[at : at+i]
		if content && isMarker(line, "---") {
			break
		}
		at += i
		content = content || hasContent(line)
		if i == 0 || isMarker(line, "...") {
			break
		}
	}
	if int64(at) > src.budget.opts.MaxBlobBytes {
		return 0, errTooLarge
	}
	return at, nil
}

// isMarker reports whether a line begins or ends a document.
func isMarker(line []byte, marker string) bool {
	rest, ok := bytes.CutPrefix(line, []byte(marker))
	return ok && (len(rest) == 0 || isSpace(rest[0]))
}

// hasContent reports whether a line belongs to a document already, as opposed to
// what may come before one: comments, directives, a marker alone.
func hasContent(line []byte) bool {
	line = bytes.TrimRight(line, " \t\r\n")
	trimmed := bytes.TrimLeft(line, " \t")
	return len(trimmed) > 0 && trimmed[0] != '#' && line[0] != '%' && string(line) != "---"
}

// skipDocument moves on to the next document without holding what it passes.
func skipDocument(src *source) {
	for n := 1; src.skipLine(); n++ {
		if n%checkEvery == 0 && src.ended() {
			return
		}
		for len(src.window()) < len("---\n") && src.more() {
		}
		line, _, _ := bytes.Cut(src.window(), newline)
		if isMarker(line, "---") || isMarker(line, "...") {
			return
		}
	}
}

// readDocument reads the document of n bytes that the window begins with.
func readDocument(src *source, collector *collector, n int) error {
	text := src.window()[:n]
	limits := newExpansion(src.ctx, src.budget.opts)
	docs, err := parseYAML(src, text, limits)
	if isFatal(src.ctx, err) {
		return err
	}
	for _, doc := range docs {
		if doc.Kind == KindNull {
			continue // an empty document
		}
		if err := collector.blob(doc.blob()); err != nil {
			return err
		}
	}
	if err == nil {
		return nil
	}
	var bad *SyntaxError
	p := graph.Problem{Severity: graph.SeverityError, Code: CodeSyntax, Line: src.line}
	switch {
	case errors.As(err, &bad):
		p.Line = bad.Line
		p.Message = "this document is left out: " + bad.Reason
		if limits.exceeded {
			p.Code = CodeTooLarge
		}
	default:
		p.Message = "this document is left out: " + err.Error()
	}
	collector.problem(p)
	return nil
}

// parseYAML parses the documents of a text, usually one. The error is a
// *SyntaxError without a file, or that of the context; the documents before it
// are returned all the same.
func parseYAML(src *source, text []byte, limits *expansion) (docs []*Node, err error) {
	limits.base = src.line - 1
	if most := src.budget.opts.MaxNodes; nodesAtMost(text) > 4*most {
		limits.exceeded = true
		return nil, &SyntaxError{Line: src.line, Reason: fmt.Sprintf("it has more than the %d values that a document may have", most)}
	}
	defer func() {
		if p := recover(); p != nil { // no input may stop the program
			err = &SyntaxError{Line: src.line, Reason: "this YAML cannot be understood"}
		}
	}()
	acceptVersion(text)
	dec := yaml.NewDecoder(&attentive{src: src, text: text})
	for {
		var doc yaml.Node
		switch err := dec.Decode(&doc); {
		case err == io.EOF:
			return docs, nil
		case src.ctx.Err() != nil:
			return docs, src.ctx.Err()
		case err != nil:
			return docs, yamlError(err, limits.base)
		}
		limits.start()
		n, err := limits.node(&doc, 0)
		if err != nil {
			return docs, err
		}
		docs = append(docs, n)
	}
}

// acceptVersion turns a directive that states the version of YAML into a
// comment: the library knows that of 1.1 only, though it reads 1.2.
func acceptVersion(text []byte) {
	for len(text) > 0 && (text[0] == '#' || text[0] == '%' || isSpace(text[0])) {
		if bytes.HasPrefix(text, []byte("%YAML")) {
			text[0] = '#'
		}
		_, text, _ = bytes.Cut(text, newline)
	}
}

// nodesAtMost estimates from above how many values a text of YAML can have: it
// takes at least one of these characters to begin each. Without aliases, that
// is, which are counted when they are expanded. It keeps the parser from
// making a tree of some hundred bytes for each byte of the text.
func nodesAtMost(text []byte) int {
	n := 2
	for _, c := range text {
		switch c {
		case '\n', ',', ':', '[', '{', '-', '?':
			n++
		}
	}
	return n
}

// attentive reads text in small decoded, and ends with the context.
type attentive struct {
	src  *source
	text []byte
}

// Read implements io.Reader.
func (a *attentive) Read(p []byte) (int, error) {
	if err := a.src.ctx.Err(); err != nil {
		return 0, err
	}
	if len(a.text) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), 4<<10)], a.text)
	a.text = a.text[n:]
	return n, nil
}

// yamlLine finds the line in an error of the library.
var yamlLine = regexp.MustCompile(`^line (\d+): `)

// yamlError renders an error of the library, which counts lines from the
// beginning of the text.
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
