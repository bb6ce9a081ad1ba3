package constraints

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed109e2655/resolute/internal/text"
)

// object reads an object and calls fn at each value, which fn must read.
func (r *reader) object(path string, fn func(key string) *Error) *Error {
	if _, err := r.token(path, '{'); err != nil {
		return err
	}
	for {
		t, err := r.tokens.ReadToken()
		if err != nil {
			return r.syntax(path, err)
		}
		if t.Kind() == '}' {
			return nil
		}
		if err := fn(t.String()); err != nil {
			return err
		}
	}
}

// array reads an array and calls fn at each element, which fn must read.
func (r *reader) array(path string, fn func(i int) *Error) *Error {
	if _, err := r.token(path, '['); err != nil {
		return err
	}
	for i := 0; r.tokens.PeekKind() != ']'; i++ {
		if err := fn(i); err != nil {
			return err
		}
	}
	if _, err := r.tokens.ReadToken(); err != nil {
		return r.syntax(path, err)
	}
	return nil
}

func (r *reader) text(path string) (string, *Error) {
	t, err := r.token(path, '"')
	if err != nil {
		return "", err
	}
	return t.String(), nil
}

func (r *reader) token(path string, want jsontext.Kind) (jsontext.Token, *Error) {
	t, err := r.tokens.ReadToken()
	if err != nil {
		return t, r.syntax(path, err)
	}
	if got := t.Kind(); got != want {
		return t, &Error{Path: path, Code: codeType, Reason: fmt.Sprintf("it must be %s, not %s", kindName(want), kindName(got))}
	}
	return t, nil
}

// fields reads an object that consists of exactly these string fields, none
// of them empty. A field may come under its alias.
func (r *reader) fields(path string, names ...string) ([]string, *Error) {
	values, keys := make([]string, len(names)), make([]string, len(names))
	err := r.object(path, func(key string) *Error {
		at := join(path, key)
		for i, name := range names {
			if canonical(key) != name {
				continue
			}
			if keys[i] != "" {
				return aliasError(at, keys[i], key)
			}
			keys[i] = key
			var err *Error
			values[i], err = r.text(at)
			return err
		}
		return unknownKey(at, key, strings.Join(names, ", "))
	})
	if err != nil {
		return nil, err
	}
	for i, v := range values {
		if v == "" {
			return nil, &Error{Path: join(path, names[i]), Code: codeMissing, Reason: "it is missing or empty"}
		}
	}
	return values, nil
}

// syntax makes an error of what the tokenizer says.
func (r *reader) syntax(path string, err error) *Error {
	var s *jsontext.SyntacticError
	switch known := errors.As(err, &s) && s.Err != nil; {
	case known && errors.Is(err, jsontext.ErrDuplicateName):
		return &Error{Path: join(path, s.JSONPointer.LastToken()), Code: codeDuplicateKey, Reason: "the key is given more than once", Err: err}
	case known: // without the place, which is that of the bytes and can be long
		return &Error{Path: path, Code: codeSyntax, Reason: fmt.Sprintf("it is not valid JSON: %s at byte %d", shorten(text.Inert(s.Err.Error())), s.ByteOffset), Err: err}
	}
	return &Error{Path: path, Code: codeSyntax, Reason: "it is not valid JSON: " + shorten(text.Inert(err.Error())), Err: err}
}

func kindName(k jsontext.Kind) string {
	switch k {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 'n':
		return "null"
	}
	return "a boolean"
}

// unknownKey reports a key that the language does not have.
func unknownKey(path, key, known string) *Error {
	return &Error{Path: path, Code: codeUnknownKey, Reason: fmt.Sprintf("unknown key %s; known are %s", quote(key), known)}
}

// aliasError reports a key that was given under both of its names.
func aliasError(path, first, second string) *Error {
	return &Error{Path: path, Code: codeDuplicateKey, Reason: fmt.Sprintf("%s and %s are two names of the same key; give one of them", quote(first), quote(second))}
}

// valueError reports a text that breaks the rules of its field.
func valueError(path, value string, err error) *Error {
	return &Error{Path: path, Code: codeValue, Reason: quote(value) + " " + err.Error(), Err: err}
}

// maxQuoted bounds, in bytes, how much of a foreign text an error quotes.
const maxQuoted = 80

// quote quotes foreign text for an error.
func quote(s string) string { return text.Quote(shorten(s)) }

// shorten cuts foreign text to what an error quotes of it.
func shorten(s string) string { return text.Clip(s, maxQuoted) }
