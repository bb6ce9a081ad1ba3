package text

// FailureMessage holds an optional message of a value. The zero value has
// none. It is a single pointer, since nearly all values have no message.
type FailureMessage struct{ message *string }

// NewFailureMessage returns a FailureMessage, or the zero value for "".
func NewFailureMessage(message string) FailureMessage {
	if message == "" {
		return FailureMessage{}
	}
	return FailureMessage{&message}
}

// Message returns the message, or "".
func (t *FailureMessage) Message() string {
	if t.message == nil {
		return ""
	}
	return *t.message
}
