package v1alpha1_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed109e2655/resolute/examples/controller/api/v1alpha1"
)

// fill sets everything in a value to a distinct value, with two items per list
// and one entry per map.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, n)
		fill(value, n)
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), n)
			}
		}
	case reflect.String:
		v.SetString(string(rune('a' + *n%26)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8:
		v.SetUint(uint64('0' + *n%10))
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(*n))
	}
}

// shared returns the path of memory shared by two values, or "".
func shared(path string, a, b reflect.Value) string {
	switch a.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		if a.IsNil() || b.IsNil() {
			return path + ": not copied"
		}
		if a.Pointer() == b.Pointer() {
			return path
		}
	}
	switch a.Kind() {
	case reflect.Pointer:
		return shared(path, a.Elem(), b.Elem())
	case reflect.Slice:
		for i := range a.Len() {
			if at := shared(path+"[]", a.Index(i), b.Index(i)); at != "" {
				return at
			}
		}
	case reflect.Struct:
		for i := range a.NumField() {
			if f := a.Type().Field(i); f.IsExported() {
				if at := shared(path+"."+f.Name, a.Field(i), b.Field(i)); at != "" {
					return at
				}
			}
		}
	}
	return ""
}

func TestCopiesShareNothing(t *testing.T) {
	for _, object := range []runtime.Object{new(v1alpha1.OperatorSet), new(v1alpha1.OperatorSetList)} {
		n := 0
		fill(reflect.ValueOf(object).Elem(), &n)
		require.Greater(t, n, 100)
		copied := object.DeepCopyObject()
		require.Empty(t, cmp.Diff(object, copied))
		require.Empty(t, shared(reflect.TypeOf(object).String(), reflect.ValueOf(object).Elem(), reflect.ValueOf(copied).Elem()))
	}
	require.Nil(t, (*v1alpha1.OperatorSet)(nil).DeepCopy())
	require.Nil(t, (*v1alpha1.OperatorSetList)(nil).DeepCopyObject())
}

// Nil properties of an installed bundle differ from an empty list.
func TestEmptyPropertiesAreKept(t *testing.T) {
	for _, text := range []string{`{"name":"a"}`, `{"name":"a","properties":[]}`} {
		var in v1alpha1.Installed
		require.NoError(t, json.Unmarshal([]byte(text), &in))
		copied := v1alpha1.OperatorSetSpec{Installed: []v1alpha1.Installed{in}}.DeepCopy()
		data, err := json.Marshal(copied.Installed[0])
		require.NoError(t, err)
		require.JSONEq(t, text, string(data))
	}
}
