package debian

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// paragraph is a package of a list.
type paragraph struct {
	name, version, arch string
	// depends has one clause per dependency, each satisfied by one of its
	// relations. conflicts excludes every match, and provides lists further
	// names.
	depends             [][]relation
	conflicts, provides []relation
	allowed             bool // "Multi-Arch: allowed": it provides its names for any architecture
	text                string
}

// relation names a package and usually versions: "libc6 (>= 2.36)".
type relation struct {
	name, operator, version string
	arch                    string // "any" of "python3:any"; usually empty
}

// ErrNoLists reports that there are no package lists.
var ErrNoLists = errors.New("no package lists in /var/lib/apt/lists; run apt-get update, on Debian or one of its derivatives")

// Load reads package lists, decompressing with a program of apt. Without
// files, it reads all lists of apt-get update; the error is ErrNoLists if
// there are none.
func Load(ctx context.Context, files []string) (*Archive, error) {
	if len(files) == 0 {
		if files, _ = filepath.Glob("/var/lib/apt/lists/*_Packages*"); len(files) == 0 {
			return nil, ErrNoLists
		}
	}
	var all []paragraph
	for _, file := range files {
		data, err := os.ReadFile(file)
		if ext := filepath.Ext(file); err == nil && (ext == ".lz4" || ext == ".gz" || ext == ".xz" || ext == ".zst") {
			data, err = exec.CommandContext(ctx, "/usr/lib/apt/apt-helper", "cat-file", file).Output()
		}
		if err == nil {
			all, err = parse(all, bytes.NewReader(data))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return archiveOf(all), nil
}

// parse appends the packages of a list: paragraphs of fields, separated by
// empty lines.
func parse(all []paragraph, r io.Reader) ([]paragraph, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	fields, last := make(map[string]string), ""
	var text strings.Builder
	end := func() {
		if fields["Package"] != "" {
			all = append(all, packageOf(fields, text.String()+"\n"))
		}
		clear(fields)
		text.Reset()
	}
	for lines.Scan() {
		line := lines.Text()
		if strings.TrimSpace(line) == "" {
			end()
			continue
		}
		text.WriteString(line + "\n")
		if line[0] == ' ' || line[0] == '\t' {
			fields[last] += line
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("%q is not a field", line)
		}
		last, fields[name] = name, strings.TrimSpace(value)
	}
	end()
	return all, lines.Err()
}

func packageOf(fields map[string]string, text string) paragraph {
	p := paragraph{name: fields["Package"], version: fields["Version"], arch: fields["Architecture"], text: text,
		allowed: fields["Multi-Arch"] == "allowed"}
	for _, clause := range append(list(fields["Pre-Depends"], ","), list(fields["Depends"], ",")...) {
		p.depends = append(p.depends, relations(clause, "|"))
	}
	p.conflicts = append(relations(fields["Conflicts"], ","), relations(fields["Breaks"], ",")...)
	p.provides = relations(fields["Provides"], ",")
	return p
}

func list(s, separator string) []string {
	var parts []string
	for part := range strings.SplitSeq(s, separator) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

func relations(s, separator string) []relation {
	var out []relation
	for _, part := range list(s, separator) {
		name, versions, _ := strings.Cut(part, "(")
		name, arch, _ := strings.Cut(strings.TrimSpace(name), ":")
		r := relation{name: name, arch: arch}
		versions, _, _ = strings.Cut(versions, ")")
		r.version = strings.TrimSpace(strings.TrimLeft(versions, "<>="))
		r.operator = strings.TrimSpace(versions[:len(versions)-len(strings.TrimLeft(versions, "<>="))])
		out = append(out, r)
	}
	return out
}
