package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/certificate"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) verifyCommand() *cli.Command {
	return &cli.Command{
		Usage: "whether a lock is still right, or whether a certificate proves an answer", ArgsUsage: "LOCK|CERTIFICATE",
		Description: `A LOCK is what lock prints. Its answer is valid if its bundles still satisfy the question, and
the best if no demand has a better candidate. The catalogs are those of --catalog, else those
of --cluster, else the existing files that the lock names; nothing is
fetched, unless --catalog names an image. Without any catalog, the lock itself is verified:
that its bundles are those that its certificate proves. --cluster SCENARIO compares with the
cluster as it is now, for example as captured, and asks its question.

Each difference has a kind: the catalogs, the policy, the cluster, or the answer in the lock.
-o in-toto prints the result as an in-toto statement, for cosign or gh to sign.

A CERTIFICATE is what resolve -o certificate prints; it needs --scenario. It is checked without
any search, by a program that reads the rules for itself: that the set is valid, and the best
one; or that the facts cannot hold together, and that each of them is needed. The scenario has
to be the same, and its catalogs have to have the same content.

The exit status is 1 if the answer is not valid or not the best any more, or if a claim of the
certificate is not true, and 2 if the file cannot be read or was edited.`,
		DisableSliceFlagSeparator: true,
		Flags: slices.Concat([]cli.Flag{outputFlag("text", "json", "in-toto"), timeoutFlag(), strictFlag(), nowFlag(),
			stringFlag("scenario", "the `SCENARIO` whose answer the certificate proves"),
			catalogFlag(),
			stringFlag("cluster", "compare the lock with the cluster as `SCENARIO` has it")}, limitFlags()),
		Action: a.verify,
	}
}

// verified is what a check found, as it is written as JSON.
type verified struct {
	// File is the certificate, as named on the command line.
	File string `json:"file,omitempty"`
	// Valid is true if every claim of the certificate is.
	Valid bool `json:"valid"`
	// Proves is the answer that the certificate is about.
	Proves string `json:"proves"`
	// Bundles are the names of the result set that is proven, in the order of its decisions.
	Bundles []string `json:"bundles,omitempty"`
	// Refuted is how many better options were proven to be impossible.
	Refuted int `json:"refuted"`
	// Lemmas is the number of clauses of the proof.
	Lemmas int `json:"lemmas"`
	// Facts is the number of facts that cannot hold together.
	Facts int `json:"facts,omitempty"`
	// Left are the subscriptions that are proven to conflict with those before them.
	Left []string `json:"left,omitempty"`
	// Broken are the installed bundles that are proven to conflict with those before them.
	Broken []string `json:"broken,omitempty"`
	// Further is the number of other proven conflicts.
	Further int `json:"further,omitempty"`
	// Claim is the false claim.
	Claim string `json:"claim,omitempty"`
	// Bundle is the bundle of this claim, if any.
	Bundle string `json:"bundle,omitempty"`
	// Message describes the error.
	Message string `json:"message,omitempty"`
}

// verify verifies a lock or checks a certificate.
func (a *app) verify(ctx context.Context, cmd *cli.Command) error {
	file := cmd.Args().First()
	data, err := readAll(ctx, a.in, file, certificate.MaxBytes)
	if err != nil {
		return err
	}
	if isLock(data, cmd.IsSet("scenario")) {
		if err := requireFlag(cmd, "a CERTIFICATE, and this is a lock: use --cluster", "scenario"); err != nil {
			return err
		}
		return a.verifyLock(ctx, cmd, file, data)
	}
	if err := requireFlag(cmd, "a LOCK", "catalog", "cluster"); err != nil {
		return err
	}
	switch {
	case !cmd.IsSet("scenario"):
		return fmt.Errorf("%s is a certificate: name its scenario with --scenario", label(file))
	case cmd.String("output") == "in-toto":
		return errors.New("-o in-toto requires a LOCK")
	}
	return a.verifyCertificate(ctx, cmd, file, data)
}

// isLock reports whether a file is a lock; for other files, the flags decide.
func isLock(data []byte, wantsCertificate bool) bool {
	var keys map[string]json.RawMessage
	if json.Unmarshal(data, &keys) == nil {
		_, certificate := keys["request"]
		_, lock := keys["question"]
		return lock || !certificate && !wantsCertificate
	}
	return !wantsCertificate || bytes.Contains(data, []byte("\nquestion:"))
}

// verifyCertificate checks a certificate.
func (a *app) verifyCertificate(ctx context.Context, cmd *cli.Command, file string, data []byte) error {
	cert, err := certificate.Read(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("%s: %w", label(file), err)
	}
	loader := a.loader()
	loader.Options.Strict = cmd.Bool("strict")
	loaded, err := a.load(ctx, &scenario.Runner{Loader: loader}, cmd.String("scenario"))
	if err != nil {
		return err
	}
	answer := verified{File: a.fileOf(file, false), Valid: true, Proves: cert.Status, Lemmas: len(cert.Lemmas), Facts: len(cert.Facts), Further: len(cert.Further)}
	var claim *certificate.ClaimError
	switch err := certificate.Check(ctx, loaded.Request, cert); {
	case errors.As(err, &claim):
		answer.Valid, answer.Claim, answer.Bundle, answer.Message = false, claim.Claim, claim.Bundle, claim.Message
	case err != nil:
		return fmt.Errorf("%s: %w", label(file), err)
	}
	for _, id := range cert.Set {
		if cert.Status == certificate.Unsatisfiable {
			break // the set has only installed bundles
		}
		answer.Bundles = append(answer.Bundles, cert.Bundles[id-1].Name)
	}
	for _, d := range cert.Decisions {
		answer.Refuted += len(d.Rejected)
	}
	for _, l := range cert.Left {
		if l.Installed != "" {
			answer.Broken = append(answer.Broken, l.Installed)
		} else {
			answer.Left = append(answer.Left, l.Subscription)
		}
	}
	err = a.show(cmd, answer, nil, func(t *view.Text) { t.Line(label(file) + ": " + answer.text()) })
	if err == nil && !answer.Valid {
		err = exit(exitNo)
	}
	return err
}

// text says in one line what a check found.
func (v *verified) text() string {
	lemmas := text.Count(v.Lemmas, "lemma", "lemmas")
	switch {
	case !v.Valid:
		return "not true: " + v.Message
	case v.Proves == certificate.Unsatisfiable:
		return fmt.Sprintf("verified: no solution; %s cannot hold together, and each is needed; %s%s", text.Count(v.Facts, "fact", "facts"), lemmas, v.others())
	}
	return fmt.Sprintf("verified: %s, %s; %s refuted, %s%s", v.Proves, text.Count(len(v.Bundles), "bundle", "bundles"), text.Count(v.Refuted, "better option", "better options"), lemmas, v.others())
}

// others says what else is proven, each thing with a proof of its own.
func (v *verified) others() string {
	out := ""
	for _, of := range []struct {
		count     int
		one, many string
	}{{len(v.Broken), "broken installed bundle", "broken installed bundles"}, {len(v.Left), "subscription left out", "subscriptions left out"},
		{v.Further, "further conflict", "further conflicts"}} {
		if of.count > 0 {
			out += "; " + text.Count(of.count, of.one, of.many)
		}
	}
	return out
}

// writeProof writes the certificate of a scenario, or the proof that its formula has no solution.
func (a *app) writeProof(ctx context.Context, cmd *cli.Command, runner *scenario.Runner, file string) error {
	loaded, err := a.load(ctx, runner, file)
	if err != nil {
		return a.refused(cmd, file, err)
	}
	if cmd.String("output") == "drat" {
		err := runner.Resolver.WriteDRAT(ctx, a.out, loaded.Request)
		if errors.Is(err, resolver.ErrSolvable) {
			a.complain(label(file), err.Error())
			return exit(exitNo)
		}
		if err != nil {
			return a.refused(cmd, file, err)
		}
		return nil
	}
	cert, err := certificate.Make(ctx, runner.Resolver, loaded.Request)
	if err != nil {
		return a.refused(cmd, file, err)
	}
	if err := view.JSON(a.out, cert); err != nil || cert.Status != certificate.Unsatisfiable {
		return err
	}
	return exit(exitNo)
}
