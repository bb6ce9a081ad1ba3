// Command playground writes the page of `resolute serve` as a static site, which needs no server:
//
//	go run ./cmd/playground -o DIR CATALOG...
//
// It builds the program of the site from source and needs the go command. See
// cmd/resolute/playground for the content of the folder.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/seed109e2655/resolute/cmd/resolute/playground"
)

func main() {
	dir := flag.String("o", "", "write the site into the folder `DIR`")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: go run ./cmd/playground -o DIR [NAME=]CATALOG...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if *dir == "" || flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	log := func(line string) { fmt.Fprintln(os.Stderr, line) }
	if err := playground.Write(ctx, playground.Options{Dir: *dir, Catalogs: flag.Args(), Log: log}); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
	fmt.Fprintf(os.Stderr, "%s can be served by any web server\n", *dir)
}
