package constraints

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/internal/text"
)

// valid returns what is wrong with a text that is not one value of JSON, in which no object
// has a key twice.
func valid(raw []byte) *Error {
	tokens := jsontext.NewDecoder(bytes.NewBuffer(raw))
	for ended := false; ; ended = tokens.StackDepth() == 0 {
		switch _, err := tokens.ReadToken(); {
		case ended && errors.Is(err, io.EOF):
			return nil
		case ended:
			return &Error{Code: codeSyntax, Reason: "there is more after the end of the object"}
		case err != nil:
			return syntax(err)
		}
	}
}

// syntax makes an error of what the library says.
func syntax(err error) *Error {
	var s *jsontext.SyntacticError
	if !errors.As(err, &s) || s.Err == nil {
		return &Error{Code: codeSyntax, Reason: "it is not valid JSON: " + shorten(text.Inert(err.Error())), Err: err}
	}
	path := ""
	for key := range s.JSONPointer.Tokens() {
		if strings.Trim(key, "0123456789") == "" {
			path += "[" + shorten(key) + "]"
		} else {
			path = join(path, key)
		}
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return &Error{Path: path, Code: codeDuplicateKey, Reason: "the key is given more than once", Err: err}
	}
	// Without the place, which is that of the bytes and can be long.
	return &Error{Path: path, Code: codeSyntax, Reason: fmt.Sprintf("it is not valid JSON: %s at byte %d", shorten(text.Inert(s.Err.Error())), s.ByteOffset), Err: err}
}

// What follows is for valid JSON.

// want says that a value is not of the kind that begins like that, or returns nil.
func want(path string, raw []byte, begins byte) *Error {
	if raw[0] == begins {
		return nil
	}
	return &Error{Path: path, Code: codeType, Reason: fmt.Sprintf("it must be %s, not %s", quickjson.KindOf([]byte{begins}), quickjson.KindOf(raw))}
}

// object calls fn with each member of an object, and the path to it.
func object(path string, raw []byte, fn func(key, at string, value []byte) *Error) *Error {
	if err := want(path, raw, '{'); err != nil {
		return err
	}
	for name, at := range quickjson.All(raw) {
		if err := fn(string(name), join(path, string(name)), at.Of(raw)); err != nil {
			return err
		}
	}
	return nil
}

// textOf returns the text of a string.
func textOf(path string, raw []byte) (string, *Error) {
	return string(quickjson.Unquote(raw)), want(path, raw, '"')
}

// fields reads an object that consists of exactly these string fields, none
// of them empty. A field may come under its alias.
func fields(path string, raw []byte, names ...string) ([]string, *Error) {
	values, keys := make([]string, len(names)), make([]string, len(names))
	err := object(path, raw, func(key, at string, value []byte) (err *Error) {
		i := slices.Index(names, canonical(key))
		switch {
		case i < 0:
			return unknownKey(at, key, strings.Join(names, ", "))
		case keys[i] != "":
			return aliasError(at, keys[i], key)
		}
		keys[i] = key
		values[i], err = textOf(at, value)
		return err
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
