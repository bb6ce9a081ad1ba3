package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// github writes a workflow command of GitHub Actions for each finding, so that
// it is shown at its line of a pull request. What got better is a notice. The error
// is that of the writer.
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

// command writes one command.
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

// commandData escapes the message of a command.
func commandData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// commandProperty escapes the value of a property of a command.
func commandProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
