package upgradetest_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/resolver/upgradetest"
)

// printer is a test that prints its messages; a real one is a *testing.T.
type printer struct{}

func (printer) Helper()                           {}
func (printer) Logf(format string, args ...any)   { fmt.Printf(format+"\n", args...) }
func (printer) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// database is a catalog of one package. Its newest version was branched from 1.0.0 and skips
// 1.1.0, so that clusters on 1.1.0 are upgraded. But 1.1.1 was published in between.
const database = `---
schema: olm.package
name: database
defaultChannel: stable
---
schema: olm.channel
package: database
name: stable
entries:
- {name: database.v1.0.0}
- {name: database.v1.1.0, replaces: database.v1.0.0}
- {name: database.v1.1.1, replaces: database.v1.1.0}
- {name: database.v1.2.0, replaces: database.v1.0.0, skips: [database.v1.1.1]}
---
schema: olm.bundle
package: database
name: database.v1.0.0
image: registry.example/database.v1.0.0
properties:
- {type: olm.package, value: {packageName: database, version: 1.0.0}}
---
schema: olm.bundle
package: database
name: database.v1.1.0
image: registry.example/database.v1.1.0
properties:
- {type: olm.package, value: {packageName: database, version: 1.1.0}}
---
schema: olm.bundle
package: database
name: database.v1.1.1
image: registry.example/database.v1.1.1
properties:
- {type: olm.package, value: {packageName: database, version: 1.1.1}}
---
schema: olm.bundle
package: database
name: database.v1.2.0
image: registry.example/database.v1.2.0
properties:
- {type: olm.package, value: {packageName: database, version: 1.2.0}}
`

// read reads a catalog of one file.
func read(text string) (*cache.Catalog, error) {
	return fbc.Read(context.Background(), strings.NewReader(text), "catalog.yaml", fbc.Options{})
}

// Check a catalog in a test.
func ExampleCheckAll() {
	content, err := read(database)
	if err != nil {
		log.Fatal(err)
	}
	upgradetest.CheckAll(printer{}, content, upgradetest.Options{NoFiles: true})
	// Output:
	// catalog.yaml:22: headUnreachable: clusters on database.v1.1.0 (channel stable) cannot upgrade: channel stable has no upgrade edge from it; its head is database.v1.2.0
	//   smallest case: 3 bundles, not written
}

// A known flaw.
func ExampleException() {
	content, err := read(database)
	if err != nil {
		log.Fatal(err)
	}
	upgradetest.CheckAll(printer{}, content, upgradetest.Options{
		NoFiles:    true,
		Exceptions: []upgradetest.Exception{{Name: "database.v1.1.0", Reason: "withdrawn after a day"}},
	})
	// Output:
	// known: catalog.yaml:22: headUnreachable: clusters on database.v1.1.0 (channel stable) cannot upgrade: channel stable has no upgrade edge from it; its head is database.v1.2.0 (withdrawn after a day)
}

// The findings as values, and the smallest case as a scenario.
func ExampleRun() {
	content, err := read(database)
	if err != nil {
		log.Fatal(err)
	}
	report, err := upgradetest.Run(context.Background(), content, upgradetest.Options{NoFiles: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range report.Findings {
		fmt.Println(f.Code, f.Bundle)
		if err := f.Small.Scenario.Write(os.Stdout); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// headUnreachable database.v1.1.0
	// catalogs:
	// - name: catalog
	//   namespace: olm
	//   blobs:
	//   - {schema: olm.package, name: database, defaultChannel: stable}
	//   - schema: olm.channel
	//     package: database
	//     name: stable
	//     entries:
	//     - {name: database.v1.1.0}
	//     - {name: database.v1.1.1, replaces: database.v1.1.0}
	//     - {name: database.v1.2.0, skips: [database.v1.1.1]}
	//   - schema: olm.bundle
	//     package: database
	//     name: database.v1.1.0
	//     image: example.com/database.v1.1.0
	//     properties: [{type: olm.package, value: {packageName: database, version: 1.1.0}}]
	//   - schema: olm.bundle
	//     package: database
	//     name: database.v1.1.1
	//     image: example.com/database.v1.1.1
	//     properties: [{type: olm.package, value: {packageName: database, version: 1.1.1}}]
	//   - schema: olm.bundle
	//     package: database
	//     name: database.v1.2.0
	//     image: example.com/database.v1.2.0
	//     properties: [{type: olm.package, value: {packageName: database, version: 1.2.0}}]
	// installed:
	// - {name: database.v1.1.0, package: database, catalog: olm/catalog, channel: stable}
	// subscriptions:
	// - name: database
	//   package: database
	//   channel: stable
	//   catalog: olm/catalog
	//   installedCSV: database.v1.1.0
}

// A catalog must not regress.
func ExampleOptions_before() {
	before, err := read(database)
	if err != nil {
		fmt.Println(err)
		return
	}
	now, err := read(strings.Replace(database, "defaultChannel: stable", "defaultChannel: fast", 1))
	if err != nil {
		fmt.Println(err)
		return
	}
	upgradetest.CheckAll(printer{}, now, upgradetest.Options{Before: before, Shrink: -1})
	// Output:
	// catalog.yaml:2: newProblem: the default channel "fast" of package "database" does not exist: set defaultChannel to one of its channels, "stable"
}
