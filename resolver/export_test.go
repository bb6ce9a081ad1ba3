package resolver

// WithDeadEnds sets how many dead ends in a row may lead no deeper before the
// solver is asked.
func WithDeadEnds(n int) Option { return func(c *config) { c.deadEnds = n } }
