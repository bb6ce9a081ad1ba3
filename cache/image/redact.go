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
	// maxEscapes is how many times a text may be escaped for a secret in it to be found.
	maxEscapes = 3
	// minInside is the length from which base64 is looked for within longer base64, where its
	// first and last character depend on what stands around it.
	minInside = 8
)

// redact takes the secrets out of a text of foreign origin, however they are encoded.
func (s *client) redact(text string) string {
	return inert(hide(text, s.credential.Username, s.secrets))
}

// hide replaces secrets in a text by "…": as they are, in base64 or hexadecimal, alone or
// after the name of the user and a colon, and each of these escaped for a URL, a form,
// JSON, Go or HTML.
func hide(text, user string, secrets []string) string {
	wanted := encodings(user, secrets)
	if len(wanted) == 0 {
		return text
	}
	var found [][2]int
	for _, view := range []string{text, strings.ReplaceAll(text, "+", " ")} { // as forms have it
		for _, kinds := range []string{`%&\`, `%&`} { // a secret may have backslashes itself
			r := read(view)
			for range maxEscapes {
				found = append(found, r.find(wanted)...)
				if !r.unescape(kinds) {
					break
				}
			}
			found = append(found, r.find(wanted)...)
			r.text = bytes.ReplaceAll(r.text, []byte("+"), []byte(" ")) // a form in a form
			found = append(found, r.find(wanted)...)
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

// encodings returns what secrets look like, before anything is escaped.
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

// reading is a text of which escapes were resolved, and where each byte stands in the text.
type reading struct {
	text     []byte
	from, to []int
}

func read(text string) *reading {
	r := &reading{text: []byte(text), from: make([]int, len(text)), to: make([]int, len(text))}
	for i := range r.text {
		r.from[i], r.to[i] = i, i+1
	}
	return r
}

// find returns where something that is wanted stands in the text, with the padding of base64
// after it.
func (r *reading) find(wanted [][]byte) (found [][2]int) {
	for _, w := range wanted {
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

// unescape resolves escapes that begin with one of some characters, once, and reports
// whether there were any.
func (r *reading) unescape(kinds string) (some bool) {
	out := &reading{}
	for i := 0; i < len(r.text); {
		meant, length := r.text[i:i+1], 1
		if strings.IndexByte(kinds, r.text[i]) >= 0 {
			if m, n := escape(r.text[i:]); n > 0 {
				meant, length, some = m, n, true
			}
		}
		for _, b := range meant {
			out.text, out.from, out.to = append(out.text, b), append(out.from, r.from[i]), append(out.to, r.to[i+length-1])
		}
		i += length
	}
	*r = *out
	return some
}

// maxEntity is the length of the longest escape of HTML that is resolved.
const maxEntity = 12

// escape returns what the escape at the beginning of a text means, and its length, which is
// 0 if there is none.
func escape(text []byte) (meant []byte, length int) {
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

// backslash is escape for JSON and Go.
func backslash(text []byte) (meant []byte, length int) {
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

// digits returns the number that so many hexadecimal digits say.
func digits(text []byte, at, count int) (rune, bool) {
	if len(text) < at+count {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[at:at+count]), 16, 31)
	return rune(n), err == nil
}
