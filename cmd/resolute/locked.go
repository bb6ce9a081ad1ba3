package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/lock"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// lockedFormats are the output formats of resolve --locked: those of the answer, not of the
// search.
func lockedFormats() []string { return []string{"text", "json", "html", "svg", "mermaid", "dot"} }

// resolveLocked answers a scenario, or the question of the lock, with what a lock holds. It
// refuses if that is not valid any more.
func (a *app) resolveLocked(ctx context.Context, cmd *cli.Command) error {
	form, name, file := cmd.String("output"), cmd.String("locked"), cmd.Args().First()
	switch {
	case cmd.Args().Len() > 1:
		return fmt.Errorf("--locked takes one scenario, or none; see %s --help", cmd.FullName())
	case !slices.Contains(lockedFormats(), form):
		return fmt.Errorf("--locked supports the formats %s, not %s", text.Or(lockedFormats()), form)
	}
	l, err := a.readLock(ctx, name)
	if err != nil {
		return ofFlag("locked", err)
	}
	s, from := l.Question, name
	if file != "" {
		from = file
		if s, err = a.read(ctx, file); err != nil {
			return a.refused(cmd, file, err)
		}
	}
	answer, stale, err := a.lockedAnswer(ctx, cmd, l, s, filepath.Dir(from))
	if err != nil {
		return err
	}
	if stale != nil {
		said := fmt.Sprintf("%v; lock again with %s lock --update %s", stale, a.name(), label(name))
		a.complain(label(name), said)
		if form == "json" {
			answer.Error = said
			if err := view.JSON(a.out, answerOf{a.fileOf(from, false), answer}); err != nil {
				return err
			}
		}
		return exit(exitNo)
	}
	if slices.Contains([]string{"svg", "mermaid", "dot"}, form) {
		err = a.draw(ctx, form, view.NewPicture(answer))
	} else {
		err = a.show(cmd, answerOf{a.fileOf(from, false), answer}, func(w io.Writer) error { return view.NewPage(ctx).Add(label(from), answer).Write(w) },
			func(t *view.Text) { t.Answer(label(from), answer) })
	}
	if err != nil {
		return err
	}
	return exitError(statusOf(answer.Status))
}

// lockedAnswer returns the locked answer to a scenario, or why it is not valid any more.
func (a *app) lockedAnswer(ctx context.Context, cmd *cli.Command, l *lock.Lock, s *scenario.Scenario, dir string) (*scenario.Answer, *lock.StaleError, error) {
	q, err := newQuestion(s, dir, nil)
	if err != nil {
		return nil, nil, err
	}
	loaded, err := a.loadQuestion(ctx, cmd, q, false)
	if err != nil {
		return nil, nil, err
	}
	start, solver := time.Now(), a.resolver(cmd)
	answer, err := await(ctx, func() (*scenario.Answer, error) {
		sol, err := l.Resolve(ctx, solver, loaded.Request)
		answer := scenario.NewAnswer(sol, err)
		var stale *lock.StaleError
		if errors.As(err, &stale) {
			answer.Status = scenario.Unsatisfiable
			return answer, stale
		}
		if answer.Status == scenario.Resolved {
			return answer, nil
		}
		return answer, err
	})
	var stale *lock.StaleError
	if err != nil && !errors.As(err, &stale) {
		return nil, nil, err
	}
	answer.Stats.Bundles, answer.Stats.LoadMs = loaded.Bundles(), float64(loaded.Took.Microseconds())/1000
	answer.Stats.ResolveMs = float64(time.Since(start).Microseconds()) / 1000
	return answer, stale, nil
}
