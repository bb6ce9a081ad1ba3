package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// installPlanFlags are the flags of -o installplan.
func installPlanFlags() []cli.Flag {
	return []cli.Flag{
		stringFlag("beside", "with -o installplan, list the differences from the InstallPlan in `DUMP`; exit with 1 if there are any"),
		stringFlag("plan", "with --beside, the `NAME` of the InstallPlan (default: the newest in the namespace)"),
	}
}

// writeInstallPlan writes the objects with which OLM would apply the answer to a scenario.
func (a *app) writeInstallPlan(ctx context.Context, cmd *cli.Command, runner *scenario.Runner, file string) error {
	loaded, err := a.load(ctx, runner, file)
	if err != nil {
		return err
	}
	sol, err := runner.Resolver.Resolve(ctx, loaded.Request)
	if err != nil {
		return a.showAnswer(ctx, cmd, file, unsolved(ctx, runner, loaded.Request, err))
	}
	plan := olm.InstallPlan(loaded.Request, sol)
	if _, err := a.out.Write(plan.YAML()); err != nil {
		return err
	}
	return a.comparePlan(ctx, cmd, plan)
}

// comparePlan appends the differences from the InstallPlan of a cluster as comments.
func (a *app) comparePlan(ctx context.Context, cmd *cli.Command, plan *olm.Plan) error {
	dump := cmd.String("beside")
	if dump == "" {
		return requireFlag(cmd, "--beside", "plan")
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
		fmt.Fprintln(a.out, "# identical to the InstallPlan of the cluster")
		return nil
	}
	for _, d := range differences {
		fmt.Fprintf(a.out, "# %s: %s\n", d.Code, text.Inert(d.String()))
	}
	return exit(exitNo)
}
