package distributions

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Testcase is one transaction of a testcase of libsolv.
type Testcase struct {
	Universe *Universe
	Request  Package
	// Solvable reports whether libsolv finds no problem. Known is false if the testcase does not say.
	Solvable, Known bool
	// Unsupported names what cannot be expressed; empty if everything can.
	Unsupported string
}

// testcase is a testcase that is read.
type testcase struct {
	repos    []string
	packages map[string][]*Package // by repository
	system   string
	jobs     [][]string
	locked   map[*Package]bool
	free     bool // installed packages may be removed
	Testcase
}

// ReadTestcases reads the transactions of a testcase of libsolv. read returns the contents of a file beside it.
func ReadTestcases(text string, read func(name string) string) []Testcase {
	var out []Testcase
	base := testcase{packages: make(map[string][]*Package)}
	next, repo, result := base, "", ""
	for line := range strings.Lines(text + "nextjob\n") {
		line = strings.TrimSpace(line)
		if inline, ok := strings.CutPrefix(line, "#>"); ok {
			if result != "" {
				next.Solvable = next.Solvable && !strings.HasPrefix(inline, "problem ")
			} else if repo != "" {
				base.tag(repo, inline)
			}
			continue
		}
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		repo, result = "", ""
		switch words[0] {
		case "repo":
			repo = words[1]
			base.repos = append(base.repos, repo)
			if file := words[len(words)-1]; words[3] != "empty" && file != "<inline>" {
				for line := range strings.Lines(read(file)) {
					base.tag(repo, strings.TrimSpace(line))
				}
			}
		case "system":
			if len(words) > 3 {
				base.system = words[3]
			}
		case "job":
			next.jobs = append(next.jobs, words[1:])
		case "result":
			if strings.Contains(words[1], "problems") {
				next.Known, next.Solvable = true, true
			}
			result = words[1]
		case "solverflags":
			for _, flag := range words[1:] {
				switch flag {
				case "allowuninstall":
					next.free = true
				case "ignorerecommended", "strongrecommends", "focusinstalled", "focusbest", "addalreadyrecommended", "onlynamespacerecommended",
					"keeporphans", "noautotarget", "yumobsoletes": // preferences
				default:
					next.unsupported("solverflags " + flag)
				}
			}
		case "nextjob":
			next.repos, next.packages, next.system = base.repos, base.packages, base.system
			next.Unsupported = cmp.Or(base.Unsupported, next.Unsupported)
			if next.Known {
				out = append(out, next.transaction())
			}
			next = testcase{}
		case "poolflags":
			if words[1] != "implicitobsoleteusescolors" { // about architectures
				next.unsupported("poolflags " + words[1])
			}
		case "feature":
		default:
			next.unsupported(words[0])
		}
	}
	return out
}

func (c *testcase) unsupported(what string) { c.Unsupported = cmp.Or(c.Unsupported, what) }

// tag reads a line of a repository.
func (c *testcase) tag(repo, line string) {
	name, value, ok := strings.Cut(strings.TrimPrefix(line, "="), ": ")
	if !ok {
		return
	}
	list := c.packages[repo]
	if name == "Pkg" {
		f := append(strings.Fields(value), "", "", "", "")
		if f[3] == "src" {
			c.unsupported("source packages")
		}
		c.packages[repo] = append(list, &Package{Name: f[0], Version: f[1] + "-" + f[2], Keep: f[3]})
		return
	}
	if strings.ContainsAny(value, "()&|<") && regexp.MustCompile(`[()&|]|<[A-Z]`).MatchString(value) {
		c.unsupported("complex and namespace dependencies")
		return
	}
	switch r := relations([]string{value}); name {
	case "Ver", "Rec", "Sug", "Sup", "Enh", "Vnd", "Tim", "Cks", "Sum", "Loc": // preferences and descriptions
	case "Req", "Prq":
		list[len(list)-1].Requires = append(list[len(list)-1].Requires, r)
	case "Con":
		list[len(list)-1].Conflicts = append(list[len(list)-1].Conflicts, r...)
	case "Prv":
		list[len(list)-1].Provides = append(list[len(list)-1].Provides, r...)
	case "Obs":
		list[len(list)-1].Replaces = append(list[len(list)-1].Replaces, r...)
	default:
		c.unsupported("tag " + name)
	}
}

// ignored are jobs that only prefer some answers to others.
var ignored = []string{"favor", "disfavor", "noop", "excludefromweak", "update"}

// transaction makes a request of the jobs: versions of a name exclude each other, and what is installed
// stays, or a newer version of it, or what replaces it.
func (c *testcase) transaction() Testcase {
	c.Universe = &Universe{Compare: compareEVR}
	several, freed, arch := make(map[string]bool), make(map[*Package]bool), ""
	for _, repo := range c.repos {
		for _, p := range c.packages[repo] {
			q := *p
			if q.Installed = repo == c.system; q.Keep != "noarch" {
				if arch = cmp.Or(arch, q.Keep); arch != q.Keep {
					c.unsupported("several architectures")
				}
			}
			c.Universe.Packages = append(c.Universe.Packages, &q)
		}
	}
	c.locked = make(map[*Package]bool)
	for _, job := range c.jobs {
		if job[0] == "lock" {
			for _, p := range c.selected(job) {
				c.locked[p] = true
			}
		}
	}
	for _, job := range c.jobs {
		if slices.Contains(job, "[weak]") {
			continue
		}
		var found []*Package
		if !slices.Contains(ignored, job[0]) {
			found = c.selected(job)
		}
		switch kind := job[0]; {
		case slices.ContainsFunc(job, func(flag string) bool { return flag[0] == '[' && flag != "[cleandeps]" && flag != best }):
			c.unsupported("flags of jobs " + job[len(job)-1])
		case kind == "install" && slices.Contains(job, best):
			c.Request.Requires = append(c.Request.Requires, exactly(c.best(found)))
		case kind == "update" && slices.Contains(job, best):
			for _, p := range c.selected(job) {
				if p.Installed && !c.locked[p] {
					c.Request.Requires = append(c.Request.Requires, exactly(c.best(c.Universe.named(Relation{Name: p.Name}))))
				}
			}
		case kind == "install":
			c.Request.Requires = append(c.Request.Requires, exactly(found))
		case kind == "erase":
			c.Request.Conflicts = append(c.Request.Conflicts, exactly(found)...)
			for _, p := range found {
				freed[p] = true
			}
		case kind == "lock":
			for _, p := range found {
				if p.Installed {
					c.Request.Requires = append(c.Request.Requires, exactly([]*Package{p}))
				} else {
					c.Request.Conflicts = append(c.Request.Conflicts, exactly([]*Package{p})...)
				}
			}
		case kind == "multiversion":
			for _, p := range found {
				several[p.Name] = true
			}
		case slices.Contains(ignored, kind):
		default:
			c.unsupported("job " + kind)
		}
	}
	for _, p := range c.Universe.Packages {
		if !several[p.Name] {
			p.Replaces = append(slices.Clip(p.Replaces), Relation{Name: p.Name})
		}
		if !p.Installed || freed[p] || c.free {
			continue
		}
		stay := c.Universe.named(Relation{p.Name, ">=", p.Version})
		for _, by := range c.Universe.Packages {
			if slices.ContainsFunc(by.Replaces, func(r Relation) bool { return r.Name == p.Name && c.Universe.holds(p.Version, r) }) {
				stay = append(stay, by)
			}
		}
		c.Request.Requires = append(c.Request.Requires, exactly(stay))
	}
	return c.Testcase
}

const best = "[forcebest]"

// best returns those of some packages of which no higher version of the same
// name is among them, but for locked ones.
func (c *testcase) best(list []*Package) []*Package {
	list = slices.DeleteFunc(slices.Clone(list), func(p *Package) bool { return c.locked[p] })
	return slices.DeleteFunc(slices.Clone(list), func(p *Package) bool {
		return slices.ContainsFunc(list, func(q *Package) bool { return q.Name == p.Name && compareEVR(q.Version, p.Version) > 0 })
	})
}

// selected returns the packages of a job: "install name X", "erase pkg X-1-1.noarch@system".
func (c *testcase) selected(job []string) (out []*Package) {
	switch {
	case job[1] == "all":
		return c.Universe.Packages
	case len(job) < 3:
		return nil
	}
	for _, p := range c.Universe.Packages {
		repo := "system"
		if !p.Installed {
			repo = "" // any other
		}
		switch r := relations([]string{strings.Join(slices.DeleteFunc(slices.Clone(job[2:]), func(w string) bool { return w[0] == '[' }), " ")})[0]; job[1] {
		case "name":
			if p.Name == r.Name && c.Universe.holds(p.Version, r) {
				out = append(out, p)
			}
		case "provides":
			if slices.Contains(c.Universe.matches(r), p) {
				out = append(out, p)
			}
		case "pkg", "oneof":
			for _, full := range job[2:] {
				if name, from, _ := strings.Cut(full, "@"); name == fmt.Sprintf("%s-%s.%s", p.Name, p.Version, p.Keep) && (from == c.system) == (repo == "system") {
					out = append(out, p)
				}
			}
		default:
			c.unsupported("selection " + job[1])
		}
	}
	return out
}

// exactly returns packages as relations, which other packages of their name and version match, too.
func exactly(list []*Package) (out []Relation) {
	for _, p := range list {
		out = append(out, Relation{p.Name, "=", p.Version})
	}
	return out
}

var segment = regexp.MustCompile(`[0-9]+|[a-zA-Z]+|~`)

// compareEVR compares a version with one that may lack the release, as RPM does.
func compareEVR(a, b string) int {
	v, release, _ := strings.Cut(a, "-")
	w, other, has := strings.Cut(b, "-")
	c := comparePart(v, w)
	if c == 0 && has {
		c = comparePart(release, other)
	}
	return c
}

func comparePart(a, b string) int {
	x, y := segment.FindAllString(a, -1), segment.FindAllString(b, -1)
	return slices.CompareFunc(x, y, func(s, t string) int {
		digits := func(s string) bool { return s[0] >= '0' && s[0] <= '9' }
		if digits(s) != digits(t) {
			return map[bool]int{true: 1, false: -1}[digits(s)]
		}
		if digits(s) {
			s, t = strings.TrimLeft(s, "0"), strings.TrimLeft(t, "0")
			return cmp.Or(cmp.Compare(len(s), len(t)), cmp.Compare(s, t))
		}
		return cmp.Compare(s, t)
	})
}
