// Command mutate measures how good the tests of a package are: it changes one
// condition or operator at a time, and looks whether a test fails.
//
//	go -C .ci/mutate run . -dir ../.. [-n 100] [-seed 1] [-run REGEXP] ./graph [./resolver …]
//
// Of each package so many changes are drawn, the same ones for the same seed.
// A change that no test notices is printed with its place: there a test is
// missing, or the change makes no difference. Changes that do not compile do not
// count. The files on disk are never touched: the compiler is given the changed
// ones by -overlay.
//
//	go -C .ci/mutate run . -dir ../.. -judged [-n 100] [-least 75] [-except FILE] ./resolver/certificate
//
// tries the changes in one program, so that all of a package take minutes, and fails
// if fewer are noticed than have to be. CI runs it on the checker of certificates. FILE
// lists changes that make no difference, as they are printed but without the number of the
// line, each below a comment with the reason.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	dir := flags.String("dir", ".", "the root of the module")
	count := flags.Int("n", 100, "changes for each package; 0 for all")
	seed := flags.Uint64("seed", 1, "another seed, other changes")
	only := flags.String("run", "", "run only tests that match, as go test -run")
	also := flags.String("tests", "", "packages besides, separated by commas, whose tests count too")
	timeout := flags.Duration("timeout", time.Minute, "for the tests of one change; one that takes longer is noticed")
	least := flags.Int("least", 0, "with -judged, how many of a hundred changes have to be noticed")
	except := flags.String("except", "", "with -judged, a file of changes that make no difference")
	judged := flags.Bool("judged", false, "compile all changes at once, and have the function judges of the tests tell which are wrong")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("name the packages, such as ./graph")
	}
	root, err := filepath.Abs(*dir)
	if err != nil {
		return err
	}
	t := tester{root: root, run: *only, timeout: *timeout}
	if *except != "" {
		text, err := os.ReadFile(*except)
		if err != nil {
			return err
		}
		t.except = strings.Split(string(text), "\n")
	}
	if *also != "" {
		t.also = strings.Split(*also, ",")
	}
	for _, pkg := range flags.Args() {
		if *judged {
			if err := t.judged(ctx, pkg, *count, *least, *seed, *timeout); err != nil {
				return err
			}
			continue
		}
		changes, err := find(filepath.Join(root, pkg))
		if err != nil {
			return err
		}
		found := len(changes)
		r := rand.New(rand.NewPCG(*seed, uint64(found)))
		r.Shuffle(found, func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
		if *count > 0 && found > *count {
			changes = changes[:*count]
		}
		if err := report(ctx, t, pkg, changes, found); err != nil {
			return err
		}
	}
	return nil
}

// report tries the changes of a package and prints what came of them.
func report(ctx context.Context, t tester, pkg string, changes []change, found int) error {
	if outcome, err := t.try(ctx, pkg, nil); err != nil || outcome != survived {
		return fmt.Errorf("the tests of %s fail, or take too long, without any change (%v)", pkg, err)
	}
	began, tally := time.Now(), map[outcome]int{}
	for _, c := range changes {
		outcome, err := t.try(ctx, pkg, &c)
		if err != nil {
			return err
		}
		tally[outcome]++
		if outcome == survived {
			name, _ := filepath.Rel(t.root, c.file)
			fmt.Printf("%s:%d: %s\n", name, c.line, c.what)
		}
	}
	noticed := tally[killed] + tally[timedOut]
	tried := noticed + tally[survived]
	fmt.Printf("== %s: %d of %d changes noticed (%.0f%%; %d by taking too long), %d more do not compile, %d drawn of %d, %s\n",
		pkg, noticed, tried, 100*float64(noticed)/float64(max(tried, 1)), tally[timedOut], tally[invalid],
		len(changes), found, time.Since(began).Round(time.Second))
	return nil
}
