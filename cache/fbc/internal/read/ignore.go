package read

import (
	"bytes"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// ignoreFile is the name of the files that exclude parts of a directory from the catalog, by the
// rules of gitignore.
const ignoreFile = ".indexignore"

// ignoreRules are the rules of a directory, those of its parents first: the last matching rule
// decides.
type ignoreRules []ignoreRule

// ignoreRule is one line of an ignore file. The library matches globs; this adds what gitignore
// adds to them.
type ignoreRule struct {
	dir      string // the directory of the file, "." for the root
	glob     string
	negated  bool // "!": matches are not ignored
	dirOnly  bool // a slash at the end: matches directories only
	anywhere bool // no other slash: matches a name at any depth
}

// with returns the rules and those of an ignore file in dir, and the numbers of the invalid lines.
// Those match nothing, as in git.
func (r ignoreRules) with(dir string, data []byte) (all ignoreRules, bad []int) {
	all = r[:len(r):len(r)] // do not overwrite the rules of a sibling
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	for i, line := range strings.Split(string(data), "\n") {
		rule, ok := parseIgnoreRule(strings.TrimSuffix(line, "\r"))
		switch {
		case !ok:
		case !doublestar.ValidatePattern(rule.glob):
			bad = append(bad, i+1)
		default:
			rule.dir = dir
			all = append(all, rule)
		}
	}
	return all, bad
}

// parseIgnoreRule parses a line; ok is false for a line without a rule.
func parseIgnoreRule(line string) (rule ignoreRule, ok bool) {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if line == "" || line[0] == '#' {
		return rule, false
	}
	line, rule.negated = strings.CutPrefix(line, "!")
	line, rule.dirOnly = strings.CutSuffix(line, "/")
	rule.anywhere = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return rule, false
	}
	if strings.HasSuffix(line, "/**") {
		line += "/*" // the content, but not the directory itself
	}
	rule.glob = toGlob(line)
	return rule, true
}

// toGlob translates a gitignore pattern to the dialect of the library: braces, which have no
// meaning in gitignore, are escaped, and so is a closing bracket at the start of a class.
func toGlob(pattern string) string {
	var b strings.Builder
	inClass := false
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == '\\' && i+1 < len(pattern):
			b.WriteByte(c)
			i++
			c = pattern[i]
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
			if i+1 < len(pattern) && (pattern[i+1] == '!' || pattern[i+1] == '^') {
				b.WriteByte(c)
				i++
				c = '^'
			}
			if i+1 < len(pattern) && pattern[i+1] == ']' {
				b.WriteByte(c)
				b.WriteByte('\\')
				i++
				c = ']'
			}
		case c == '{' || c == '}':
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// ignored reports whether a file or directory is ignored. Its parents are not checked: an ignored
// directory is never entered.
func (r ignoreRules) ignored(name string, isDir bool) bool {
	for i := len(r) - 1; i >= 0; i-- {
		if r[i].matches(name, isDir) {
			return !r[i].negated
		}
	}
	return false
}

// matches reports whether the rule applies to a file or directory.
func (r *ignoreRule) matches(name string, isDir bool) bool {
	if r.dirOnly && !isDir {
		return false
	}
	if r.anywhere {
		name = path.Base(name)
	} else if r.dir != "." {
		name = strings.TrimPrefix(name, r.dir+"/") // rules apply only below
	}
	ok, err := doublestar.Match(r.glob, name)
	return ok && err == nil
}
