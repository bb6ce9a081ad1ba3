package document

import (
	"context"
	"encoding/json"
)

// Transcoder converts YAML documents to JSON. It reuses its memory and is not safe for concurrent
// use. Its zero value is ready.
//
// Documents in block style, as programs write them, are converted during reading, with no more
// memory than their JSON takes. All others become a tree of nodes first.
type Transcoder struct{ block block }

// Each calls take with the compact JSON of each document of a YAML text that begins at a line of
// its file, and its line changes. Both are valid until take returns. The results, including errors,
// equal those of [All]. An error of take stops the work and is returned.
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
