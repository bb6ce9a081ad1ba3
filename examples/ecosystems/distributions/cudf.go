package distributions

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ReadCUDF reads a document of the Common Upgradeability Description Format: its packages, and its request
// as a package that requires and conflicts with what an answer has and lacks. found reports whether there
// is one. Upgrades of names that packages only provide are not supported.
func ReadCUDF(text string) (u *Universe, request Package, found bool, err error) {
	u = &Universe{AllVersions: true, Compare: func(a, b string) int {
		x, _ := strconv.Atoi(a)
		y, _ := strconv.Atoi(b)
		return cmp.Compare(x, y)
	}}
	var wanted map[string]string
	for _, stanza := range stanzas(text) {
		switch {
		case stanza["package"] != "":
			p := &Package{Name: stanza["package"], Version: stanza["version"], Installed: stanza["installed"] == "true", Keep: stanza["keep"]}
			if _, err := strconv.Atoi(p.Version); err != nil {
				return nil, request, false, fmt.Errorf("package %s has the version %q", p.Name, p.Version)
			}
			p.Requires, p.Conflicts, p.Provides = formula(stanza["depends"]), list(stanza["conflicts"]), list(stanza["provides"])
			u.Packages = append(u.Packages, p)
		case stanza["request"] != "" || stanza["install"]+stanza["remove"]+stanza["upgrade"] != "":
			wanted, found = stanza, true
		}
	}
	request.Requires, request.Conflicts = formula(wanted["install"]), list(wanted["remove"])
	for _, r := range list(wanted["upgrade"]) {
		if err := u.upgrade(&request, r); err != nil {
			return nil, request, found, err
		}
	}
	for _, p := range u.Packages {
		exactly := Relation{p.Name, "=", p.Version}
		switch {
		case !p.Installed:
		case p.Keep == "version":
			request.Requires = append(request.Requires, u.self(exactly))
		case p.Keep == "package":
			request.Requires = append(request.Requires, u.self(Relation{Name: p.Name}))
		case p.Keep == "feature":
			for _, as := range p.Provides {
				request.Requires = append(request.Requires, []Relation{as})
			}
		}
	}
	return u, request, found, nil
}

// self returns the versions that have a name of their own and match a relation, as a clause.
func (u *Universe) self(r Relation) (clause []Relation) {
	for _, p := range u.named(r) {
		clause = append(clause, Relation{p.Name, "=", p.Version})
	}
	return clause
}

// upgrade requires exactly one version of a package, not older than any that is installed.
func (u *Universe) upgrade(request *Package, r Relation) error {
	var clause []Relation
	for _, p := range u.named(Relation{Name: r.Name}) {
		older := slices.ContainsFunc(u.Packages, func(q *Package) bool { return q.Installed && q.Name == p.Name && u.Compare(q.Version, p.Version) > 0 })
		if !older && u.holds(p.Version, r) {
			clause = append(clause, Relation{p.Name, "=", p.Version})
		}
		p.Replaces = append(p.Replaces, Relation{Name: p.Name})
	}
	if len(clause) == 0 && slices.ContainsFunc(u.Packages, func(p *Package) bool {
		return slices.ContainsFunc(p.Provides, func(as Relation) bool { return as.Name == r.Name })
	}) {
		return fmt.Errorf("upgrade of %s, which packages only provide", r.Name)
	}
	request.Requires = append(request.Requires, clause)
	return nil
}

// stanzas returns the fields of each stanza.
func stanzas(text string) (out []map[string]string) {
	stanza, last := map[string]string{}, ""
	for line := range strings.Lines(text + "\n\n") {
		name, value, ok := strings.Cut(line, ":")
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.TrimSpace(line) == "":
			if len(stanza) > 0 {
				out, stanza = append(out, stanza), map[string]string{}
			}
		case line[0] == ' ' || line[0] == '\t':
			stanza[last] += " " + strings.TrimSpace(line)
		case ok:
			if last = strings.TrimSpace(name); last == "request" {
				value = cmp.Or(strings.TrimSpace(value), "request")
			}
			stanza[last] = strings.TrimSpace(value)
		}
	}
	return out
}

// formula reads a conjunction of alternatives; "false!" is an alternative without a match.
func formula(text string) (out [][]Relation) {
	for _, clause := range split(text, ",") {
		if clause != "true!" {
			out = append(out, relations(split(clause, "|")))
		}
	}
	return out
}

func list(text string) []Relation { return relations(split(text, ",")) }

func split(text, by string) []string {
	parts := strings.Split(text, by)
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return slices.DeleteFunc(parts, func(s string) bool { return s == "" })
}

var relation = regexp.MustCompile(`^(\S+?)\s*(?:(<=|>=|!=|=|<|>)\s*(\S+))?$`)

func relations(texts []string) (out []Relation) {
	for _, text := range texts {
		if m := relation.FindStringSubmatch(text); m != nil {
			out = append(out, Relation{m[1], m[2], m[3]})
		} else {
			out = append(out, Relation{Name: text})
		}
	}
	return out
}
