package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed109e2655/resolute/internal/shape"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed109e2655/resolute/examples/controller/api/v1alpha1"
)

// TestSchemaIsThatOfTheTypes compares the schema of the resource with the
// types: the API server silently drops fields that the schema lacks, and such
// a status would be rewritten forever.
func TestSchemaIsThatOfTheTypes(t *testing.T) {
	crd := find[*apiextensionsv1.CustomResourceDefinition](t, load(t, "crd.yaml"))
	require.Equal(t, v1alpha1.GroupVersion().Group, crd.Spec.Group)
	require.Equal(t, v1alpha1.Kind, crd.Spec.Names.Kind)
	require.Equal(t, crd.Spec.Names.Plural+"."+crd.Spec.Group, crd.Name)
	require.Len(t, crd.Spec.Versions, 1)
	version := crd.Spec.Versions[0]
	require.Equal(t, v1alpha1.GroupVersion().Version, version.Name)
	require.NotNil(t, version.Subresources.Status)
	schema := version.Schema.OpenAPIV3Schema
	compare(t, "spec", reflect.TypeFor[v1alpha1.OperatorSetSpec](), schema.Properties["spec"])
	compare(t, "status", reflect.TypeFor[v1alpha1.OperatorSetStatus](), schema.Properties["status"])
}

// compare compares a type with its schema recursively.
func compare(t *testing.T, path string, typ reflect.Type, schema apiextensionsv1.JSONSchemaProps) {
	t.Helper()
	switch {
	case typ == reflect.TypeFor[apiextensionsv1.JSON]():
		require.True(t, *schema.XPreserveUnknownFields, path)
		return
	case shape.Of(typ) != typ: // it has custom JSON encoding
		typ = shape.Of(typ)
	case typ == reflect.TypeFor[metav1.Time]():
		require.Equal(t, "string date-time", schema.Type+" "+schema.Format, path)
		return
	}
	switch typ.Kind() {
	case reflect.Pointer:
		compare(t, path, typ.Elem(), schema)
	case reflect.Slice:
		require.Equal(t, "array", schema.Type, path)
		compare(t, path+"[]", typ.Elem(), *schema.Items.Schema)
	case reflect.Struct:
		require.Equal(t, "object", schema.Type, path)
		compareFields(t, path, typ, schema)
	default:
		want := map[reflect.Kind]string{reflect.String: "string ", reflect.Bool: "boolean ",
			reflect.Int: "integer int64", reflect.Int32: "integer int32", reflect.Int64: "integer int64"}
		require.Equal(t, want[typ.Kind()], schema.Type+" "+schema.Format, path)
	}
}

func compareFields(t *testing.T, path string, typ reflect.Type, schema apiextensionsv1.JSONSchemaProps) {
	t.Helper()
	fields := make(map[string]bool)
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields[name] = true
		property, known := schema.Properties[name]
		require.True(t, known, "%s.%s is not in the schema", path, name)
		required := !strings.Contains(options, "omit")
		require.Equal(t, required, slices.Contains(schema.Required, name), "%s.%s: required differs", path, name)
		compare(t, path+"."+name, f.Type, property)
	}
	for name := range schema.Properties {
		require.True(t, fields[name], "%s.%s is not a field of the type", path, name)
	}
}
