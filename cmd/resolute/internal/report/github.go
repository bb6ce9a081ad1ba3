package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// github writes a GitHub Actions workflow command for each finding, shown at its line in a pull
// request. Improvements are notices. It returns write errors only.
func (r *Report) github(w io.Writer) error {
	b := bufio.NewWriter(w)
	for i := range r.Findings {
		r.command(b, &r.Findings[i])
	}
	for _, f := range r.Better {
		f.Severity = Note
		r.command(b, &f)
	}
	return b.Flush()
}

// command writes a workflow command.
func (r *Report) command(w io.Writer, f *Finding) {
	kind := string(f.Severity)
	if f.Severity == Note {
		kind = "notice"
	}
	var with []string
	if file, line := r.place(f); file != "" {
		with = append(with, "file="+commandProperty(text.Inert(file)))
		if line > 0 {
			with = append(with, fmt.Sprintf("line=%d", line))
		}
	}
	title := f.Code
	if name := f.Name(); name != "" {
		title += " " + name
	}
	with = append(with, "title="+commandProperty(text.Inert(title)))
	fmt.Fprintf(w, "::%s %s::%s\n", kind, strings.Join(with, ","), commandData(text.Inert(f.Text)))
}

// commandData escapes the message of a workflow command.
func commandData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// commandProperty escapes a property value of a workflow command.
func commandProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
