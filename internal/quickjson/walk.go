package quickjson

// Span is a part of a text.
type Span struct{ From, To int }

// Members goes through the members of an object:
//
//	m := Members{Text: text}
//	if m.Open(i) {
//		for m.Next() {
//			// m.Name, m.Value
//		}
//	}
//	// m.Closed: all of it was recognized, and it ends at m.End
type Members struct {
	// Text is the text that the object is in.
	Text []byte
	// Watch ends it early; it may be nil.
	Watch *Watch
	// Name, with its quotes, and Value are those of the member that Next came to.
	Name, Value Span
	// End is where the object ends, if it is Closed, and else how far it was
	// recognized.
	End int
	// Closed tells that all of the object was recognized.
	Closed bool

	level int // of what it is in
	begun bool
}

// Open reports whether an object begins at i.
func (m *Members) Open(i int) bool {
	m.End = i
	if i >= len(m.Text) || m.Text[i] != '{' {
		return false
	}
	m.End++
	return true
}

// Next goes to the next member. It returns false if there is none, or none that
// is recognized.
func (m *Members) Next() bool { return m.NextName() && m.Skip() }

// NextName is the first half of Next: of the value only Value.From is known.
// Either Skip or Items has to come then.
func (m *Members) NextName() bool {
	more, closed := next(m.Text, &m.End, '}', &m.begun, m.Watch)
	if m.Closed = closed; !more {
		return false
	}
	to, ok := QuotedAt(m.Text, m.End)
	if !ok {
		return false
	}
	m.Name = Span{m.End, to}
	if to = Space(m.Text, to); to >= len(m.Text) || m.Text[to] != ':' {
		return false
	}
	m.Value.From = Space(m.Text, to+1)
	return true
}

// Skip is the second half of Next. It returns false if the value is not
// recognized.
func (m *Members) Skip() (ok bool) {
	m.Value.To, ok = value(m.Text, m.Value.From, m.level, m.Watch)
	m.End = m.Value.To
	return ok
}

// Items is the first part of the second half of Next for a value that is an array.
// Behind its last item, Behind has to come.
func (m *Members) Items() Items {
	items := Items{Text: m.Text, Watch: m.Watch, level: m.level + 1}
	items.Open(m.Value.From)
	return items
}

// Behind goes on behind the array of Items. It returns false if that was not
// recognized.
func (m *Members) Behind(items *Items) bool {
	m.Value.To, m.End = items.End, items.End
	return items.Closed
}

// Items goes through the items of an array, as [Members] does.
type Items struct {
	// Text is the text that the array is in.
	Text []byte
	// Watch ends it early; it may be nil.
	Watch *Watch
	// Value is the item that Next came to.
	Value Span
	// End is where the array ends, if it is Closed, and else how far it was
	// recognized.
	End int
	// Closed tells that all of the array was recognized.
	Closed bool

	level int // of what it is in
	begun bool
}

// Open reports whether an array begins at i.
func (m *Items) Open(i int) bool {
	m.End = i
	if i >= len(m.Text) || m.Text[i] != '[' {
		return false
	}
	m.End++
	return true
}

// Next goes to the next item. It returns false if there is none, or none that is
// recognized.
func (m *Items) Next() bool { return m.NextStart() && m.Skip() }

// NextStart is the first half of Next: of the item only Value.From is known.
// Either Skip or Pass has to come then.
func (m *Items) NextStart() bool {
	more, closed := next(m.Text, &m.End, ']', &m.begun, m.Watch)
	m.Closed = closed
	m.Value.From = m.End
	return more
}

// Skip is the second half of Next. It returns false if the item is not recognized.
func (m *Items) Skip() bool {
	to, ok := value(m.Text, m.Value.From, m.level, m.Watch)
	m.Value.To, m.End = to, to
	return ok
}

// Pass is the second half of Next for an item that is known to be valid, and to be
// of so many bytes.
func (m *Items) Pass(length int) {
	m.Value.To = m.Value.From + length
	m.End = m.Value.To
}

// next goes on to where something begins inside of brackets: behind a comma,
// unless it is the first. closed tells that the bracket is there instead.
func next(text []byte, at *int, bracket byte, begun *bool, w *Watch) (more, closed bool) {
	if w.stopped() {
		return false, false
	}
	i := Space(text, *at)
	*at = i
	if i >= len(text) {
		return false, false
	}
	if text[i] == bracket {
		*at = i + 1
		return false, true
	}
	if *begun {
		if text[i] != ',' {
			return false, false
		}
		*at = Space(text, i+1)
	}
	*begun = true
	return true, false
}
