package image

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// maxEscapes is the number of nested escapes within which secrets are found.
	maxEscapes = 3
	// minInside is the minimum length of base64 that is searched within longer base64, where
	// the first and last character depend on their neighbors.
	minInside = 8
)

// redact removes secrets, in any encoding, from untrusted text.
func (s *client) redact(text string) string {
	return inert(redactSecrets(text, s.credential.Username, s.secrets))
}

// redactSecrets replaces secrets in a text by "…": verbatim, in base64 or hexadecimal, alone or
// after the user name and a colon, and each of these escaped for a URL, a form, JSON, Go or
// HTML.
func redactSecrets(text, user string, secrets []string) string {
	patterns := encodings(user, secrets)
	if len(patterns) == 0 {
		return text
	}
	var found [][2]int
	for _, view := range []string{text, strings.ReplaceAll(text, "+", " ")} { // form encoding
		for _, kinds := range []string{`%&\`, `%&`} { // a secret may contain backslashes
			r := newUnescaped(view)
			for range maxEscapes {
				found = append(found, r.find(patterns)...)
				if !r.unescape(kinds) {
					break
				}
			}
			found = append(found, r.find(patterns)...)
			r.text = bytes.ReplaceAll(r.text, []byte("+"), []byte(" ")) // nested form encoding
			found = append(found, r.find(patterns)...)
		}
	}
	slices.SortFunc(found, func(a, b [2]int) int { return a[0] - b[0] })
	var b strings.Builder
	at := 0
	for i := 0; i < len(found); {
		from, to := found[i][0], found[i][1]
		for i++; i < len(found) && found[i][0] <= to; i++ {
			to = max(to, found[i][1])
		}
		b.WriteString(text[at:from] + "…")
		at = to
	}
	return b.String() + text[at:]
}

// encodings returns the encoded forms of secrets, before escaping.
func encodings(user string, secrets []string) (all [][]byte) {
	add := func(s string) {
		if s != "" {
			all = append(all, []byte(s))
		}
	}
	for _, secret := range secrets {
		if secret == "" {
			continue
		}
		add(secret)
		plain := hex.EncodeToString([]byte(secret))
		add(plain)
		add(strings.ToUpper(plain))
		for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			add(e.EncodeToString([]byte(secret)))
			add(e.EncodeToString([]byte(user + ":" + secret)))
			for before := range 3 {
				inside := e.EncodeToString(append(make([]byte, before), secret...))
				inside = inside[(before*8+5)/6 : (before+len(secret))*8/6]
				if len(inside) >= minInside {
					add(inside)
				}
			}
		}
	}
	return all
}

// unescaped is a text with resolved escapes, and the position of each byte in the original.
type unescaped struct {
	text     []byte
	from, to []int
}

func newUnescaped(text string) *unescaped {
	r := &unescaped{text: []byte(text), from: make([]int, len(text)), to: make([]int, len(text))}
	for i := range r.text {
		r.from[i], r.to[i] = i, i+1
	}
	return r
}

// find returns the positions of the patterns in the original text, including trailing base64
// padding.
func (r *unescaped) find(patterns [][]byte) (found [][2]int) {
	for _, w := range patterns {
		for at := 0; ; {
			i := bytes.Index(r.text[at:], w)
			if i < 0 {
				break
			}
			begin, end := at+i, at+i+len(w)
			at = end
			for end < len(r.text) && r.text[end] == '=' {
				end++
			}
			found = append(found, [2]int{r.from[begin], r.to[end-1]})
		}
	}
	return found
}

// unescape resolves escapes that begin with one of the given characters, one level, and reports
// whether there were any.
func (r *unescaped) unescape(kinds string) (found bool) {
	out := &unescaped{}
	for i := 0; i < len(r.text); {
		decoded, length := r.text[i:i+1], 1
		if strings.IndexByte(kinds, r.text[i]) >= 0 {
			if m, n := escape(r.text[i:]); n > 0 {
				decoded, length, found = m, n, true
			}
		}
		for _, b := range decoded {
			out.text, out.from, out.to = append(out.text, b), append(out.from, r.from[i]), append(out.to, r.to[i+length-1])
		}
		i += length
	}
	*r = *out
	return found
}

// maxEntity is the maximum length of an HTML entity that is resolved.
const maxEntity = 12

// escape decodes the escape at the beginning of a text. length is 0 if there is none.
func escape(text []byte) (decoded []byte, length int) {
	switch text[0] {
	case '%':
		if c, ok := digits(text, 1, 2); ok {
			return []byte{byte(c)}, 3
		}
	case '&':
		end := bytes.IndexByte(text[:min(len(text), maxEntity)], ';') + 1
		if plain := html.UnescapeString(string(text[:end])); plain != string(text[:end]) {
			return []byte(plain), end
		}
	case '\\':
		return backslash(text)
	}
	return nil, 0
}

// backslash implements escape for JSON and Go.
func backslash(text []byte) (decoded []byte, length int) {
	if len(text) < 2 {
		return nil, 0
	}
	switch text[1] {
	case 'u':
		c, ok := digits(text, 2, 4)
		if !ok {
			return nil, 0
		}
		if utf16.IsSurrogate(c) && len(text) > 8 && text[6] == '\\' && text[7] == 'u' {
			if low, ok := digits(text, 8, 4); ok && utf16.DecodeRune(c, low) != utf8.RuneError {
				return utf8.AppendRune(nil, utf16.DecodeRune(c, low)), 12
			}
		}
		return utf8.AppendRune(nil, c), 6
	case 'U':
		if c, ok := digits(text, 2, 8); ok {
			return utf8.AppendRune(nil, c), 10
		}
	case 'x':
		if c, ok := digits(text, 2, 2); ok {
			return []byte{byte(c)}, 4
		}
	default:
		const short, means = `"\/'abfnrtv`, "\"\\/'\a\b\f\n\r\t\v"
		if i := strings.IndexByte(short, text[1]); i >= 0 {
			return []byte{means[i]}, 2
		}
	}
	return nil, 0
}

// digits parses count hexadecimal digits.
func digits(text []byte, at, count int) (rune, bool) {
	if len(text) < at+count {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[at:at+count]), 16, 31)
	return rune(n), err == nil
}
