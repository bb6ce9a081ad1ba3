package testkit

// Map applies a function to each item of a list; it returns nil for an empty
// list.
func Map[T, S any](list []T, of func(T) S) []S {
	var out []S
	for _, x := range list {
		out = append(out, of(x))
	}
	return out
}
