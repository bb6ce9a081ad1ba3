package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/examples/resolute/internal/report"
	"github.com/seed109e2655/resolute/internal/text"
)

// baselineFlags are those of the commands that report what is new only.
func baselineFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "baseline", Usage: "neither list nor count the findings that `FILE` knows"},
		&cli.StringFlag{Name: "write-baseline", Usage: "write all findings to `FILE`, which --baseline reads"},
	}
}

// baseline writes the findings to a file, and takes those off the report that
// another one knows.
func (a *app) baseline(ctx context.Context, cmd *cli.Command, r *report.Report) error {
	all := r.Findings
	if name := cmd.String("baseline"); name != "" {
		data, err := readAll(ctx, a.in, name, report.MaxBaselineBytes)
		if err != nil {
			return err
		}
		known, err := report.ReadBaseline(bytes.NewReader(data))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if gone := known.Apply(r); gone > 0 {
			a.complain(name, text.Count(gone, "known finding", "known findings")+" not found any more; write the baseline anew")
		}
	}
	if name := cmd.String("write-baseline"); name != "" {
		return writeBaseline(name, all)
	}
	return nil
}

// writeBaseline writes findings to a file.
func writeBaseline(name string, findings []report.Finding) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return report.BaselineOf(findings).Write(f)
}
