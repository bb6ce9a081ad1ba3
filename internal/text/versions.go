package text

import (
	"strconv"
	"strings"

	"github.com/blang/semver/v4"
)

// VersionSuffix returns the start of the version suffix of a bundle name such as etcd.v0.9.4, or a
// negative number.
func VersionSuffix(name string) int {
	for i := 1; i < len(name); i++ {
		if c := name[i-1]; c != '.' && c != '-' {
			continue
		}
		v := strings.TrimPrefix(name[i:], "v")
		if v == "" || v[0] < '0' || v[0] > '9' {
			continue
		}
		if _, err := semver.Parse(v); err == nil {
			return i
		}
	}
	return -1
}

// SplitVersion splits a bundle name such as etcd.v0.9.4 into etcd and 0.9.4. The version is empty
// if there is none.
func SplitVersion(name string) (base, version string) {
	at := VersionSuffix(name)
	if at < 0 {
		return name, ""
	}
	return name[:at-1], strings.TrimPrefix(name[at:], "v")
}

// NearVersion returns "; did you mean 1.15.0?" for a text that resembles a
// semantic version, such as 1.15, v1.15.0 or 01.15.0, or "".
func NearVersion(text string) string {
	if v := completeVersion(text); v != "" && v != text {
		return "; did you mean " + v + "?"
	}
	return ""
}

// NearRange returns "; did you mean 1.15.0 or '>=1.15.0 <1.16.0'?" for a text
// that resembles a version range, such as 1.15, >=1.15, ^1.15 or
// ">=1.2.0,<2.0.0", or "". It suggests a version first if the text consists
// only of numbers.
func NearRange(text string) string {
	var near []string
	if v := completeVersion(strings.TrimLeft(text, " =")); v != "" && v != text {
		near = append(near, v)
	}
	if r := completeRange(text); r != "" && r != text && (len(near) == 0 || r != near[0]) {
		near = append(near, "'"+r+"'")
	}
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + Or(near) + "?"
}

// partial is a version that may lack its last numbers.
type partial struct {
	numbers [3]uint64
	given   int    // how many
	rest    string // "-rc.1+5"
}

// parsePartial parses a version with one to three numbers, where later ones
// may be wildcards, with an optional leading "v".
func parsePartial(text string) (p partial, ok bool) {
	const maxDigits = 9
	if text = strings.TrimPrefix(strings.TrimPrefix(text, "v"), "V"); text == "" {
		return p, false
	}
	if i := strings.IndexAny(text, "-+"); i >= 0 {
		text, p.rest = text[:i], text[i:]
	}
	wild := false
	for i, word := range strings.Split(text, ".") {
		if i == len(p.numbers) {
			return p, false
		}
		if word == "x" || word == "X" || word == "*" {
			wild = true
			continue
		}
		n, err := strconv.ParseUint(word, 10, 64)
		if err != nil || len(word) > maxDigits || wild || word[0] == '+' {
			return p, false
		}
		p.numbers[i], p.given = n, i+1
	}
	return p, p.rest == "" || p.given > 0 && !wild && validSuffix(p.rest)
}

// validSuffix reports whether a prerelease and build are valid at the end of a
// version. An "x", which blang/semver treats as a wildcard, is not.
func validSuffix(rest string) bool {
	pre, build, built := strings.Cut(rest, "+")
	lists := []string{}
	if pre != "" {
		lists = append(lists, pre[1:])
	}
	if built {
		lists = append(lists, build)
	}
	for i, list := range lists {
		for id := range strings.SplitSeq(list, ".") {
			const digits, others = "0123456789", "-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwyz"
			zero := i == 0 && pre != "" && len(id) > 1 && id[0] == '0' && strings.Trim(id, digits) == ""
			if id == "" || zero || strings.Trim(id, digits+others) != "" {
				return false
			}
		}
	}
	return true
}

func (p partial) String() string {
	words := make([]string, len(p.numbers))
	for i, n := range p.numbers {
		words[i] = strconv.FormatUint(n, 10)
	}
	return strings.Join(words, ".") + p.rest
}

// above returns the first version with a higher number at index n or before.
func (p partial) above(n int) string {
	next := partial{}
	copy(next.numbers[:], p.numbers[:n+1])
	next.numbers[n]++
	return next.String()
}

// completeVersion returns the version that a text resembles, or "".
func completeVersion(text string) string {
	p, ok := parsePartial(strings.TrimSpace(text))
	if !ok || p.given == 0 || strings.ContainsAny(text, "xX*") && p.rest == "" {
		return ""
	}
	return p.String()
}

// operators lists the range operators of several dialects, longer ones first.
var operators = [...]string{">=", "=>", "<=", "=<", "==", "!=", "~>", ">", "<", "=", "!", "^", "~", ""}

// completeRange returns the range that a text resembles, or "".
func completeRange(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, ",", " "), "||", " || ")
	words := strings.Fields(text)
	var out []string
	for i := 0; i < len(words); i++ {
		word := words[i]
		if word == "||" {
			if i == 0 || i == len(words)-1 || words[i-1] == "||" {
				return "" // an alternative is empty
			}
			out = append(out, word)
			continue
		}
		if strings.Trim(word, "<>=!~^") == "" && i+1 < len(words) { // a separate operator
			i++
			word += words[i]
		}
		if i+2 < len(words) && words[i+1] == "-" { // "1.2 - 1.4"
			from, to := comparisons(">="+word), comparisons("<="+words[i+2])
			if from == "" || to == "" {
				return ""
			}
			out, i = append(out, from, to), i+2
			continue
		}
		c := comparisons(word)
		if c == "" {
			return ""
		}
		out = append(out, c)
	}
	return strings.Join(out, " ")
}

// comparisons expands a comparison for blang/semver, which lacks partial
// versions, "^" and "~", with the meaning of npm, cargo and Masterminds
// semver. It returns "" if invalid.
func comparisons(word string) string {
	op := ""
	for _, op = range operators {
		if strings.HasPrefix(word, op) {
			break
		}
	}
	p, ok := parsePartial(word[len(op):])
	switch {
	case !ok:
		return ""
	case p.given == 0:
		if op == "" || op == "=" || op == "==" || op == ">=" {
			return ">=0.0.0"
		}
		return ""
	}
	low, last := p.String(), p.given-1
	whole := p.given == len(p.numbers) || p.rest != ""
	switch op {
	case "^":
		significant := last // 0.0 and 0 are prefixes
		for i := range p.given {
			if p.numbers[i] > 0 {
				significant = i
				break
			}
		}
		return ">=" + low + " <" + p.above(significant)
	case "~", "~>":
		return ">=" + low + " <" + p.above(min(last, 1))
	case "=>", ">=":
		return ">=" + low
	case "<":
		return "<" + low
	}
	switch {
	case whole && op == "=<":
		return "<=" + low
	case whole:
		return op + low
	case op == ">":
		return ">=" + p.above(last)
	case op == "<=", op == "=<":
		return "<" + p.above(last)
	case op == "", op == "=", op == "==":
		return ">=" + low + " <" + p.above(last)
	}
	return ""
}
