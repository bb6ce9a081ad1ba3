package properties

// stringer makes the strings of parsed values, and the ranges written in them.
type stringer interface {
	string(b []byte) string
	versionRange(text string) (Range, error)
}

// bareStrings makes a new string each time.
type bareStrings struct{}

func (bareStrings) string(b []byte) string                  { return string(b) }
func (bareStrings) versionRange(text string) (Range, error) { return ParseRange(text) }

// sharedStrings makes one string for equal texts, and parses each range once:
// bundles of a catalog require the same few ranges of each other.
type sharedStrings struct {
	recentStrings
	ranges map[string]Range
}

func newSharedStrings() *sharedStrings {
	return &sharedStrings{recentStrings: recentStrings{recent: newRecent[string]()}, ranges: map[string]Range{}}
}

func (m *sharedStrings) versionRange(text string) (Range, error) {
	if r, ok := m.ranges[text]; ok {
		return r, nil
	}
	r, err := ParseRange(text)
	if err == nil {
		m.ranges[text] = r
	}
	return r, err
}
