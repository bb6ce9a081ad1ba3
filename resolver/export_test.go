package resolver

// WithPatience sets how many dead ends in a row may lead no deeper before the
// solver is asked.
func WithPatience(n int) Option { return func(c *config) { c.deadEnds = n } }
