package dump

import (
	"bufio"
	"bytes"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// asUTF8 decodes text as UTF-8 without a byte order mark. UTF-16, which PowerShell writes, is
// detected by its mark, or by zero bytes beside the first characters, which are ASCII in JSON and
// YAML (YAML 1.2, section 5.2).
func asUTF8(in *bufio.Reader) *bufio.Reader {
	begin, _ := in.Peek(4) // the next read returns the error again
	order := unicode.BigEndian
	switch {
	case bytes.HasPrefix(begin, []byte("\xef\xbb\xbf")):
		_, _ = in.Discard(3)
		return in
	case bytes.HasPrefix(begin, []byte("\xfe\xff")), len(begin) == 4 && begin[0] == 0 && begin[1] != 0:
	case bytes.HasPrefix(begin, []byte("\xff\xfe")), len(begin) == 4 && begin[0] != 0 && begin[1] == 0:
		order = unicode.LittleEndian
	default:
		return in
	}
	return bufio.NewReaderSize(transform.NewReader(in, unicode.UTF16(order, unicode.UseBOM).NewDecoder()), bufferBytes)
}
