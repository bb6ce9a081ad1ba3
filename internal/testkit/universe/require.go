package universe

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/internal/declared"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// maxDepth limits the nesting of expressions.
const maxDepth = 100

// identify sets a field of the olm.package property of a bundle.
func identify(b *declared.Bundle, key, value string) error {
	for i, p := range b.Properties {
		if !isIdentity(p) {
			continue
		}
		identity := make(map[string]string)
		err := json.Unmarshal(p.Value, &identity)
		identity[key] = value
		b.Properties[i] = declared.Prop(properties.TypePackage, identity)
		return err
	}
	return fmt.Errorf("bundle %s is flawed and has no %s", text.Quote(b.Name), key)
}

func isIdentity(p scenario.Property) bool { return p.Type == properties.TypePackage }

// addRaw adds a property with a JSON value.
func addRaw(b *declared.Bundle, rest string) error {
	typ, value, _ := strings.Cut(rest, " ")
	if !json.Valid([]byte(value)) {
		return fmt.Errorf("the value of property %s is not JSON", text.Quote(typ))
	}
	add(b, typ, json.RawMessage(value))
	return nil
}

func require(b *declared.Bundle, rest string) error {
	constraint, rest, err := expression(rest, maxDepth)
	if err != nil {
		return err
	}
	if message, ok := strings.CutPrefix(rest, ";"); ok {
		constraint["failureMessage"] = strings.TrimSpace(message)
	} else if rest != "" {
		return fmt.Errorf("%s after the end of the expression; separate a message with a semicolon", text.Quote(rest))
	}
	add(b, properties.TypeConstraint, constraint)
	return nil
}

// expression parses the expression at the beginning of a text.
func expression(s string, depth int) (constraint map[string]any, rest string, err error) {
	if depth == 0 {
		return nil, "", errors.New("the expression is nested too deep")
	}
	end := strings.IndexAny(s, "(),;")
	if end < 0 {
		end = len(s)
	}
	word := strings.TrimSpace(s[:end])
	if end == len(s) || s[end] != '(' {
		constraint, err = requirement(word)
		return constraint, s[end:], err
	}
	if rest = s[end+1:]; word == "cel" {
		rule, rest, err := rule(rest)
		return map[string]any{"cel": map[string]string{"rule": rule}}, rest, err
	}
	if word != "any" && word != "all" && word != "not" {
		return nil, "", fmt.Errorf("%s is not an operator; write any, all, not or cel", text.Quote(word))
	}
	var parts []any
	for {
		part, more, err := expression(rest, depth-1)
		if err != nil {
			return nil, "", err
		}
		parts = append(parts, part)
		if rest, err = separator(more); err != nil {
			return nil, "", err
		}
		if more[0] == ')' {
			return map[string]any{word: map[string]any{"constraints": parts}}, rest, nil
		}
	}
}

// separator cuts off the separator after an operand.
func separator(s string) (rest string, err error) {
	if s == "" || s[0] != ',' && s[0] != ')' {
		return "", errors.New("a closing parenthesis is missing")
	}
	return strings.TrimSpace(s[1:]), nil
}

// requirement parses an API, or a package with a range.
func requirement(word string) (map[string]any, error) {
	if name, versions, ok := strings.Cut(word, "@"); ok {
		return map[string]any{"package": map[string]string{"packageName": name, "versionRange": versions}}, nil
	}
	gvk, err := gvkOf(word)
	return map[string]any{"gvk": gvk}, err
}

// rule cuts a CEL rule off a text, up to its closing parenthesis.
func rule(s string) (rule, rest string, err error) {
	depth, quote := 0, rune(0)
	for i, c := range s {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(':
			depth++
		case c == ')' && depth == 0:
			return s[:i], strings.TrimSpace(s[i+1:]), nil
		case c == ')':
			depth--
		}
	}
	return "", "", errors.New("the closing parenthesis of a rule is missing")
}
