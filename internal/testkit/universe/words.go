package universe

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/internal/declared"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// vocabulary maps words to their handlers; a word may have a value after "=".
type vocabulary map[string]func(value string) error

func (r *reader) words(line string, known ...vocabulary) error {
	all := make(vocabulary)
	for _, v := range known {
		maps.Copy(all, v)
	}
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		word, rest, err := cutWord(line)
		if err != nil {
			return err
		}
		line = rest
		name, value, _ := strings.Cut(word, "=")
		use, ok := all[name]
		if !ok {
			return fmt.Errorf("unknown word %s%s", text.Quote(name), text.DidYouMean(name, maps.Keys(all)))
		}
		if err := use(value); err != nil {
			return err
		}
	}
	return nil
}

// cutWord cuts the first word off a line; spaces in double quotes belong to
// it.
func cutWord(line string) (word, rest string, err error) {
	quoted := false
	var out strings.Builder
	for i, c := range line {
		switch {
		case c == '"':
			quoted = !quoted
		case c == ' ' && !quoted:
			return out.String(), line[i:], nil
		default:
			out.WriteRune(c)
		}
	}
	if quoted {
		return "", "", fmt.Errorf("%s lacks its closing quote", text.Quote(line))
	}
	return out.String(), "", nil
}

// isWord reports whether a field is a word, not a name.
func isWord(field string) bool {
	return strings.Contains(field, "=") || slices.Contains([]string{"virtual", "barred", "flawed"}, field)
}

func entryWords(e *declared.Entry, virtual *bool) vocabulary {
	return vocabulary{
		"replaces": set(&e.Replaces),
		"skips":    list(&e.Skips),
		"range":    set(&e.SkipRange),
		"virtual":  flag(virtual),
	}
}

func bundleWords(b *declared.Bundle) vocabulary {
	identity := func(key string) func(string) error {
		return func(value string) error { return identify(b, key, value) }
	}
	return vocabulary{
		"version": identity("version"),
		"release": identity("release"),
		"provides": func(value string) error {
			gvk, err := gvkOf(value)
			add(b, properties.TypeGVK, gvk)
			return err
		},
		"needs": func(value string) error {
			if name, versions, ok := strings.Cut(value, "@"); ok {
				add(b, properties.TypePackageRequired, map[string]string{"packageName": name, "versionRange": versions})
				return nil
			}
			gvk, err := gvkOf(value)
			add(b, properties.TypeGVKRequired, gvk)
			return err
		},
		"max": func(value string) error { add(b, "olm.maxOpenShiftVersion", value); return nil },
		"kube": func(value string) error {
			add(b, "olm.csv.metadata", map[string]string{"minKubeVersion": value})
			return nil
		},
		"barred": func(string) error { add(b, properties.TypeDeprecated, struct{}{}); return nil },
		"flawed": func(string) error {
			b.Properties = slices.DeleteFunc(b.Properties, isIdentity)
			return nil
		},
	}
}

func installedWords(i *resolver.Installed) vocabulary {
	return vocabulary{
		"by":      set(&i.Subscription),
		"package": set(&i.Package),
		"version": func(value string) error {
			v, err := semver.Parse(value)
			i.Version = &v
			return err
		},
		"automatic": flag(&i.Automatic),
		"replaced":  set(&i.ReplacedBy),
	}
}

func subscriptionWords(s *resolver.Subscription) vocabulary {
	return vocabulary{
		"package":   set(&s.Package),
		"in":        list(&s.Channels),
		"at":        set(&s.InstalledCSV),
		"starting":  set(&s.StartingCSV),
		"pin":       set(&s.Pin),
		"hold":      func(string) error { s.Hold = "not approved"; return nil },
		"generated": func(string) error { s.Generated = true; return nil },
		"range": func(value string) (err error) {
			s.VersionRange, err = properties.ParseRange(value)
			return err
		},
	}
}

func set(to *string) func(string) error {
	return func(value string) error { *to = value; return nil }
}

func flag(to *bool) func(string) error {
	return func(string) error { *to = true; return nil }
}

func list(to *[]string) func(string) error {
	return func(value string) error { *to = strings.Split(value, ","); return nil }
}
