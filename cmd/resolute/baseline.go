package main

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/report"
	"github.com/seed109e2655/resolute/internal/text"
)

// baselineFlags are the flags of commands that can report only new findings.
func baselineFlags() []cli.Flag {
	return []cli.Flag{
		stringFlag("baseline", "ignore the findings recorded in `FILE`"),
		stringFlag("write-baseline", "record all findings in `FILE`, for use with --baseline"),
	}
}

// baseline records the findings in a file, and removes those that another baseline file
// records.
func (a *app) baseline(ctx context.Context, cmd *cli.Command, r *report.Report) error {
	all := r.Findings
	if name := cmd.String("baseline"); name != "" {
		data, err := readAll(ctx, a.in, name, report.MaxBaselineBytes)
		if err != nil {
			return ofFlag("baseline", err)
		}
		known, err := report.ReadBaseline(bytes.NewReader(data))
		if err != nil {
			return ofFlag("baseline", fmt.Errorf("%s: %w", name, err))
		}
		if gone := known.Apply(r); gone > 0 {
			a.complain(name, text.Count(gone, "known finding", "known findings")+" no longer found; write the baseline again")
		}
	}
	if name := cmd.String("write-baseline"); name != "" {
		var b bytes.Buffer
		if err := report.BaselineOf(all).Write(&b); err != nil {
			return err
		}
		return ofFlag("write-baseline", os.WriteFile(name, b.Bytes(), 0o644))
	}
	return nil
}
