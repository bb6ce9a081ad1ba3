package catalogd

import (
	"net/http"
	"net/url"
	"strings"
	"time"
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

// conditions are the headers by which a request asks whether a catalog changed, and those of
// an answer that they repeat. A validator is the former as a query.
var conditions = map[string]string{"If-None-Match": "Etag", "If-Modified-Since": "Last-Modified"}

// validatorOf returns the validator of an answer, empty if it has none.
func validatorOf(h http.Header) string {
	v := url.Values{}
	for ask, said := range conditions {
		if value := h.Get(said); usable(value) {
			v.Set(ask, value)
		}
	}
	modified, err := http.ParseTime(h.Get("Last-Modified"))
	date, err2 := http.ParseTime(h.Get("Date"))
	if err != nil || err2 != nil || date.Sub(modified) < surely {
		v.Del("If-Modified-Since")
	}
	return v.Encode()
}

// usable reports whether a value can be sent back.
func usable(value string) bool {
	return value != "" && len(value) <= longestTag && !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// ask makes a request conditional. Text that is damaged is no validator: then the catalog
// is sent again.
func ask(h http.Header, validator string) {
	v, err := url.ParseQuery(validator)
	for ask := range conditions {
		if value := v.Get(ask); err == nil && usable(value) {
			h.Set(ask, value)
		}
	}
}
