package disk

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"io"

	"github.com/seed109e2655/resolute/cache"
)

// Decode returns the content of a copy that is in memory.
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
	lines, err := io.ReadAll(packed)
	if err != nil {
		panic(err)
	}
	return lines
}

// Seal makes a copy of any lines, with a checksum that is right.
func Seal(lines []byte) []byte {
	var b bytes.Buffer
	packed := gzip.NewWriter(&b)
	_, _ = packed.Write(lines)
	_ = packed.Close()
	sum := sha256.New()
	sum.Write(b.Bytes())
	return append(b.Bytes(), end(sum)...)
}

// What tests look into.
var (
	BuildOf         = buildOf
	TemporaryPrefix = temporaryPrefix
)

// ThisBuild identifies the build that runs.
func ThisBuild() string { return thisBuild() }
