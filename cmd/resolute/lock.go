package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/resolver/lock"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) lockCommand() *cli.Command {
	return &cli.Command{
		Usage: "lock the answer to a question, with its proof", ArgsUsage: "[SCENARIO|CATALOG...] [PACKAGE[=VERSION|=RANGE]...]",
		Description: `A lock is a file to keep in a repository: the question, the digests of its catalogs, every
bundle of the answer with version, channel and image digest, and the certificate that proves
the answer. verify checks that it is still valid and the best, and resolve --locked uses it.
The question is a scenario, or catalogs and packages as for try. The same question and the
same catalogs give the same bytes on every machine.

--update LOCK makes the next lock and prints the difference on standard error. Without
arguments it asks the question of LOCK again. --into FILE writes the lock in one rename, and
leaves FILE alone if nothing changed; do not redirect the output to the lock that is updated.

Paths of catalogs are kept relative to the lock: to the directory of --into, or for standard
output to the working directory. The exit status is 1 if there is no solution, and then
nothing is written.

For example: resolute lock community.yaml etcd > resolute.lock
             resolute lock --update resolute.lock --into resolute.lock`,
		DisableSliceFlagSeparator: true,
		Flags: slices.Concat([]cli.Flag{outputFlag("yaml", "json"), timeoutFlag(), strictFlag(),
			stringFlag("update", "make the next lock after `LOCK`, and print the difference"),
			stringFlag("into", "write the lock to `FILE` instead of standard output"),
			listFlag("channel", "install from `CHANNEL`, or one package as PACKAGE=CHANNEL; repeatable; for packages"),
			catalogFlag()}, limitFlags()),
		Action: a.lock,
	}
}

// lock makes a lock.
func (a *app) lock(ctx context.Context, cmd *cli.Command) error {
	var before *lock.Lock
	file := cmd.String("update")
	if file != "" {
		var err error
		if before, err = a.readLock(ctx, file); err != nil {
			return ofFlag("update", err)
		}
	}
	q, dir, err := a.questionOf(ctx, cmd, before)
	if err != nil {
		return err
	}
	loaded, err := a.loadQuestion(ctx, cmd, q, false)
	if err != nil {
		return err
	}
	if into := cmd.String("into"); into != "" {
		dir = filepath.Dir(into)
	}
	solver := a.resolver(cmd)
	l, err := await(ctx, func() (*lock.Lock, error) {
		return lock.Make(ctx, solver, q.relativeTo(dir), loaded.Request.Catalogs)
	})
	if err != nil {
		return a.notLocked(cmd, err)
	}
	a.warnUnpinned(l)
	if before != nil {
		if err := a.showChanges(before, l, file); err != nil {
			return err
		}
	}
	return a.writeLock(cmd, l)
}

// warnUnpinned names the bundles whose images have no digest.
func (a *app) warnUnpinned(l *lock.Lock) {
	var names []string
	for _, b := range l.Bundles {
		if b.Unpinned {
			names = append(names, b.Name)
		}
	}
	if len(names) > 0 {
		a.say("warning: the images of these bundles have no digest, so the lock does not pin their content: " + view.List(names))
	}
}

// questionOf returns the question of the arguments, or that of the lock before, and the directory
// that the paths of a lock on standard output are relative to.
func (a *app) questionOf(ctx context.Context, cmd *cli.Command, before *lock.Lock) (*question, string, error) {
	args, given := cmd.Args().Slice(), cmd.StringSlice("catalog")
	if len(args) < 2 {
		if err := requireFlag(cmd, "CATALOG... PACKAGE...", "channel"); err != nil {
			return nil, "", err
		}
	}
	switch {
	case len(args) == 0 && before == nil:
		return nil, "", needs(cmd)
	case len(args) == 0:
		dir := filepath.Dir(cmd.String("update"))
		q, err := newQuestion(before.Question, dir, given)
		return q, dir, err
	case len(args) == 1:
		s, err := a.read(ctx, args[0])
		if err != nil && a.isCatalog(ctx, args[0]) {
			err = fmt.Errorf("%s is a catalog: name the packages to lock: %s lock %[1]s PACKAGE", args[0], a.name())
		}
		if err != nil {
			return nil, "", err
		}
		dir := filepath.Dir(args[0])
		q, err := newQuestion(s, dir, given)
		if filepath.IsAbs(args[0]) {
			return q, dir, err
		}
		return q, ".", err
	}
	s, err := newScenario(args)
	if err == nil {
		err = withChannels(s, cmd.StringSlice("channel"))
	}
	if err != nil {
		return nil, "", err
	}
	q, err := newQuestion(s, ".", given)
	if err != nil {
		return nil, "", err
	}
	for i := range s.Catalogs {
		q.given[i] = true
	}
	return q, ".", nil
}

// notLocked reports why there is no lock.
func (a *app) notLocked(cmd *cli.Command, err error) error {
	answer := scenario.NewAnswer(nil, err)
	if answer.Conflict == nil {
		return err
	}
	if cmd.String("output") == "json" {
		if err := view.JSON(a.out, answerOf{Answer: answer}); err != nil {
			return err
		}
		return exit(exitNo)
	}
	t := view.NewText(a.err)
	t.Answer("nothing is locked", answer)
	if err := t.Flush(); err != nil {
		return err
	}
	return exit(exitNo)
}

// showChanges prints the difference between two locks on standard error.
func (a *app) showChanges(before, after *lock.Lock, file string) error {
	t := view.NewText(a.err)
	t.LockChanges(label(file), before, after)
	return t.Flush()
}

// writeLock writes a lock to --into or to standard output.
func (a *app) writeLock(cmd *cli.Command, l *lock.Lock) error {
	isJSON := cmd.String("output") == "json"
	switch into := cmd.String("into"); {
	case into != "" && isJSON:
		return errors.New("--into writes YAML; omit -o json, or the flag")
	case into != "":
		return ofFlag("into", l.WriteFile(into))
	case isJSON:
		return view.JSON(a.out, l)
	}
	var out bytes.Buffer
	if err := l.Write(&out); err != nil {
		return err
	}
	_, err := out.WriteTo(a.out)
	return err
}

// readLock reads a lock; "-" is standard input.
func (a *app) readLock(ctx context.Context, file string) (*lock.Lock, error) {
	data, err := readAll(ctx, a.in, file, lock.MaxBytes)
	if err != nil {
		return nil, err
	}
	return a.parseLock(ctx, file, data)
}

func (a *app) parseLock(ctx context.Context, file string, data []byte) (*lock.Lock, error) {
	l, err := await(ctx, func() (*lock.Lock, error) { return lock.Read(ctx, bytes.NewReader(data), label(file)) })
	if err != nil && ctx.Err() != nil {
		return nil, stopped(ctx, label(file))
	}
	return l, err
}

// lockedCatalog adds the flag for a missing catalog to an error.
func lockedCatalog(err error) error {
	var missing *lock.CatalogError
	if errors.As(err, &missing) && missing.Err == nil {
		return fmt.Errorf("%w; give --catalog %s=CATALOG", err, missing.Key)
	}
	return err
}
