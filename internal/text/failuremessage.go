package text

// Told holds the message of a value that may have one. The zero Told has no message. It is one
// pointer, since nearly all values have none.
type Told struct{ message *string }

// Tell returns a Told with a message, or the zero one for "".
func Tell(message string) Told {
	if message == "" {
		return Told{}
	}
	return Told{&message}
}

// Message returns the message, or "".
func (t *Told) Message() string {
	if t.message == nil {
		return ""
	}
	return *t.message
}
