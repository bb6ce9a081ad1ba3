package read

import (
	"bytes"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// ignoreFile is the name of the files that say what of a directory is not
// part of the catalog, with the rules of gitignore.
const ignoreFile = ".indexignore"

// ignoreRules are the rules that hold in a directory: those of the
// directories above it first, for the last rule that matches decides.
type ignoreRules []ignoreRule

// ignoreRule is one line of an ignore file. The glob itself is left to the
// library; here is only what gitignore adds to globs.
type ignoreRule struct {
	dir      string // the directory of the file, "." for the root
	glob     string
	negated  bool // "!": what matches is not ignored after all
	dirOnly  bool // a slash at the end: matches directories only
	anywhere bool // no other slash: matches a name at any depth
}

// with returns the rules and those of an ignore file in dir, and the numbers
// of the lines that cannot be understood. Those match nothing, as with git.
func (r ignoreRules) with(dir string, data []byte) (all ignoreRules, bad []int) {
	all = r[:len(r):len(r)] // the rules of a sibling must not be overwritten
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

// parseIgnoreRule parses a line; ok is false for one that holds no rule.
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
		line += "/*" // what is inside, but not the directory itself
	}
	rule.glob = toGlob(line)
	return rule, true
}

// toGlob renders a pattern of gitignore in the dialect of the library: braces,
// which mean nothing to gitignore, stand for themselves, and so does a closing
// bracket that comes first in a class.
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

// ignored reports whether a file or directory is left out. The directories above
// it are not looked at: one that is ignored is not entered at all.
func (r ignoreRules) ignored(name string, isDir bool) bool {
	for i := len(r) - 1; i >= 0; i-- {
		if r[i].matches(name, isDir) {
			return !r[i].negated
		}
	}
	return false
}

// matches reports whether the rule speaks of that file or directory.
func (r *ignoreRule) matches(name string, isDir bool) bool {
	if r.dirOnly && !isDir {
		return false
	}
	if r.anywhere {
		name = path.Base(name)
	} else if r.dir != "." {
		name = strings.TrimPrefix(name, r.dir+"/") // rules only reach down
	}
	ok, err := doublestar.Match(r.glob, name)
	return ok && err == nil
}
