// Resolute is a command line for resolving dependencies between Kubernetes operators.
//
//	resolute try      CATALOG... PACKAGE...   check whether packages can be installed, without a scenario
//	resolute resolve  FILE|DIR...   resolve scenarios
//	resolute test     FILE|DIR...   compare the answers to scenarios with their expectations
//	resolute whatif   FILE...       show what each what-if of a scenario changes
//	resolute explain  FILE BUNDLE|PACKAGE   explain why a bundle is selected, or why not
//	resolute converge FILE|DIR      follow all upgrades, round by round
//	resolute upgrade  FILE SUB...   find the smallest change that upgrades subscriptions
//	resolute needs    FILE [BUNDLE] list the dependencies and dependents of bundles
//	resolute lock     FILE|CATALOG... PACKAGE...   lock the answer, with its proof
//	resolute verify   LOCK|CERTIFICATE   check that a lock is still right, or a certificate
//	resolute serve    FILE|CATALOG...   serve a web page to explore a scenario
//	resolute capture  DUMP...       capture each namespace of a cluster as a scenario
//	resolute ready    FILE...       check operators against the next version of a cluster
//	resolute list     CATALOG [TEXT]   list or search the packages of a catalog
//	resolute audit    CATALOG...    check that every bundle can be installed and reaches its channel head
//	resolute graph    CATALOG PACKAGE [CHANNEL]   draw the update graph of a package
//	resolute validate CATALOG...    list every problem of a catalog, with file and line
//	resolute diff     OLD NEW       compare two states of a catalog and report regressions
//	resolute render   CATALOG...    write catalogs as one file-based catalog
//	resolute mirror   CONFIGURATION complete a mirror configuration with missing dependencies
//	resolute images                 list or remove cached container images
//	resolute version                print the version, the commit and the platform
//
// The exit status is 0 if everything is resolved or clean, 1 if there is no solution or a
// finding, 2 for invalid input or usage, and 3 if a time limit or a budget was exhausted. For
// several inputs the highest status counts.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/heap"
)

// interruptDelay is how long the program runs before it handles interrupts. An earlier
// interrupt ends it at once: starting the signal handler takes a thread and a good part of the
// time of a small request.
const interruptDelay = 20 * time.Millisecond

func main() {
	heap.Pace(os.Getenv)
	ctx, end := context.WithCancelCause(context.Background())
	time.AfterFunc(interruptDelay, func() {
		interrupted, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		<-interrupted.Done()
		stop() // a second interrupt kills the program
		end(context.Cause(interrupted))
	})
	status := run(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr)
	os.Exit(status)
}
