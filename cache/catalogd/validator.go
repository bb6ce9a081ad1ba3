package catalogd

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

// validator is what to ask a server whether its catalog changed with: the headers of
// an answer, by the names that stand in its text.
type validator struct{ url.Values }

// The parts of a validator.
const (
	keyTag      = "etag"
	keyModified = "modified" // as the server wrote it
)

const (
	// longestTag bounds what is kept of a server's headers.
	longestTag = 1 << 10
	// surely is how much older than the answer its Last-Modified must be to
	// stand for the content: it counts in seconds, so a catalog that changes
	// twice in one would look the same. RFC 9110, section 8.8.2.2, asks for
	// one second; the other is for the time between opening a file and
	// answering.
	surely = 2 * time.Second
)

func validatorOf(h http.Header) validator {
	v := newValidator(h.Get("Etag"), h.Get("Last-Modified"))
	modified, err := http.ParseTime(v.Get(keyModified))
	date, err2 := http.ParseTime(h.Get("Date"))
	if err != nil || err2 != nil || date.Sub(modified) < surely {
		v.Del(keyModified)
	}
	return v
}

// newValidator returns a validator of what can be sent back.
func newValidator(tag, modified string) validator {
	v := validator{url.Values{}}
	for key, value := range map[string]string{keyTag: tag, keyModified: modified} {
		if value = usable(value); value != "" {
			v.Set(key, value)
		}
	}
	return v
}

// usable returns a value that can be sent back, or "".
func usable(value string) string {
	if len(value) > longestTag || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return ""
	}
	return value
}

// decodeValidator is the inverse of Encode. Text that is damaged is no
// validator: then the catalog is sent again.
func decodeValidator(text string) validator {
	parts, err := url.ParseQuery(text)
	if err != nil {
		parts = nil
	}
	return newValidator(parts.Get(keyTag), parts.Get(keyModified))
}

// apply makes a request conditional.
func (v validator) apply(h http.Header) {
	for key, header := range map[string]string{keyTag: "If-None-Match", keyModified: "If-Modified-Since"} {
		if v.Has(key) {
			h.Set(header, v.Get(key))
		}
	}
}
