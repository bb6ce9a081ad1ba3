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

// MarshalText returns what String does, nothing for the zero Key.
func (k Key) MarshalText() ([]byte, error) {
	if k.IsZero() {
		return nil, nil
	}
	return []byte(k.String()), nil
}

// UnmarshalText reads what MarshalText wrote.
func (k *Key) UnmarshalText(text []byte) error {
	namespace, name, ok := strings.Cut(string(text), "/")
	if !ok && len(text) > 0 {
		return fmt.Errorf("%q does not name a catalog: write namespace/name, for example olm/community", text)
	}
	*k = Key{Namespace: namespace, Name: name}
	return nil
}

// ParseKey parses "namespace/name", what [Key.String] returns. Both parts must
// be there, and neither may hold another slash.
func ParseKey(s string) (Key, error) {
	ns, name, ok := strings.Cut(s, "/")
	if !ok || ns == "" || name == "" || strings.Contains(name, "/") {
		return Key{}, fmt.Errorf("%q does not name a catalog: write namespace/name, for example olm/community", s)
	}
	return Key{Namespace: ns, Name: name}, nil
}
