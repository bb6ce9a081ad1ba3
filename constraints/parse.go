package constraints

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed109e2655/resolute/constraints/cel"
	"github.com/seed109e2655/resolute/properties"
)

// Parse reads the JSON value of an "olm.constraint" property. It is strict:
// keys are case-sensitive, an unknown or repeated key, a key along with its
// alias, no kind or several of them, a missing field and a wrong type are
// errors, and so is what goes beyond [MaxBytes] and [MaxDepth]. A compound
// whose "constraints" are left out has none. The error is an [*Error].
func (p *Parser) Parse(raw []byte) (Constraint, error) {
	if len(raw) > MaxBytes {
		return nil, &Error{Code: codeSize, Reason: fmt.Sprintf("it has %d bytes; at most %d are allowed", len(raw), MaxBytes)}
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, &Error{Code: codeSyntax, Reason: "it is empty"}
	}
	r := p.readers.Get().(*reader)
	defer p.readers.Put(r)
	r.tokens.Reset(bytes.NewReader(raw))
	c, err := r.constraint("", 0)
	if err != nil {
		return nil, err
	}
	if _, err := r.tokens.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, &Error{Code: codeSyntax, Reason: "there is more after the end of the object"}
	}
	return c, nil
}

// reader reads one constraint, token by token.
type reader struct {
	parser *Parser
	tokens *jsontext.Decoder
}

// The keys of a constraint, with the alias of each that has one.
var kinds = [...]string{kindGVK, kindPackage, kindCEL, kindAll, kindAny, kindNot}

// constraint reads one object. depth counts the compounds around it.
func (r *reader) constraint(path string, depth int) (Constraint, *Error) {
	var c Constraint
	var kind, message, messageKey string
	err := r.object(path, func(key string) *Error {
		at := join(path, key)
		switch name := canonical(key); {
		case name == "failureMessage":
			if messageKey != "" {
				return aliasError(at, messageKey, key)
			}
			messageKey = key
			text, err := r.text(at)
			message = text
			return err
		case slices.Contains(kinds[:], name):
			switch {
			case kind != "" && canonical(kind) == name:
				return aliasError(at, kind, key)
			case kind != "":
				return &Error{Path: path, Code: codeSeveralKinds, Reason: fmt.Sprintf("it has both %s and %s; write one object for each", kind, key)}
			}
			kind = key
			var err *Error
			c, err = r.kind(at, name, depth)
			return err
		}
		return unknownKey(at, key, "failureMessage, "+strings.Join(kinds[:], ", "))
	})
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, &Error{Path: path, Code: codeNoKind, Reason: "it has none of " + strings.Join(kinds[:], ", ")}
	}
	return WithMessage(c, message), nil
}

// canonical returns the first spelling of a key that has an alias.
func canonical(key string) string {
	switch key {
	case "message":
		return "failureMessage"
	case "none":
		return kindNot
	case "name":
		return "packageName"
	}
	return key
}

// kind reads the value of the key that makes the constraint.
func (r *reader) kind(path, name string, depth int) (Constraint, *Error) {
	switch name {
	case kindGVK:
		return r.gvk(path)
	case kindPackage:
		return r.pkg(path)
	case kindCEL:
		return r.cel(path)
	}
	children, err := r.children(path, depth+1)
	if err != nil {
		return nil, err
	}
	switch name {
	case kindAll:
		return NewAll(children...), nil
	case kindAny:
		return NewAny(children...), nil
	}
	return NewNot(children...), nil
}

// children reads the object of a compound that is number depth from outside.
func (r *reader) children(path string, depth int) ([]Constraint, *Error) {
	if depth > MaxDepth {
		return nil, &Error{Path: path, Code: codeDepth, Reason: fmt.Sprintf("all, any and not are nested deeper than %d levels", MaxDepth)}
	}
	var children []Constraint
	err := r.object(path, func(key string) *Error {
		at := join(path, key)
		if key != "constraints" {
			return unknownKey(at, key, "constraints")
		}
		return r.array(at, func(i int) *Error {
			c, err := r.constraint(fmt.Sprintf("%s[%d]", at, i), depth)
			children = append(children, c)
			return err
		})
	})
	return children, err
}

func (r *reader) gvk(path string) (Constraint, *Error) {
	f, err := r.fields(path, "group", "version", "kind")
	if err != nil {
		return nil, err
	}
	g := properties.GVK{Group: f[0], Version: f[1], Kind: f[2]}
	var invalid *properties.Error
	if errors.As(g.Validate(), &invalid) {
		return nil, valueError(join(path, invalid.Field), invalid.Value, errors.New(invalid.Reason))
	}
	return &GVK{GVK: g}, nil
}

func (r *reader) pkg(path string) (Constraint, *Error) {
	f, err := r.fields(path, "packageName", "versionRange")
	if err != nil {
		return nil, err
	}
	rng, rangeErr := properties.ParseRange(f[1])
	if rangeErr != nil {
		return nil, valueError(join(path, "versionRange"), f[1], rangeErr)
	}
	return &Package{Name: f[0], Range: rng}, nil
}

// cel reads the object of a cel constraint and compiles the rule.
func (r *reader) cel(path string) (Constraint, *Error) {
	f, err := r.fields(path, "rule")
	if err != nil {
		return nil, err
	}
	program, compileErr := r.parser.rules.Get(f[0], func() (*cel.Program, error) { return r.parser.compiler.Compile(f[0]) })
	if compileErr != nil {
		return nil, &Error{Path: join(path, "rule"), Code: codeRule, Reason: "the rule does not compile: " + compileErr.Error(), Err: compileErr}
	}
	return NewCEL(program), nil
}
