package quickjson

import "iter"

// Span is a part of a text.
type Span struct{ From, To int }

// Of returns the part of text in the span.
func (s Span) Of(text []byte) []byte { return text[s.From:s.To] }

// Inside iterates over the members of an object or the items of an array:
//
//	in, ok := scanner.Open(i)
//	for ok && in.Next() {
//		// in.Name, in.Value
//	}
//	// in.Closed: the value was complete and ends at in.End
type Inside struct {
	// Name, with its quotes, and Value are those of the current member. An
	// item has no name.
	Name, Value Span
	// End is the end of the object or array if it is Closed, otherwise the
	// position reached.
	End int
	// Closed reports whether the whole value was scanned.
	Closed bool

	scanner *Scanner
	bracket byte // the closing bracket
	level   int
	begun   bool
}

// Open reports whether an object or array begins at i, and enters it.
func (s *Scanner) Open(i int) (Inside, bool) { return s.open(i, 1) }

// open is Open at a nesting level.
func (s *Scanner) open(i, level int) (in Inside, ok bool) {
	if i >= len(s.Text) || s.Text[i] != '{' && s.Text[i] != '[' || level > maxDepth {
		return Inside{End: i}, false
	}
	return Inside{End: i + 1, scanner: s, bracket: s.Text[i] + 2, level: level}, true // ASCII: ] is [ + 2
}

// Next advances to the next member or item. It returns false at the end or at
// an invalid one.
func (in *Inside) Next() bool { return in.Begin() && in.Skip() }

// Begin is the first half of Next: only Value.From is set. The second half is
// Skip, Pass, or Open followed by Leave.
func (in *Inside) Begin() bool {
	s := in.scanner
	i := s.space(in.End)
	in.End = i
	if i >= len(s.Text) || s.stopped() {
		return false
	}
	if s.Text[i] == in.bracket {
		in.End, in.Closed = i+1, true
		return false
	}
	if in.begun {
		if s.Text[i] != ',' {
			return false
		}
		i = s.space(i + 1)
	}
	in.begun, in.End = true, i
	if in.bracket == '}' {
		to, ok := s.quoted(i)
		if !ok {
			return false
		}
		in.Name = Span{i, to}
		if i = s.space(to); i >= len(s.Text) || s.Text[i] != ':' {
			return false
		}
		i = s.space(i + 1)
	}
	in.Value.From = i
	return true
}

// Skip skips the value. It returns false if the value is invalid.
func (in *Inside) Skip() (ok bool) {
	in.Value.To, ok = in.scanner.value(in.Value.From, in.level)
	in.End = in.Value.To
	return ok
}

// Pass skips a value that is known to be valid and of a given length.
func (in *Inside) Pass(length int) {
	in.Value.To = in.Value.From + length
	in.End = in.Value.To
}

// Open reports whether the value is an object or array, and enters it.
func (in *Inside) Open() (Inside, bool) { return in.scanner.open(in.Value.From, in.level+1) }

// Leave skips the value after it was iterated with Open. It returns false if
// it was invalid.
func (in *Inside) Leave(value *Inside) bool {
	in.Value.To, in.End = value.End, value.End
	return value.Closed
}

// Object calls member with the name and the value of each member of a JSON
// object. It returns false if the text is not one object, possibly after some
// calls. It accepts unpaired surrogates.
func Object(text []byte, member func(name, value []byte)) bool {
	s := Scanner{Text: text, Halves: true}
	in, ok := s.Open(Space(text))
	for ok && in.bracket == '}' && in.Next() {
		member(Unquote(in.Name.Of(text)), in.Value.Of(text))
	}
	return in.Closed && in.bracket == '}' && in.End+Space(text[in.End:]) == len(text)
}

// All yields the names and values of a valid JSON object, or the items of an
// array, without names. Other values have none.
func All(text []byte) iter.Seq2[[]byte, Span] {
	return func(yield func([]byte, Span) bool) {
		s := Scanner{Text: text, Halves: true}
		in, ok := s.Open(0)
		for ok && in.Next() && yield(Unquote(in.Name.Of(text)), in.Value) {
		}
	}
}

// Member returns the value of the last member of that name in a valid JSON
// object, or nil.
func Member(object []byte, name string) (value []byte) {
	for n, v := range All(object) {
		if string(n) == name {
			value = v.Of(object)
		}
	}
	return value
}
