// Command debian writes the package lists of apt-get update on this machine as
// a catalog, see package benchmarks/debian:
//
//	go run ./benchmarks/cmd/debian > debian.jsonl
//	go run ./cmd/resolute audit debian.jsonl
//
// Arguments are other lists to use instead.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/seed109e2655/resolute/benchmarks/debian"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "debian:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, lists []string, w io.Writer) error {
	a, err := debian.Load(ctx, lists)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	return errors.Join(a.WriteCatalog(out), out.Flush())
}
