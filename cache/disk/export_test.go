package disk

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"io"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// Decode decodes a copy in memory.
func Decode(data []byte, opts Options) (*cache.Content, error) {
	return decode(context.Background(), "", data, opts)
}

// Encode writes a copy to w.
func Encode(w io.Writer, c *cache.Content, origin string) error {
	return encode(context.Background(), w, c, newHeader(c, origin))
}

// Lines returns the lines of a copy.
func Lines(data []byte) []byte {
	packed, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		panic(err)
	}
	lines, _ := io.ReadAll(packed) // partial if it is damaged
	return lines
}

// Seal returns a copy of arbitrary lines with a valid checksum.
func Seal(lines []byte) []byte {
	packed := testkit.Gzip(lines)
	sum := sha256.New()
	sum.Write(packed)
	return append(packed, end(sum)...)
}

// Internals for tests.
var (
	BuildOf         = buildOf
	TemporaryPrefix = temporaryPrefix
)

// ThisBuild identifies the current build.
func ThisBuild() string { return thisBuild() }
