package image_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"testing"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/image"
)

// This reads the catalog in an OCI image layout. One in a registry is read the same way.
func ExampleNew() {
	ref, err := image.Parse("oci:" + exampleLayout())
	if err != nil {
		log.Fatal(err)
	}
	source, err := image.New(ref, image.Options{
		Keychain: image.DefaultKeychain(os.Getenv), // for images in a registry
		FBC:      fbc.Options{Catalog: cache.Key{Namespace: "olm", Name: "operatorhubio"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	first, err := source.Load(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	second, err := source.Load(ctx, first)
	fmt.Println(first.Catalog.Package("etcd").Name, "with", first.Catalog.Len(), "bundle")
	fmt.Println("unchanged:", first == second, err)
	// Output:
	// etcd with 1 bundle
	// unchanged: true <nil>
}

// This lists the files of a catalog, as they are in the image.
func ExampleOpen() {
	ref, err := image.Parse("oci:" + exampleLayout())
	if err != nil {
		log.Fatal(err)
	}
	files, err := image.Open(context.Background(), ref, image.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer files.Close()
	names, err := fs.Glob(files, "*.json")
	fmt.Println(files.Folder(), names, err)
	// Output:
	// /configs [etcd.json] <nil>
}

// This caches an image and lists the store.
func ExampleOpenStore() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store, err := image.OpenStore(dir, image.StoreOptions{MaxBytes: 1 << 30})
	if err != nil {
		log.Fatal(err)
	}
	ref, err := image.Parse("oci:" + exampleLayout())
	if err != nil {
		log.Fatal(err)
	}
	files, err := image.Open(context.Background(), ref, image.Options{Store: store})
	if err != nil {
		log.Fatal(err)
	}
	defer files.Close()
	kept, err := store.List()
	fmt.Println(len(kept), "image,", kept[0].Digest == files.Digest(), err)
	fmt.Println(store.Clear())
	// Output:
	// 1 image, true <nil>
	// <nil>
}

func ExampleParse() {
	for _, text := range []string{"quay.io/operatorhubio/catalog", "oci:layout:v1", "quay.io/Operators/Catalog"} {
		ref, err := image.Parse(text)
		var wrong *image.ReferenceError
		if errors.As(err, &wrong) {
			fmt.Println("not a reference:", wrong.Reason)
			continue
		}
		fmt.Println(ref.Transport, ref)
	}
	// Output:
	// docker quay.io/operatorhubio/catalog:latest
	// oci oci:layout:v1
	// not a reference: the name of an image must not contain uppercase letters
}

func ExampleIsReference() {
	exists := func(path string) bool { _, err := os.Stat(path); return err == nil }
	for _, text := range []string{"quay.io/operatorhubio/catalog:latest", "catalogs/community", "my.catalogs/community.yaml", "oci:layout"} {
		fmt.Println(text, image.IsReference(text, exists))
	}
	// Output:
	// quay.io/operatorhubio/catalog:latest true
	// catalogs/community false
	// my.catalogs/community.yaml false
	// oci:layout true
}

// This reads the pull secret of a cluster.
func ExamplePullSecret() {
	secret := []byte(`{"auths":{"registry.example.com/team":{"username":"robot","password":"secret"}}}`)
	keychain, err := image.PullSecret("secret olm/pull", secret)
	if err != nil {
		log.Fatal(err)
	}
	found, err := keychain.Credentials(context.Background(), "registry.example.com/team/catalog")
	fmt.Println(found, err)
	// Output:
	// [credential of secret olm/pull] <nil>
}

// exampleDir is the directory of the examples' layout.
var exampleDir string

// exampleLayout returns an image layout with one operator.
func exampleLayout() string { return exampleDir }

// writeExample writes the examples' layout into a new directory.
func writeExample() (err error) {
	if exampleDir, err = os.MkdirTemp("", "image-example"); err != nil {
		return err
	}
	good(exampleTB{}).layout(exampleTB{})
	return nil
}

// exampleTB implements the part of testing.TB that the helpers need.
type exampleTB struct{ testing.TB }

func (exampleTB) Helper()               {}
func (exampleTB) Errorf(string, ...any) {}
func (exampleTB) FailNow()              { panic("cannot set up the example") }
func (exampleTB) TempDir() string       { return exampleDir }
