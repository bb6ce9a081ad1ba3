package constraints

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/constraints/cel"
	"github.com/seed109e2655/resolute/internal/quickjson"
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
	err := valid(raw)
	if err == nil {
		var c Constraint
		if c, err = p.constraint("", bytes.TrimSpace(raw), 0); err == nil {
			return c, nil
		}
	}
	return nil, err
}

// The keys of a constraint, with the alias of each that has one.
var kinds = [...]string{kindGVK, kindPackage, kindCEL, kindAll, kindAny, kindNot}

// constraint reads one object. depth counts the compounds around it.
func (p *Parser) constraint(path string, raw []byte, depth int) (Constraint, *Error) {
	var c Constraint
	var kind, message, messageKey string
	err := object(path, raw, func(key, at string, value []byte) (err *Error) {
		switch name := canonical(key); {
		case name == "failureMessage":
			if messageKey != "" {
				return aliasError(at, messageKey, key)
			}
			messageKey = key
			message, err = textOf(at, value)
			return err
		case slices.Contains(kinds[:], name):
			switch {
			case kind != "" && canonical(kind) == name:
				return aliasError(at, kind, key)
			case kind != "":
				return &Error{Path: path, Code: codeSeveralKinds, Reason: fmt.Sprintf("it has both %s and %s; write one object for each", kind, key)}
			}
			kind = key
			c, err = p.kind(at, name, value, depth)
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
func (p *Parser) kind(path, name string, raw []byte, depth int) (Constraint, *Error) {
	switch name {
	case kindGVK:
		return gvk(path, raw)
	case kindPackage:
		return pkg(path, raw)
	case kindCEL:
		return p.cel(path, raw)
	}
	children, err := p.children(path, raw, depth+1)
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
func (p *Parser) children(path string, raw []byte, depth int) ([]Constraint, *Error) {
	if depth > MaxDepth {
		return nil, &Error{Path: path, Code: codeDepth, Reason: fmt.Sprintf("all, any and not are nested deeper than %d levels", MaxDepth)}
	}
	var children []Constraint
	err := object(path, raw, func(key, at string, list []byte) *Error {
		if key != "constraints" {
			return unknownKey(at, key, "constraints")
		}
		if err := want(at, list, '['); err != nil {
			return err
		}
		for _, item := range quickjson.All(list) {
			c, err := p.constraint(fmt.Sprintf("%s[%d]", at, len(children)), item.Of(list), depth)
			if err != nil {
				return err
			}
			children = append(children, c)
		}
		return nil
	})
	return children, err
}

func gvk(path string, raw []byte) (Constraint, *Error) {
	f, err := fields(path, raw, "group", "version", "kind")
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

func pkg(path string, raw []byte) (Constraint, *Error) {
	f, err := fields(path, raw, "packageName", "versionRange")
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
func (p *Parser) cel(path string, raw []byte) (Constraint, *Error) {
	f, err := fields(path, raw, "rule")
	if err != nil {
		return nil, err
	}
	program, compileErr := p.rules.Get(f[0], func() (*cel.Program, error) { return p.compiler.Compile(f[0]) })
	if compileErr != nil {
		return nil, &Error{Path: join(path, "rule"), Code: codeRule, Reason: "the rule does not compile: " + compileErr.Error(), Err: compileErr}
	}
	return NewCEL(program), nil
}
