package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// installPlanFlags are those of -o installplan.
func installPlanFlags() []cli.Flag {
	return []cli.Flag{
		wordFlag("beside", "with -o installplan: say in what the InstallPlan in `DUMP` differs; exit 1 if it does"),
		wordFlag("plan", "with --beside: the `NAME` of that InstallPlan (default: the newest of the namespace)"),
	}
}

// writeInstallPlan writes the objects by which OLM would carry out the answer to a scenario.
func (a *app) writeInstallPlan(ctx context.Context, cmd *cli.Command, runner *scenario.Runner, file string) error {
	loaded, err := a.load(ctx, runner, file)
	if err != nil {
		return err
	}
	sol, err := runner.Resolver.Resolve(ctx, loaded.Request)
	if err != nil {
		return a.showAnswer(cmd, file, unsolved(ctx, runner, loaded.Request, err))
	}
	plan := olm.InstallPlan(loaded.Request, sol)
	if _, err := a.out.Write(plan.YAML()); err != nil {
		return err
	}
	return a.comparePlan(ctx, cmd, plan)
}

// comparePlan writes behind a plan in what that of a cluster differs, as comments.
func (a *app) comparePlan(ctx context.Context, cmd *cli.Command, plan *olm.Plan) error {
	dump := cmd.String("beside")
	if dump == "" {
		return countOnly(cmd, "--beside", "plan")
	}
	cluster := new(olm.Cluster)
	if err := a.readDumps(ctx, cluster, []string{dump}); err != nil {
		return ofFlag("beside", err)
	}
	for _, p := range cluster.Problems() {
		a.say(p.Error())
	}
	differences, err := cluster.ComparePlan(cmd.String("plan"), plan)
	if err != nil {
		return fmt.Errorf("%s: %w", label(dump), err)
	}
	if len(differences) == 0 {
		fmt.Fprintln(a.out, "# the InstallPlan of the cluster has the same")
		return nil
	}
	for _, d := range differences {
		fmt.Fprintf(a.out, "# %s: %s\n", d.Code, text.Inert(d.String()))
	}
	return exit(exitNo)
}
