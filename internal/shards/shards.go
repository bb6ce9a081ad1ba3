// Package shards is what work on many things has in common that may be split into
// shards, such as [github.com/seed109e2655/resolute/resolver/audit.Run] and reports on
// the readiness of many clusters: how a shard is named, the JSON
// lines that each writes (a line for each thing, and last one with the summary), and how
// several goroutines work and hand out what they found in order.
package shards

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// Parse reads "i/n", shard i of n, where i counts from 0 as the completion index of a
// Kubernetes Job does. The empty text is all of it: 0 of 0.
func Parse(s string) (shard, shards int, err error) {
	if s == "" {
		return 0, 0, nil
	}
	i, n, ok := strings.Cut(s, "/")
	shard, err1 := strconv.Atoi(i)
	shards, err2 := strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil || shard < 0 || shard >= shards {
		return 0, 0, fmt.Errorf("%q is not a shard: write i/n with i from 0 to n-1, for example 0/4 for the first of four", s)
	}
	return shard, shards, nil
}

// Name is what [Parse] reads; empty if there are no shards.
func Name(shard, shards int) string {
	if shards <= 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", shard, shards)
}

// words names a shard in a sentence.
func words(name string) string {
	if name == "" {
		return "the whole"
	}
	return "shard " + text.Name(name)
}
