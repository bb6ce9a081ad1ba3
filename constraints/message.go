package constraints

// failureMessage is the message of a constraint. It is a single pointer, since nearly all
// constraints have none.
type failureMessage struct{ message *string }

// newFailureMessage returns a failureMessage, or the zero value for "".
func newFailureMessage(message string) failureMessage {
	if message == "" {
		return failureMessage{}
	}
	return failureMessage{&message}
}

// Message implements [Constraint].
func (t *failureMessage) Message() string {
	if t.message == nil {
		return ""
	}
	return *t.message
}
