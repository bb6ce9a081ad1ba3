package growth

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/declared"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
)

// World is a catalog and a request.
type World struct {
	Packages []*graph.Package
	Catalog  *cache.Catalog
	Request  resolver.Request
	Files    *Files // set by Write

	previous *declared.Catalog // without the last bundle of each package
}

// lines builds a world in the language of package universe.
type lines struct{ strings.Builder }

func (l *lines) add(format string, args ...any) { fmt.Fprintf(l, format+"\n", args...) }

// chain adds a package p with n bundles, each replacing the previous one, with
// words for each.
func (l *lines) chain(n int, words func(i int) string) {
	l.add("p/stable p.v0 %s", words(0))
	for i := 1; i < n; i++ {
		l.add("p/stable p.v%d replaces=p.v%d %s", i, i-1, words(i))
	}
}

func none(int) string { return "" }

// each formats the numbers from 0 to n-1.
func each(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// Shape writes a world of a given size.
type Shape func(l *lines, n int)

// newer is a range above every version.
const newer = ">1000000.0.0"

// Shapes are the shapes of catalogs and requests.
var Shapes = map[string]Shape{
	"deep": func(l *lines, n int) {
		deep(l, n)
		l.add("p%[1]d/stable p%[1]d.v1", n)
	},
	"deep, the last missing": deep,
	"wide": func(l *lines, n int) { // one package requires all others
		l.add("%s", each(n, "p%[1]d/stable p%[1]d.v1\n"))
		l.add("top/stable top.v1%s\nsubscribe s package=top", each(n, " needs=p%d@>=1.0.0"))
	},
	"long channel": func(l *lines, n int) {
		l.chain(n, none)
		l.add("subscribe s package=p")
	},
	"a range that holds nothing": func(l *lines, n int) {
		l.chain(n, none)
		l.add("subscribe s package=p range=%s", newer)
	},
	"entries without bundles": func(l *lines, n int) {
		l.chain(n, func(int) string { return "virtual" })
		l.add("subscribe s package=p")
	},
	"skipRange everywhere": func(l *lines, n int) {
		l.chain(n, func(i int) string { return fmt.Sprintf("range=<%d.0.0", i) })
		l.add("subscribe s package=p")
	},
	"skips of nothing": func(l *lines, n int) { // many times more names than bundles
		l.chain(3, func(i int) string { return "skips=" + strings.TrimPrefix(each(20*n, fmt.Sprintf(",s%d-%%d", i)), ",") })
		l.add("subscribe s package=p")
	},
	"many channels": func(l *lines, n int) {
		l.add("%ssubscribe s package=p\nsubscribe t package=p in=nowhere", each(n, "p/c%d p.v1\n"))
	},
	"many subscriptions to one package": func(l *lines, n int) {
		l.chain(n, none)
		l.add("%s", each(n, "subscribe s%d package=p\n"))
	},
	"a range for each subscription": func(l *lines, n int) {
		l.chain(n, none)
		l.add("%s", each(n, "subscribe s%[1]d package=p range=>=%[1]d.0.0\n"))
	},
	"a subscription to many channels": func(l *lines, n int) {
		all := strings.TrimPrefix(each(n, ",c%d"), ",")
		l.add("%ssubscribe s package=p in=%s\nsubscribe t package=p in=%[2]s range=%s", each(n, "p/c%d p.v1\n"), all, newer)
	},
	"many installed": func(l *lines, n int) {
		for i := range n {
			l.add("p%[1]d/stable p%[1]d.v1\np%[1]d/stable p%[1]d.v2 replaces=p%[1]d.v1 needs=p%[2]d@>=1.0.0", i, (i+1)%n)
			l.add("installed p%[1]d.v1 package=p%[1]d version=1.0.0\nsubscribe s%[1]d package=p%[1]d at=p%[1]d.v1", i)
		}
	},
	"a chain of replacements": func(l *lines, n int) {
		for i := range n {
			next := ""
			if i+1 < n {
				next = fmt.Sprintf("replaced=p%d.v1", i+1)
			}
			l.add("p%[1]d/stable p%[1]d.v1\ninstalled p%[1]d.v1 package=p%[1]d version=1.0.0 %[2]s\nsubscribe s%[1]d package=p%[1]d at=p%[1]d.v1", i, next)
		}
	},
	"many extensions to one package": func(l *lines, n int) {
		l.chain(n, none)
		l.add("%s", each(n, "extend e%d p\n"))
	},
	"many providers": func(l *lines, n int) {
		l.add("%stop/stable top.v1 needs=K\nsubscribe s package=top", each(n, "p%[1]d/stable p%[1]d.v1 provides=K\n"))
	},
	"large properties": func(l *lines, n int) {
		for i := range 4 {
			l.add("p%[1]d/stable p%[1]d.v1\nproperty p%[1]d.v1 big [%[2]s0]\nproperty p%[1]d.v1 text \"%[3]s\"", i, strings.Repeat("0,", 20*n), strings.Repeat("1", 20*n))
		}
		l.add("top/stable top.v1\nrequire top.v1 cel(properties.exists(p, p.value == 1) || properties.exists(p, p.type == \"text\" && p.value.size() > 0)) ; x")
		l.add("subscribe s package=top")
	},
	"prohibitions of rules": func(l *lines, n int) {
		l.add("%s", each(n, "p%[1]d/stable p%[1]d.v1\nproperty p%[1]d.v1 t%[1]d 1\nrequire p%[1]d.v1 cel(properties.exists(p, p.type == 't%[1]d'))\nrequire p%[1]d.v1 not(cel(properties.exists(p, p.type == 'x%[1]d')))\nsubscribe p%[1]d\n"))
	},
	"one prohibition of many": func(l *lines, n int) {
		l.add("%s", each(n, "p%[1]d/stable p%[1]d.v1\nrequire p%[1]d.v1 not(cel(properties.exists(p, p.type == 'x')))\nsubscribe p%[1]d\n"))
	},
	"versions that miss the same package": func(l *lines, n int) {
		l.chain(n, func(int) string { return "needs=q@>=1.0.0" })
		l.add("subscribe s package=p")
	},
	"broken subscriptions": func(l *lines, n int) {
		l.add("%s", each(n, "p%[1]d/stable p%[1]d.v1 needs=nowhere%[1]d@>=1.0.0\nsubscribe p%[1]d\n"))
	},
	"subscriptions that miss the same package": func(l *lines, n int) {
		l.add("%s", each(n, "p%[1]d/stable p%[1]d.v1 needs=nowhere@>=1.0.0\nsubscribe p%[1]d\n"))
	},
	"subscriptions to rivals": func(l *lines, n int) {
		l.add("%s", each(n, "p%[1]d/stable p%[1]d.v1 provides=K\nsubscribe p%[1]d\n"))
	},
	"broken subscriptions that share a package": func(l *lines, n int) {
		l.add("%shub/stable hub.v1", each(n, "p%[1]d/stable p%[1]d.v1 needs=hub@>=1.0.0 needs=nowhere%[1]d@>=1.0.0\nsubscribe p%[1]d\n"))
	},
	"independent conflicts": func(l *lines, n int) { // each of five facts
		l.add("%s", each(n, "w%[1]d/c w%[1]d.v1 needs=l%[1]d@>=1.0.0 needs=m%[1]d@2.0.0\nl%[1]d/c l%[1]d.v1 needs=m%[1]d@1.0.0\nm%[1]d/c m%[1]d.v1 m%[1]d.v2\nsubscribe w%[1]d\n"))
	},
	"conflicts about one package": func(l *lines, n int) {
		l.add("hub/c hub.v1 hub.v2\n%s", each(n, "w%[1]d/c w%[1]d.v1 needs=hub@2.0.0 needs=l%[1]d@>=1.0.0\nl%[1]d/c l%[1]d.v1 needs=hub@1.0.0\nsubscribe w%[1]d\n"))
	},
	"prohibitions of packages": func(l *lines, n int) {
		l.add("%s", each(n, "p%[1]d/stable p%[1]d.v1\nrequire p%[1]d.v1 not(p%[1]d@>=2.0.0)\nsubscribe p%[1]d\n"))
	},
	"prohibitions of APIs": func(l *lines, n int) {
		l.add("%s", each(n, "p%[1]d/stable p%[1]d.v1 provides=K%[1]d\nrequire p%[1]d.v1 not(L%[1]d)\nsubscribe p%[1]d\n"))
	},
	"prohibitions of several rules": func(l *lines, n int) {
		l.add("%s", each(n, "p%[1]d/stable p%[1]d.v1\nproperty p%[1]d.v1 t%[1]d 1\nrequire p%[1]d.v1 not(all(cel(properties.exists(p, p.type == 't%[1]d')), cel(properties.exists(p, p.type == 'x%[1]d'))))\nsubscribe p%[1]d\n"))
	},
	"rules about the same properties": func(l *lines, n int) {
		l.add("%s", each(n, "p%[1]d/stable p%[1]d.v1\nproperty p%[1]d.v1 t 1\nrequire p%[1]d.v1 not(cel(properties.exists(p, p.type == 't' && p.value == 2%[1]d)))\nsubscribe p%[1]d\n"))
	},
	"labels": func(l *lines, n int) {
		l.add("%s", each(n, "p%[1]d/stable p%[1]d.v1\nproperty p%[1]d.v1 olm.label {\"label\": \"l%[1]d\"}\nproperty p%[1]d.v1 olm.label.required {\"label\": \"l%[1]d\"}\nsubscribe p%[1]d\n"))
	},
	"one label": func(l *lines, n int) {
		l.add("%s", each(n, "p%[1]d/stable p%[1]d.v1\nproperty p%[1]d.v1 olm.label {\"label\": \"l\"}\nproperty p%[1]d.v1 olm.label.required {\"label\": \"l\"}\nsubscribe p%[1]d\n"))
	},
	"dead ends two levels down": func(l *lines, n int) {
		l.chain(n, func(i int) string { return fmt.Sprintf("needs=q%d@>=1.0.0", i) })
		l.add("%ssubscribe s package=p", each(n, "q%[1]d/stable q%[1]d.v1 needs=nowhere@>=1.0.0\n"))
	},
	"installed rivals": func(l *lines, n int) { // broken but for the first
		l.add("%sq/stable q.v1\nsubscribe q", each(n, "p%[1]d/stable p%[1]d.v1 provides=K\ninstalled p%[1]d.v1\n"))
	},
	"names that are nearly right": func(l *lines, n int) {
		l.add("%s", each(n, "package%[1]d/stable package%[1]d.v1\nsubscribe pakage%[1]d\n"))
	},
	"missing packages that are nearly right": func(l *lines, n int) {
		l.chain(n, func(i int) string { return fmt.Sprintf("needs=pakage%d@>=1.0.0", i) })
		l.add("%ssubscribe s package=p", each(n, "package%[1]d/stable package%[1]d.v1\n"))
	},
	"any of the same": func(l *lines, n int) { // a list of eight
		l.add("%s", each(8, "q%[1]d/stable q%[1]d.v1\n"))
		l.add("%s", each(n, "p%[1]d/stable p%[1]d.v1\nrequire p%[1]d.v1 any(q0@>=1.0.0, q1@>=1.0.0, q2@>=1.0.0, q3@>=1.0.0, q4@>=1.0.0, q5@>=1.0.0, q6@>=1.0.0, q7@>=1.0.0)\nsubscribe p%[1]d\n"))
	},
	"contention": func(l *lines, n int) { // providers of one API: half of the packages accept the first, each of the others two others
		l.add("%s", each(16, "q%[1]d/stable q%[1]d.v1 provides=K\n"))
		for i := range n {
			accepts := "q0@>=1.0.0"
			if i%2 == 1 {
				accepts = fmt.Sprintf("q%d@>=1.0.0", 1+i%15)
			}
			l.add("p%[1]d/stable p%[1]d.v1\nrequire p%[1]d.v1 any(%[2]s, q%[3]d@>=1.0.0)\nsubscribe p%[1]d", i, accepts, 1+i%14)
		}
	},
	"hostile rules": func(l *lines, n int) {
		list := "[0,1,2,3,4,5,6,7,8,9]"
		rule := list + strings.Repeat(".exists(x, "+list, 6) + ".exists(y, false))" + strings.Repeat(")", 5)
		for i := range max(1, n/250) {
			l.add("p%[1]d/stable p%[1]d.v1\nrequire p%[1]d.v1 cel(%[2]s) ; x\nsubscribe p%[1]d", i, rule)
		}
	},
}

// Searches are shapes for single resolutions. They have too many uninstallable bundles for operations
// that answer for each bundle.
var Searches = map[string]Shape{
	"newest versions that fail further down": func(l *lines, n int) { // three requirements below
		for i := range n {
			l.add("p%[1]d/stable p%[1]d.v1 needs=p%[2]d@>=1.0.0\np%[1]d/stable p%[1]d.v2 replaces=p%[1]d.v1 needs=p%[2]d@>=1.0.0 needs=q%[1]d@>=1.0.0", i, i+1)
			l.add("q%[1]d/stable q%[1]d.v1 needs=r%[1]d@>=1.0.0\nr%[1]d/stable r%[1]d.v1 needs=s%[1]d@>=1.0.0\ns%[1]d/stable s%[1]d.v1 needs=p0@>=9.0.0", i)
		}
		l.add("p%[1]d/stable p%[1]d.v1\nsubscribe p0", n)
	},
	"chains that meet": func(l *lines, n int) { // versions of one chain may only fall, of the other only rise
		const versions = 4
		link := func(name string, i int) {
			for v := 1; v <= versions; v++ {
				replaces := ""
				if v > 1 {
					replaces = fmt.Sprintf(" replaces=%s%d.v%d", name, i, v-1)
				}
				l.add("%[1]s%[2]d/stable %[1]s%[2]d.v%[3]d%[4]s", name, i, v, replaces)
			}
		}
		for i := range n + 1 {
			link("a", i)
			link("b", i)
			for v := 1; v <= versions && i < n; v++ {
				l.add(`property a%[1]d.v%[2]d olm.package.required {"packageName": "a%[3]d", "versionRange": ">=%[4]d.0.0 <=%[2]d.0.0"}`, i, v, i+1, v-1)
				l.add(`property b%[1]d.v%[2]d olm.package.required {"packageName": "b%[3]d", "versionRange": ">=%[2]d.0.0 <=%[4]d.0.0"}`, i, v, i+1, v+1)
			}
		}
		link("end", 0)
		for v := 1; v <= versions; v++ {
			for _, name := range []string{"a", "b"} {
				l.add(`property %[1]s%[2]d.v%[3]d olm.package.required {"packageName": "end0", "versionRange": "%[3]d.0.0"}`, name, n, v)
			}
		}
		l.add("top/stable top.v1 needs=a0@<=2.0.0 needs=b0@>=2.0.0\nsubscribe top")
	},
	"dead ends ever deeper": func(l *lines, n int) { // each version but the oldest fails one link further down a chain
		l.chain(n, func(i int) string {
			if i == 0 {
				return "needs=c0@>=1.0.0"
			}
			return fmt.Sprintf("needs=c0@>=1.0.0 needs=c%d@2.0.0", n-i)
		})
		l.add("c0/stable c0.v1 needs=c1@1.0.0")
		for i := 1; i < n; i++ {
			l.add("c%[1]d/stable c%[1]d.v1 needs=c%[2]d@1.0.0\nc%[1]d/stable c%[1]d.v2 replaces=c%[1]d.v1", i, i+1)
		}
		l.add("c%[1]d/stable c%[1]d.v1\nsubscribe p", n)
	},
}

// deep has each package require the next.
func deep(l *lines, n int) {
	for i := range n {
		l.add("p%[1]d/stable p%[1]d.v1 needs=p%[2]d@>=1.0.0", i, i+1)
	}
	l.add("subscribe s package=p0")
}

// New makes a world of a given shape and size.
func New(t require.TestingT, s Shape, n int) *World {
	var l lines
	l.add("catalog ns/c")
	s(&l, n)
	u, err := universe.Parse(l.String())
	require.NoError(t, err)
	w := &World{Request: u.Request, previous: u.Catalogs[0]}
	w.Catalog, err = u.Catalogs[0].Build(context.Background())
	require.NoError(t, err)
	w.Packages = slices.Collect(w.Catalog.Packages())
	for i := range w.previous.Packages {
		p := &w.previous.Packages[i]
		p.Bundles = p.Bundles[:max(0, len(p.Bundles)-1)]
	}
	w.Request.Namespace = "ns"
	w.Request.Catalogs = []resolver.Catalog{{Key: u.Catalogs[0].Key, Content: w.Catalog}}
	return w
}
