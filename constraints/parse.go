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
	"github.com/seed109e2655/resolute/properties"
)

// Parse reads the JSON value of an "olm.constraint" property. It is strict:
// keys are case-sensitive, an unknown or repeated key, a key along with its
// alias, no kind or several of them, a missing field and a wrong type are
// errors, and so is what goes beyond [MaxBytes] and [MaxDepth]. A compound
// without "constraints" has none. The error is an [*Error].
func (p *Parser) Parse(raw []byte) (Constraint, error) {
	if len(raw) > MaxBytes {
		return nil, &Error{Code: codeSize, Reason: fmt.Sprintf("it has %d bytes; at most %d are allowed", len(raw), MaxBytes)}
	}
	r := reading{p, jsontext.NewDecoder(bytes.NewBuffer(raw))}
	c, err := r.constraint(0)
	if err != nil {
		return nil, asError(err)
	}
	if _, err := r.tokens.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, &Error{Code: codeSyntax, Reason: "there is more after the end of the object"}
	}
	return c, nil
}

// reading reads one constraint, token by token. The errors of its methods are those of
// the library, or an [*Error].
type reading struct {
	*Parser
	tokens *jsontext.Decoder
}

// The keys of a constraint, with the alias of each that has one.
var (
	kinds = []string{kindGVK, kindPackage, kindCEL, kindAll, kindAny, kindNot}
	keys  = append([]string{keyMessage}, kinds...)
)

// keyMessage is the key of the message of a constraint.
const keyMessage = "failureMessage"

// canonical returns the first spelling of a key that has an alias.
func canonical(key string) string {
	switch key {
	case "message":
		return keyMessage
	case "none":
		return kindNot
	case "name":
		return "packageName"
	}
	return key
}

// constraint reads one object. depth counts the compounds around it.
func (r *reading) constraint(depth int) (c Constraint, err error) {
	var kind, message string
	err = r.object(keys, func(key, name string) (err error) {
		if name == keyMessage {
			message, err = r.token('"')
			return err
		}
		if kind != "" {
			e := r.fail("", codeSeveralKinds, "it has both %s and %s; write one object for each", kind, key)
			e.Path = pathOf(r.tokens.StackPointer().Parent())
			return e
		}
		kind = key
		c, err = r.kind(name, depth)
		return err
	})
	if err == nil && kind == "" {
		err = r.fail("", codeNoKind, "it has none of %s", strings.Join(kinds, ", "))
	}
	if err != nil {
		return nil, err
	}
	return WithMessage(c, message), nil
}

// kind reads the value of the key that makes the constraint.
func (r *reading) kind(name string, depth int) (Constraint, error) {
	switch name {
	case kindGVK:
		f, err := r.fields("group", "version", "kind")
		if err != nil {
			return nil, err
		}
		g := properties.GVK{Group: f[0], Version: f[1], Kind: f[2]}
		var invalid *properties.Error
		if errors.As(g.Validate(), &invalid) {
			return nil, r.invalid(invalid.Field, invalid.Value, errors.New(invalid.Reason))
		}
		return &GVK{GVK: g}, nil
	case kindPackage:
		f, err := r.fields("packageName", "versionRange")
		if err != nil {
			return nil, err
		}
		rng, err := properties.ParseRange(f[1])
		if err != nil {
			return nil, r.invalid("versionRange", f[1], err)
		}
		return &Package{Name: f[0], Range: rng}, nil
	case kindCEL:
		f, err := r.fields("rule")
		if err != nil {
			return nil, err
		}
		program, err := r.rules.get(f[0], func() (Program, error) { return r.compiler()(f[0]) })
		if err != nil {
			e := r.fail("rule", codeRule, "the rule does not compile: %v", err)
			e.Err = err
			return nil, e
		}
		return NewCEL(program), nil
	}
	children, err := r.children(depth + 1)
	switch {
	case err != nil:
		return nil, err
	case name == kindAll:
		return NewAll(children...), nil
	case name == kindAny:
		return NewAny(children...), nil
	}
	return NewNot(children...), nil
}

// children reads the object of a compound that is number depth from outside.
func (r *reading) children(depth int) (list []Constraint, err error) {
	if depth > MaxDepth {
		return nil, r.fail("", codeDepth, "all, any and not are nested deeper than %d levels", MaxDepth)
	}
	return list, r.object([]string{"constraints"}, func(string, string) error {
		if _, err := r.token('['); err != nil {
			return err
		}
		for r.tokens.PeekKind() != ']' {
			c, err := r.constraint(depth)
			if err != nil {
				return err
			}
			list = append(list, c)
		}
		_, err := r.tokens.ReadToken()
		return err
	})
}

// fields reads an object that consists of exactly these string fields, none
// of them empty. A field may come under its alias.
func (r *reading) fields(names ...string) ([]string, error) {
	values := make([]string, len(names))
	err := r.object(names, func(_, name string) (err error) {
		values[slices.Index(names, name)], err = r.token('"')
		return err
	})
	if i := slices.Index(values, ""); err == nil && i >= 0 {
		err = r.fail(names[i], codeMissing, "it is missing or empty")
	}
	return values, err
}

// object reads an object that may have these keys, or their aliases, and calls member
// with each, as it is written and by its first spelling, to read the value.
func (r *reading) object(names []string, member func(key, name string) error) error {
	if _, err := r.token('{'); err != nil {
		return err
	}
	given := map[string]string{}
	for r.tokens.PeekKind() != '}' {
		key, err := r.token('"')
		if err != nil {
			return err
		}
		name := canonical(key)
		switch first, twice := given[name]; {
		case !slices.Contains(names, name):
			return r.fail("", codeUnknownKey, "unknown key %s; known are %s", quote(key), strings.Join(names, ", "))
		case twice:
			return r.fail("", codeDuplicateKey, "%s and %s are two names of the same key; give one of them", quote(first), quote(key))
		}
		given[name] = key
		if err := member(key, name); err != nil {
			return err
		}
	}
	_, err := r.tokens.ReadToken()
	return err
}

// token reads a token of a kind, and returns its text.
func (r *reading) token(kind jsontext.Kind) (string, error) {
	t, err := r.tokens.ReadToken()
	if err != nil {
		return "", err
	}
	if t.Kind() != kind {
		return "", r.fail("", codeType, "it must be %s, not %s", quickjson.KindOf([]byte{byte(kind)}), quickjson.KindOf([]byte{byte(t.Kind())}))
	}
	return t.String(), nil
}

// fail returns an error about what was read last, or a field of it.
func (r *reading) fail(field, code, format string, args ...any) *Error {
	path := pathOf(r.tokens.StackPointer())
	if field != "" {
		path = join(path, field)
	}
	return &Error{Path: path, Code: code, Reason: fmt.Sprintf(format, args...)}
}

// invalid reports a text that breaks the rules of its field.
func (r *reading) invalid(field, value string, err error) *Error {
	e := r.fail(field, codeValue, "%s %v", quote(value), err)
	e.Err = err
	return e
}

// pathOf renders a place as [Error.Path] has it.
func pathOf(at jsontext.Pointer) (path string) {
	for key := range at.Tokens() {
		if strings.Trim(key, "0123456789") == "" {
			path += "[" + shorten(key) + "]"
		} else {
			path = join(path, key)
		}
	}
	return path
}

// asError makes an error of what the library says.
func asError(err error) *Error {
	var own *Error
	var s *jsontext.SyntacticError
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(err, io.EOF):
		return &Error{Code: codeSyntax, Reason: "it is empty"}
	case !errors.As(err, &s) || s.Err == nil:
		return &Error{Code: codeSyntax, Reason: "it is not valid JSON: " + shorten(text.Inert(err.Error())), Err: err}
	case errors.Is(err, jsontext.ErrDuplicateName):
		return &Error{Path: pathOf(s.JSONPointer), Code: codeDuplicateKey, Reason: "the key is given more than once", Err: err}
	}
	// Without the place, which is that of the bytes and can be long.
	return &Error{Path: pathOf(s.JSONPointer), Code: codeSyntax, Reason: fmt.Sprintf("it is not valid JSON: %s at byte %d", shorten(text.Inert(s.Err.Error())), s.ByteOffset), Err: err}
}

// maxQuoted bounds, in bytes, how much of a foreign text an error quotes.
const maxQuoted = 80

// quote quotes foreign text for an error.
func quote(s string) string { return text.Quote(shorten(s)) }

// shorten cuts foreign text to what an error quotes of it.
func shorten(s string) string { return text.Clip(s, maxQuoted) }
