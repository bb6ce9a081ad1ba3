package document

import (
	"context"
	"encoding/json"
)

// Transcoder turns documents of YAML into JSON. It keeps its memory from one document
// to the next, and is used by one goroutine at a time. Its zero value is ready.
//
// Documents in block style, as programs write them, are turned while they are read,
// with no more memory than their JSON takes. All others become a tree of nodes first.
type Transcoder struct{ block block }

// Each calls take with the compact JSON of each document of a text of YAML, which begins
// at a line of its file, and with where in it the lines change that it comes from. Both
// are good until take returns. What comes of a text, errors included, is what [All] makes
// of it. An error of take ends all, and is returned.
func (t *Transcoder) Each(ctx context.Context, text []byte, line int, limits Limits, take func(json.RawMessage, Marks) error) error {
	if t.block.document(ctx, text, line, limits.withDefaults()) {
		return take(t.block.out, t.block.marks)
	}
	docs, err := All(ctx, text, line, limits)
	for _, n := range docs {
		if err := take(n.JSONLines()); err != nil {
			return err
		}
	}
	return err
}
