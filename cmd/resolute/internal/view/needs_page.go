package view

import (
	"context"
	_ "embed" // the template
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/htmldoc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/internal/text"
)

// needsSource is the template of the page.
//
//go:embed needs.html
var needsSource string

// tieView is one end of a dependency; Row is the index of its bundle on the page, or -1.
type tieView struct {
	upgrade.Tie
	Row int
}

// WriteNeeds writes dependencies and dependents as an HTML page, and the effect of dropping a
// subscription unless d is nil. It lists [MaxRows] bundles.
func WriteNeeds(ctx context.Context, w io.Writer, name string, bundles []upgrade.Bundle, subscription string, d *upgrade.Dropped) error {
	shown := bundles[:min(len(bundles), MaxRows)]
	at, ties := make(map[string]int, len(shown)), 0
	for i := range shown {
		at[shown[i].Bundle] = i
		ties += len(shown[i].Needs)
	}
	headline, tone := fmt.Sprintf("%s with %s", text.Count(len(bundles), "bundle", "bundles"), text.Count(ties, "dependency", "dependencies")), toneInfo
	said := []string{}
	if d != nil {
		said = append(said, headline+".")
		headline, tone = "Nothing breaks without subscription "+text.Inert(subscription), toneYes
		if n := len(d.Breaks); n > 0 {
			headline, tone = fmt.Sprintf("%s without subscription %s", text.Count(n, "bundle breaks", "bundles break"), text.Inert(subscription)), toneNo
		}
		if len(d.Breaks)+len(d.Orphans)+len(d.LeftOver) > 0 {
			t := Text{Text: new(terminal.Text)}
			t.Dropped(subscription, d)
			said = append(said, strings.Split(strings.TrimSpace(t.String()), "\n")[1:]...)
		}
	}
	rows := func(list []upgrade.Tie) (out []tieView) {
		for _, t := range list {
			i, ok := at[t.Bundle]
			if !ok {
				i = -1
			}
			out = append(out, tieView{t, i})
		}
		return out
	}
	return htmldoc.Write(ctx, w, needsSource, template.FuncMap{"ties": rows, "list": List}, map[string]any{
		"Headline": headline, "Tone": tone, "Said": said, "Name": name, "Bundles": shown, "Omitted": len(bundles) - len(shown),
	})
}
