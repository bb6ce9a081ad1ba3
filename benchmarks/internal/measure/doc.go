// Package measure takes the figures that the benchmarks and the comparison with
// peers report: times as medians, allocations, peak memory, solver calls.
package measure
