// Resolute answers which operators can be installed together, in which order,
// and why not, from the command line.
//
//	resolute try      CATALOG... PACKAGE...   can these be installed, without a scenario
//	resolute resolve  FILE|DIR...   the answer to each scenario
//	resolute test     FILE|DIR...   each scenario against what it expects
//	resolute whatif   FILE...       what each of its what-ifs would change
//	resolute explain  FILE BUNDLE|PACKAGE   why a bundle is in, or why it is not
//	resolute converge FILE|DIR      the whole upgrade path
//	resolute upgrade  FILE SUB...   the least change that upgrades some subscriptions
//	resolute needs    FILE [BUNDLE] who needs whom
//	resolute serve    FILE|CATALOG...   a page on which to ask the same questions
//	resolute capture  DUMP...       a scenario for each namespace of a cluster
//	resolute ready    FILE...       what the next version of the cluster means
//	resolute list     CATALOG [TEXT]   the packages of a catalog
//	resolute audit    CATALOG...    every bundle: can it be installed, does it get to the head?
//	resolute graph    CATALOG PACKAGE [CHANNEL]   the update graph
//	resolute validate CATALOG...    every problem of a catalog, with file and line
//	resolute diff     OLD NEW       what changed between two catalogs, and what got worse for users
//	resolute render   CATALOG...    the same as one file-based catalog
//	resolute mirror   CONFIGURATION what to mirror so that it can be installed
//	resolute images                 the container images that are kept
//	resolute version                the version, the commit and the platform
//
// The exit status is 0 if everything is resolved or clean, 1 if there is no
// solution or something was found, 2 for input that cannot be used, and 3 if a
// time limit or a budget ran out. Of several the highest counts.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/heap"
)

// unheard is how long the program runs before it listens to interrupts. One that comes before
// ends it at once, as it does before main: to listen takes a thread and a good part of the time
// of a question about a small catalog.
const unheard = 20 * time.Millisecond

func main() {
	heap.Pace(os.Getenv)
	ctx, end := context.WithCancelCause(context.Background())
	time.AfterFunc(unheard, func() {
		interrupted, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		<-interrupted.Done()
		stop() // a second interrupt ends the program at once
		end(context.Cause(interrupted))
	})
	status := run(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr)
	os.Exit(status)
}
