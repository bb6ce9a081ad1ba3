package text

// Told is a message that comes with something, or none. It takes little where there is none, as
// there mostly is.
type Told struct{ message *string }

// Tell returns a message.
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
