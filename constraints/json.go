package constraints

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/seed109e2655/resolute/properties"
)

// The JSON of a constraint is the value of an "olm.constraint" property, with
// the first of the aliases; [Parser.Parse] reads it back. A [Label] has no
// spelling of its own there and is written as a rule that means the same.

// wire is a constraint as it is written. The order of its fields is the order
// in the output.
type wire struct {
	FailureMessage string                      `json:"failureMessage,omitempty"`
	GVK            *properties.GVK             `json:"gvk,omitempty"`
	Package        *properties.PackageRequired `json:"package,omitempty"`
	CEL            *wireCEL                    `json:"cel,omitempty"`
	All            *wireList                   `json:"all,omitempty"`
	Any            *wireList                   `json:"any,omitempty"`
	Not            *wireList                   `json:"not,omitempty"`
}

type wireCEL struct {
	Rule string `json:"rule"`
}

type wireList struct {
	Constraints []Constraint `json:"constraints"`
}

// MarshalJSON writes the value of an "olm.constraint" property.
func (c *GVK) MarshalJSON() ([]byte, error) {
	return wire{FailureMessage: c.Message(), GVK: &c.GVK}.marshal()
}

// MarshalJSON writes the value of an "olm.constraint" property.
func (c *Package) MarshalJSON() ([]byte, error) {
	return wire{FailureMessage: c.Message(), Package: &properties.PackageRequired{Name: c.Name, Range: c.Range}}.marshal()
}

// MarshalJSON writes the value of an "olm.constraint" property: a rule that
// asks for the label.
func (c *Label) MarshalJSON() ([]byte, error) {
	rule := `properties.exists(p, p.type == "olm.label" && p.value.label == ` + strconv.Quote(c.Label) + `)`
	return wire{FailureMessage: c.Message(), CEL: &wireCEL{rule}}.marshal()
}

// MarshalJSON writes the value of an "olm.constraint" property.
func (c *CEL) MarshalJSON() ([]byte, error) {
	return wire{FailureMessage: c.Message(), CEL: &wireCEL{c.Rule}}.marshal()
}

// MarshalJSON writes the value of an "olm.constraint" property.
func (c *compound) MarshalJSON() ([]byte, error) {
	w, list := wire{FailureMessage: c.Message()}, &wireList{append([]Constraint{}, c.Constraints...)} // an empty one is written as []
	switch c.kind {
	case kindAll:
		w.All = list
	case kindAny:
		w.Any = list
	default:
		w.Not = list
	}
	return w.marshal()
}

// marshal writes w without the escapes that only HTML needs: they would blow
// up the comparisons of ranges and rules.
func (w wire) marshal() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(w); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
