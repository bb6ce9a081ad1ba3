package cache

import (
	"cmp"
	"fmt"
	"strings"
)

// Key names a catalog: the namespace it lives in, and its name there. Keys are
// comparable.
type Key struct {
	Namespace, Name string
}

// String returns "namespace/name".
func (k Key) String() string { return k.Namespace + "/" + k.Name }

// Compare orders keys by namespace, then name.
func (k Key) Compare(o Key) int {
	return cmp.Or(strings.Compare(k.Namespace, o.Namespace), strings.Compare(k.Name, o.Name))
}

// IsZero reports whether k names no catalog.
func (k Key) IsZero() bool { return k == Key{} }

// MarshalText returns String, or nothing for the zero Key.
func (k Key) MarshalText() ([]byte, error) {
	if k.IsZero() {
		return nil, nil
	}
	return []byte(k.String()), nil
}

// UnmarshalText parses the output of MarshalText.
func (k *Key) UnmarshalText(text []byte) error {
	namespace, name, ok := strings.Cut(string(text), "/")
	if !ok && len(text) > 0 {
		return fmt.Errorf("%q is not a catalog key: write namespace/name, for example olm/community", text)
	}
	*k = Key{Namespace: namespace, Name: name}
	return nil
}

// ParseKey parses "namespace/name", as returned by [Key.String]. Both parts must be present,
// and neither may contain another slash.
func ParseKey(s string) (Key, error) {
	ns, name, ok := strings.Cut(s, "/")
	if !ok || ns == "" || name == "" || strings.Contains(name, "/") {
		return Key{}, fmt.Errorf("%q is not a catalog key: write namespace/name, for example olm/community", s)
	}
	return Key{Namespace: ns, Name: name}, nil
}
