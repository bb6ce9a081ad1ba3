package properties

// sharedStrings makes the strings of parsed values, one for equal texts, and parses
// each range once: bundles of a catalog require the same few ranges of each other.
// Nil shares nothing.
type sharedStrings struct {
	recentStrings
	ranges map[string]Range
}

func newSharedStrings() *sharedStrings {
	return &sharedStrings{recentStrings: recentStrings{recent: newRecent[string]()}, ranges: map[string]Range{}}
}

func (s *sharedStrings) string(b []byte) string {
	if s == nil {
		return string(b)
	}
	return s.recentStrings.string(b)
}

func (s *sharedStrings) versionRange(text string) (Range, error) {
	if s == nil {
		return ParseRange(text)
	}
	if r, ok := s.ranges[text]; ok {
		return r, nil
	}
	r, err := ParseRange(text)
	if err == nil {
		s.ranges[text] = r
	}
	return r, err
}
