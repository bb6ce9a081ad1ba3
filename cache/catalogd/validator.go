package catalogd

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

// validator is what to ask a server whether its catalog changed with.
type validator struct {
	etag     string
	modified string // as the server wrote it
}

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

// validatorOf returns the validator of an answer.
func validatorOf(h http.Header) (v validator) {
	v.etag, v.modified = usable(h.Get("Etag")), usable(h.Get("Last-Modified"))
	modified, err := http.ParseTime(v.modified)
	date, err2 := http.ParseTime(h.Get("Date"))
	if err != nil || err2 != nil || date.Sub(modified) < surely {
		v.modified = ""
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

// Names of the parts of an encoded validator.
const (
	keyTag      = "etag"
	keyModified = "modified"
)

// encode returns the validator as text, empty if it is.
func (v validator) encode() string {
	parts := url.Values{}
	if v.etag != "" {
		parts.Set(keyTag, v.etag)
	}
	if v.modified != "" {
		parts.Set(keyModified, v.modified)
	}
	return parts.Encode() // in the order of the names
}

// decodeValidator is the inverse of encode. Text that is damaged is no
// validator: then the catalog is sent again.
func decodeValidator(text string) validator {
	parts, err := url.ParseQuery(text)
	if err != nil {
		return validator{}
	}
	return validator{etag: usable(parts.Get(keyTag)), modified: usable(parts.Get(keyModified))}
}

// apply makes a request conditional.
func (v validator) apply(h http.Header) {
	if v.etag != "" {
		h.Set("If-None-Match", v.etag)
	}
	if v.modified != "" {
		h.Set("If-Modified-Since", v.modified)
	}
}
