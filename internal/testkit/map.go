package testkit

// Map returns what a function makes of each item of a list, and nil of an empty one.
func Map[T, S any](list []T, of func(T) S) []S {
	var out []S
	for _, x := range list {
		out = append(out, of(x))
	}
	return out
}
