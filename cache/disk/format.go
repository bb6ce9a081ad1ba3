package disk

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"
	"unicode/utf8"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
)

const (
	// formatVersion is the format version that this package writes, and the only one that it
	// reads.
	formatVersion = 1
	// schemaCopy is the schema of the first blob. Other tools for file-based catalogs skip
	// unknown schemas.
	schemaCopy = "resolute.copy"
	// maxHeader is the maximum length of the first line in bytes.
	maxHeader = 64 << 10
)

// header is the first blob of a copy.
type header struct {
	Schema string `json:"schema"`
	Format int    `json:"format"`
	Build  string `json:"build"`
	Origin string `json:"origin,omitempty"`
	// The other fields equal those of the cache.Content.
	Digest    string    `json:"digest"`
	Validator string    `json:"validator,omitempty"`
	Modified  time.Time `json:"modified,omitzero"`
}

func newHeader(c *cache.Content, origin string) header {
	h := header{Schema: schemaCopy, Format: formatVersion, Build: thisBuild(), Origin: origin,
		Digest: c.Digest, Validator: c.Validator, Modified: c.Modified.UTC()}
	if h.Digest == "" {
		h.Digest = c.Catalog.Digest()
	}
	if !utf8.ValidString(h.Validator) {
		h.Validator = "" // not valid JSON; the next request is unconditional
	}
	return h
}

// A copy ends with an empty gzip member whose comment is the SHA-256 of all preceding bytes.
// The comment has the same position and length in every version of the format.
const (
	beforeSum = "\x1f\x8b\x08\x10\x00\x00\x00\x00\x00\xff" + schemaCopy + " sha256:"
	afterSum  = "\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	endLength = len(beforeSum) + 2*sha256.Size + len(afterSum)
)

// end returns the end of a copy with the given checksum.
func end(sum hash.Hash) []byte {
	return []byte(beforeSum + hex.EncodeToString(sum.Sum(nil)) + afterSum)
}

func encode(ctx context.Context, w io.Writer, c *cache.Content, h header) error {
	sum := sha256.New()
	packed, err := gzip.NewWriterLevel(io.MultiWriter(w, sum), gzip.BestSpeed)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(packed)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(h); err != nil {
		return err
	}
	if err := fbc.Write(contextWriter{ctx, packed}, c.Catalog, fbc.WriteOptions{Exact: true}); err != nil {
		return err
	}
	if err := packed.Close(); err != nil {
		return err
	}
	_, err = w.Write(end(sum))
	return err
}

// contextWriter is a writer that fails after its context ends.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func (w contextWriter) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.w.Write(p)
}

// unseal verifies the checksum of a copy, and returns the bytes before its end and the decoded
// first line.
func unseal(data []byte) (before []byte, h header, err error) {
	at := len(data) - endLength
	switch {
	case len(data) == 0:
		return nil, h, errors.New("it is empty")
	case at < 0 || !bytes.HasPrefix(data[at:], []byte(beforeSum)):
		return nil, h, errors.New("it is not a copy of a catalog, or its end is truncated or damaged")
	}
	sum := sha256.New()
	sum.Write(data[:at])
	if !bytes.Equal(data[at:], end(sum)) {
		return nil, h, errors.New("its checksum is wrong: it is damaged")
	}
	packed, err := gzip.NewReader(bytes.NewReader(data[:at]))
	if err != nil {
		return nil, h, fmt.Errorf("it does not begin with a gzip header: %w", err)
	}
	line, err := bufio.NewReaderSize(io.LimitReader(packed, maxHeader), maxHeader).ReadSlice('\n')
	if err == nil {
		err = json.Unmarshal(line, &h)
	}
	if err == nil && h.Schema != schemaCopy {
		err = errors.New("its schema is not " + schemaCopy)
	}
	if err != nil {
		return nil, h, fmt.Errorf("its first line cannot be read: %w", err)
	}
	return data[:at], h, nil
}
