package view

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"slices"

	"github.com/seed109e2655/resolute/cache/fbc/document"
)

// maxLinesBytes bounds files that are searched for the line of an entry. Larger files usually
// have one blob per line, as opm writes them.
const maxLinesBytes = 16 << 20

// entryLines finds the line of an entry in the blob of a channel, which catalogs do not record.
type entryLines struct {
	files map[string][][]byte       // lines by file; empty if unreadable
	blobs map[blobAt]map[string]int // entry lines by blob
}

// blobAt is the location of a blob.
type blobAt struct {
	file string
	line int
}

func newEntryLines() *entryLines {
	return &entryLines{files: make(map[string][][]byte), blobs: make(map[blobAt]map[string]int)}
}

// find returns the line of an entry in the channel blob at a line, or that line if there is no
// such entry.
func (l *entryLines) find(file string, line int, name string) int {
	at := blobAt{file, line}
	entries, ok := l.blobs[at]
	if !ok {
		entries = l.read(at)
		l.blobs[at] = entries
	}
	if found := entries[name]; found > 0 {
		return found
	}
	return line
}

// read returns the lines of the entries of a blob.
func (l *entryLines) read(at blobAt) map[string]int {
	lines, ok := l.files[at.file]
	if !ok {
		lines = linesOf(at.file)
		l.files[at.file] = lines
	}
	if at.line < 1 || at.line > len(lines) {
		return nil
	}
	first := lines[at.line-1]
	data := firstBlob(first[:cap(first)]) // the blob may end before the file does
	if bytes.IndexByte(bytes.TrimSpace(data), '\n') < 0 {
		return nil // a blob on one line
	}
	blob, err := document.Decode(context.Background(), data, "blob", document.Limits{})
	if err != nil {
		return nil
	}
	list := blob.Field("entries")
	if list == nil {
		return nil
	}
	entries := make(map[string]int)
	for _, item := range list.Items {
		if name := item.Field("name"); name != nil && item.Line > 0 && entries[name.Value] == 0 {
			entries[name.Value] = at.line + item.Line - 1
		}
	}
	return entries
}

// linesOf returns the lines of a file including line ends, or nil for compressed and oversized
// files.
func linesOf(file string) [][]byte {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxLinesBytes {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil || bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		return nil
	}
	var lines [][]byte
	for data = slices.Clip(data); len(data) > 0; {
		n := bytes.IndexByte(data, '\n') + 1
		if n == 0 {
			n = len(data)
		}
		lines = append(lines, data[:n])
		data = data[n:]
	}
	return lines
}

// firstBlob returns the first JSON blob or YAML document of a text.
func firstBlob(data []byte) []byte {
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '{' {
		var raw json.RawMessage
		dec := json.NewDecoder(bytes.NewReader(data))
		if dec.Decode(&raw) == nil {
			return data[:dec.InputOffset()]
		}
	}
	for i := 0; i < len(data); {
		next := bytes.IndexByte(data[i:], '\n')
		if next < 0 {
			break
		}
		i += next + 1
		if bytes.HasPrefix(data[i:], []byte("---")) {
			return data[:i]
		}
	}
	return data
}
