package upgradetest_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/upgradetest"
)

// printer is a test that prints what it is told; a real one is a *testing.T.
type printer struct{}

func (printer) Helper()                           {}
func (printer) Logf(format string, args ...any)   { fmt.Printf(format+"\n", args...) }
func (printer) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// database is a catalog of one package. Its newest version was made from 1.0.0 and
// takes the place of 1.1.0; who runs 1.1.0 is taken along, for it is skipped. But 1.1.1
// was published in between.
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

// All properties of a catalog, as in a test.
func ExampleCheckAll() {
	content, err := read(database)
	if err != nil {
		fmt.Println(err)
		return
	}
	upgradetest.CheckAll(printer{}, content, upgradetest.Options{NoFiles: true})
	// Output:
	// reachesHead: package database, channel stable: database.v1.1.0 [noEdge]
	//   property: every installed version reaches the head of its channel
	//   expected: database.v1.1.0 gets to database.v1.2.0, the head of channel stable
	//   happened: it is stuck at database.v1.1.0, which no replaces, skips or skipRange of channel stable leads away from
	//   smallest case: 3 bundles, not written
	//
	// addition: package database, at database.v1.2.0 [noCandidate+offChain+skipped]
	//   property: adding a bundle never makes a solvable request unsolvable unless it says so
	//   expected: database.v1.1.0 from channel stable can be installed with database.v1.2.0 in the catalog, as it could without: database.v1.1.0
	//   happened: the startingCSV database.v1.1.0 is not on the chain of replaces that leads down from the head; the next version that channel stable offers is database.v1.2.0
	//   smallest case: 3 bundles, not written
	//
	// seed 1
}

// One property, with a flaw that is known.
func ExampleException() {
	content, err := read(database)
	if err != nil {
		fmt.Println(err)
		return
	}
	upgradetest.CheckAll(printer{}, content, upgradetest.Options{
		Only:       []upgradetest.Property{upgradetest.ReachesHead},
		Exceptions: []upgradetest.Exception{{Name: "database.v1.1.0", Reason: "withdrawn after a day"}},
	})
	// Output:
	// known: reachesHead: package database, channel stable: database.v1.1.0 [noEdge] (withdrawn after a day)
}

// What is found as values, and the smallest case as a scenario.
func ExampleRun() {
	content, err := read(database)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := upgradetest.Run(context.Background(), content, upgradetest.Options{Only: []upgradetest.Property{upgradetest.ReachesHead}, NoFiles: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range report.Findings {
		fmt.Println(f.Property, f.Bundles, f.Code)
		if err := f.Small.Scenario.Write(os.Stdout, scenario.YAML); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// reachesHead [database.v1.1.0] noEdge
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
	// - {name: database.v1.1.0, catalog: olm/catalog, channel: stable}
	// subscriptions:
	// - name: database
	//   package: database
	//   channel: stable
	//   catalog: olm/catalog
	//   installedCSV: database.v1.1.0
	// expect: {status: resolved, set: [database.v1.2.0]}
}

// A catalog that may not get worse than it was.
func ExampleSince() {
	find := func(text string) []upgradetest.Finding {
		content, err := read(text)
		if err != nil {
			return nil
		}
		report, err := upgradetest.Run(context.Background(), content, upgradetest.Options{Shrink: -1, Skip: []upgradetest.Property{upgradetest.Addition}})
		if err != nil {
			return nil
		}
		return report.Findings
	}
	before := find(database)
	for _, f := range upgradetest.Since(before, find(strings.Replace(database, "defaultChannel: stable", "defaultChannel: fast", 1))) {
		fmt.Println(&f)
	}
	// Output:
	// sound: package database [defaultChannelUnknown]
}
