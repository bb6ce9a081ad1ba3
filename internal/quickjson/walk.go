package quickjson

import "iter"

// Span is a part of a text.
type Span struct{ From, To int }

// Of returns the part.
func (s Span) Of(text []byte) []byte { return text[s.From:s.To] }

// Inside goes through the members of an object or the items of an array:
//
//	in, ok := scanner.Open(i)
//	for ok && in.Next() {
//		// in.Name, in.Value
//	}
//	// in.Closed: all of it was recognized, and it ends at in.End
type Inside struct {
	// Name, with its quotes, and Value are those of the member that Next came to.
	// An item has no name.
	Name, Value Span
	// End is where the object or array ends if it is Closed, and else how far it
	// was recognized.
	End int
	// Closed reports that all of it was recognized.
	Closed bool

	scanner *Scanner
	bracket byte // that closes it
	level   int
	begun   bool
}

// Open reports whether an object or array begins at i, and goes into it.
func (s *Scanner) Open(i int) (Inside, bool) { return s.open(i, 1) }

// open is Open at a level of arrays and objects.
func (s *Scanner) open(i, level int) (in Inside, ok bool) {
	if i >= len(s.Text) || s.Text[i] != '{' && s.Text[i] != '[' || level > maxDepth {
		return Inside{End: i}, false
	}
	return Inside{End: i + 1, scanner: s, bracket: s.Text[i] + 2, level: level}, true // ASCII: ] is [ + 2
}

// Next goes to the next member or item. It returns false if there is no other, or
// none that is recognized.
func (in *Inside) Next() bool { return in.Begin() && in.Skip() }

// Begin is the first half of Next: of the value only Value.From is known. The
// second half is Skip, or Pass, or Open and then Leave.
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

// Skip goes behind the value. It returns false if that is not recognized.
func (in *Inside) Skip() (ok bool) {
	in.Value.To, ok = in.scanner.value(in.Value.From, in.level)
	in.End = in.Value.To
	return ok
}

// Pass goes behind a value that is known to be valid, and to have a length.
func (in *Inside) Pass(length int) {
	in.Value.To = in.Value.From + length
	in.End = in.Value.To
}

// Open reports whether the value is an object or array, and goes into it.
func (in *Inside) Open() (Inside, bool) { return in.scanner.open(in.Value.From, in.level+1) }

// Leave goes behind the value, of which Open was gone through. It returns false
// if that was not recognized.
func (in *Inside) Leave(value *Inside) bool {
	in.Value.To, in.End = value.End, value.End
	return value.Closed
}

// Object calls member with the name and the value of each member of the object that a
// text consists of. It returns false if the text is anything else, perhaps only after
// some members. One half of a surrogate pair is accepted.
func Object(text []byte, member func(name, value []byte)) bool {
	s := Scanner{Text: text, Halves: true}
	in, ok := s.Open(Space(text))
	for ok && in.bracket == '}' && in.Next() {
		member(Unquote(in.Name.Of(text)), in.Value.Of(text))
	}
	return in.Closed && in.bracket == '}' && in.End+Space(text[in.End:]) == len(text)
}

// All goes through the names and values of an object of valid JSON, or through the items
// of an array, which have no name. Anything else has none.
func All(text []byte) iter.Seq2[[]byte, Span] {
	return func(yield func([]byte, Span) bool) {
		s := Scanner{Text: text, Halves: true}
		in, ok := s.Open(0)
		for ok && in.Next() && yield(Unquote(in.Name.Of(text)), in.Value) {
		}
	}
}

// Member returns the value of the last member of that name in an object of valid JSON,
// or nothing.
func Member(object []byte, name string) (value []byte) {
	for n, v := range All(object) {
		if string(n) == name {
			value = v.Of(object)
		}
	}
	return value
}
