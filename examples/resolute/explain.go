package main

import (
	"context"
	"errors"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/examples/resolute/internal/answerview"
	"github.com/seed109e2655/resolute/examples/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// explaining is the command explain.
type explaining struct{ *app }

func (a explaining) define() *cli.Command {
	return &cli.Command{
		Name: "explain", Usage: "why a bundle is in the result of a scenario, or why it is not", ArgsUsage: "FILE BUNDLE",
		Description: "To name a bundle of one catalog among several, write CATALOG:BUNDLE, for example\n" +
			"olm/community:etcd.v0.9.4. The exit status is 0 if there is an explanation, and 1 if the\n" +
			"scenario has no solution that the bundle could be in or out of.",
		Flags: answerFlags(explainForms()...),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return a.answer(ctx, cmd, cmd.Args().Get(0), cmd.Args().Get(1))
		},
	}
}

// explainForms are the forms of an explanation.
func explainForms() []string { return []string{"text", "json", "html"} }

// answer answers why a bundle is in the result or not. That the scenario has no
// solution is an answer as well.
func (a explaining) answer(ctx context.Context, cmd *cli.Command, file, bundle string) error {
	s, err := a.read(ctx, file)
	if err == nil {
		var why *scenario.Explanation
		why, err = a.runner(cmd).Explain(ctx, s, bundle)
		a.progress.Done()
		if err == nil {
			return a.writeExplanation(cmd.String("output"), label(file), why)
		}
	}
	answer := scenario.NewAnswer(nil, err)
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		return a.showAnswer(cmd, file, answer)
	}
	a.complain(label(file), answer.Error)
	return finish(statusOf(answer.Status))
}

// writeExplanation writes an explanation in one of its forms.
func (a explaining) writeExplanation(form, name string, why *scenario.Explanation) error {
	switch form {
	case "json":
		return writeJSON(a.out, why)
	case "html":
		var page answerview.Page
		page.AddExplanation(name, why)
		return page.Write(a.out)
	}
	return a.writeText(func(w io.Writer) error { _, err := io.WriteString(w, why.Text()); return err },
		map[string]terminal.Colour{" is in the result": terminal.Green, " is not in the ": terminal.Yellow})
}
