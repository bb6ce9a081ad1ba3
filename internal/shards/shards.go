// Package shards supports work that can be split into shards, such as
// [github.com/seed109e2655/resolute/resolver/audit.Run] and reports on the
// readiness of many clusters: names of shards, their JSON lines (one per item,
// and a last one with the summary), and ordered results of several goroutines.
package shards

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// Parse parses "i/n", shard i of n, where i counts from 0 like the completion
// index of a Kubernetes Job. The empty text means unsharded: 0 of 0.
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

// Name formats a shard for [Parse]; empty if there are no shards.
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
