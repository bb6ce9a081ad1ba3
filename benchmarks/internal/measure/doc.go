// Package measure measures for the benchmarks and the comparison with other
// programs: median times, allocations, peak memory, solver calls.
package measure
