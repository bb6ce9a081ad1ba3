package main

import (
	"bytes"
	"context"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) migrate(context.Context, *cli.Command, *olm.Capture) error { return nil }

func (a *app) printExtensions(context.Context, *bytes.Buffer, *scenario.Runner, *olm.Capture, string) {
}
