package catalogd

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// maxTag is the maximum length of a stored header value in bytes.
	maxTag = 1 << 10
	// minAge is how much older than the response its Last-Modified must be to identify the
	// content. Last-Modified has a resolution of one second, so two changes within one second
	// look the same. RFC 9110, section 8.8.2.2, requires one second; the other covers the time
	// between opening the file and sending the response.
	minAge = 2 * time.Second
)

// conditions maps the conditional request headers to the response headers whose values they
// repeat. A validator is the request headers encoded as a query.
var conditions = map[string]string{"If-None-Match": "Etag", "If-Modified-Since": "Last-Modified"}

// validatorOf returns the validator of a response, or "".
func validatorOf(h http.Header) string {
	v := url.Values{}
	for condition, header := range conditions {
		if value := h.Get(header); usable(value) {
			v.Set(condition, value)
		}
	}
	modified, err := http.ParseTime(h.Get("Last-Modified"))
	date, err2 := http.ParseTime(h.Get("Date"))
	if err != nil || err2 != nil || date.Sub(modified) < minAge {
		v.Del("If-Modified-Since")
	}
	return v.Encode()
}

// usable reports whether a value can be sent in a header.
func usable(value string) bool {
	return value != "" && len(value) <= maxTag && !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// setConditions makes a request conditional. It ignores a damaged validator, so that the
// catalog is sent again.
func setConditions(h http.Header, validator string) {
	v, err := url.ParseQuery(validator)
	for condition := range conditions {
		if value := v.Get(condition); err == nil && usable(value) {
			h.Set(condition, value)
		}
	}
}
