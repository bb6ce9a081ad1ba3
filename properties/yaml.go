package properties

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// The methods of this file have the shapes that the YAML libraries of Go look
// for, without the package depending on one of them. YAML goes through JSON:
// what comes back is the same JSON value, though a number may be spelled
// another way (1.0 becomes 1).

// MarshalYAML returns the property as plain maps, lists, strings and numbers,
// which a YAML library writes as it writes any other value.
func (p *Property) MarshalYAML() (any, error) { return plainValue([]byte(p.String())) }

// UnmarshalYAML reads a property through unmarshal, a function that a YAML
// library passes to decode the present node. The rules are those of
// [New], the error is an [*Error] unless it comes from the library.
func (p *Property) UnmarshalYAML(unmarshal func(any) error) error {
	data, err := jsonFromYAML(unmarshal)
	if err != nil {
		return err
	}
	return p.UnmarshalJSON(data)
}

// MarshalYAML returns the set as plain values, see [Property.MarshalYAML].
func (s Set) MarshalYAML() (any, error) {
	data, err := s.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return plainValue(data)
}

// UnmarshalYAML is [Set.UnmarshalJSON] for YAML.
func (s *Set) UnmarshalYAML(unmarshal func(any) error) error {
	data, err := jsonFromYAML(unmarshal)
	if err != nil {
		return err
	}
	return s.UnmarshalJSON(data)
}

// plainValue decodes JSON into plain values, integers exactly where 64 bits
// hold them.
func plainValue(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return plainNumbers(v)
}

// plainNumbers replaces the numbers of v, which are texts, by Go numbers. A
// number that no float64 holds is an error.
func plainNumbers(v any) (any, error) {
	var err error
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			if v[k], err = plainNumbers(v[k]); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range v {
			if v[i], err = plainNumbers(v[i]); err != nil {
				return nil, err
			}
		}
	case json.Number:
		return plainNumber(string(v))
	}
	return v, nil
}

// plainNumber returns the Go number of a JSON number.
func plainNumber(text string) (any, error) {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i, nil
	}
	if u, err := strconv.ParseUint(text, 10, 64); err == nil {
		return u, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, fmt.Errorf("number %s is too large for YAML", shorten(text))
	}
	return f, nil
}

// jsonFromYAML decodes the present YAML node and writes it as JSON. Keys that
// are not strings are an error, as they have no JSON form.
func jsonFromYAML(unmarshal func(any) error) ([]byte, error) {
	var v any
	if err := unmarshal(&v); err != nil {
		return nil, err
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil, newError("", "value", "", "cannot be written as JSON: "+err.Error())
	}
	return data, nil
}
