// Package challenge parses what a server says about how it wants to be shown a
// right: the header WWW-Authenticate (RFC 9110, section 11.6.1).
package challenge

import "strings"

// Challenge is one way in which a server wants to be shown a right.
type Challenge struct {
	Scheme string            // in lower case
	Params map[string]string // by name, in lower case
}

// maxChallenge bounds the text of challenges, and maxChallenges their number.
const (
	maxChallenge  = 16 << 10
	maxChallenges = 20
)

// Parse parses the headers of an answer. What cannot be understood
// ends what is read of a header.
func Parse(headers []string) []Challenge {
	var all []Challenge
	for _, text := range headers {
		if len(text) > maxChallenge {
			continue
		}
		p := parser{text}
		for len(all) < maxChallenges {
			c, ok := p.challenge()
			if !ok {
				break
			}
			all = append(all, c)
		}
	}
	return all
}

// parser holds what is left to parse.
type parser struct{ rest string }

// space skips white space and commas.
func (p *parser) space() { p.rest = strings.TrimLeft(p.rest, " \t,") }

// token takes the characters that a token may have.
func (p *parser) token() string {
	n := strings.IndexFunc(p.rest, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
	})
	if n < 0 {
		n = len(p.rest)
	}
	token := p.rest[:n]
	p.rest = p.rest[n:]
	return token
}

// challenge takes a scheme and its parameters.
func (p *parser) challenge() (Challenge, bool) {
	p.space()
	c := Challenge{Scheme: strings.ToLower(p.token()), Params: map[string]string{}}
	if c.Scheme == "" {
		return c, false
	}
	for {
		before := p.rest
		p.space()
		name := strings.ToLower(p.token())
		p.rest = strings.TrimLeft(p.rest, " \t")
		value, isParam := strings.CutPrefix(p.rest, "=")
		if name == "" || !isParam {
			p.rest = before // the next scheme, or the end
			return c, true
		}
		p.rest = strings.TrimLeft(value, " \t")
		if strings.HasPrefix(p.rest, `"`) {
			c.Params[name] = p.quoted()
		} else {
			c.Params[name] = p.token()
		}
	}
}

func (p *parser) quoted() string {
	var b strings.Builder
	escaped := false
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case escaped:
			b.WriteByte(c)
			escaped = false
		case c == '\\':
			escaped = true
		case c == '"':
			p.rest = p.rest[i+1:]
			return b.String()
		default:
			b.WriteByte(c)
		}
	}
	p.rest = ""
	return b.String()
}
