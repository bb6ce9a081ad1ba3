// Package shards is what work on many things has in common that may be split into
// shards, such as [github.com/seed109e2655/resolute/resolver/audit.Run] and
// [github.com/seed109e2655/resolute/resolver/ready.Fleet]: how a shard is named, the JSON
// lines that each writes (a line for each thing, and last one with the summary), and how
// several goroutines work and hand out what they found in order.
package shards
