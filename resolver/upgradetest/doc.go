// Package upgradetest tests upgrade graphs: it checks what should be true of a catalog, and
// shows what is not true on the smallest case that it can find.
//
// In a Go test beside a catalog, one call checks everything:
//
//	func TestCatalog(t *testing.T) {
//		catalog, err := fbc.Load(t.Context(), os.DirFS("catalog"), fbc.Options{})
//		if err != nil {
//			t.Fatal(err)
//		}
//		upgradetest.CheckAll(t, catalog, upgradetest.Options{})
//	}
//
// A failure says what was expected, what happened, and in which file the smallest case
// is: a scenario that stands alone and that `resolute resolve` replays, to be looked
// at, changed, and attached to a report.
//
// # Checks
//
//   - [CheckAll]: the properties of a catalog, in a test
//   - [Run]: the same for programs, as a [Report]
//
// # Properties
//
//   - [Sound]: nothing in the catalog is wrong
//   - [Installable]: every candidate can be installed on an empty cluster
//   - [ReachesHead]: every installed version reaches the head of its channel
//   - [Dependents]: no update breaks a dependent
//   - [Addition]: adding a bundle never makes a solvable request unsolvable unless it
//     says so
//   - [Converges]: upgrade paths end
//
// # Options
//
// [Options] say which properties and packages are checked, which flaws are known (an
// [Exception], or an earlier report, kept by [WriteFindings] and [ReadFindings] and told
// apart by [Since]), what surrounds the catalog, how much is looked at, and what is
// written.
//
// # Large catalogs
//
// All cases of a catalog with thousands of bundles are looked at within seconds. Of
// more cases than Options.Sample allows, the seed chooses which, and the test's log says so.
// The same seed gives the same findings and the same files, byte for byte.
package upgradetest
