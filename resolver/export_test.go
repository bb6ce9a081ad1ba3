package resolver

// WithDeadEnds sets how many dead ends in a row may lead no deeper before the
// solver is asked.
func WithDeadEnds(n int) Option { return func(c *config) { c.deadEnds = n } }

// WithLarge sets how many facts of a conflict are so many that it is trimmed first.
func WithLarge(facts int) Option { return func(c *config) { c.large = facts } }
