// Package upgradetest tests upgrade graphs: it finds the errors of a catalog that affect its
// users, and shrinks each to a small case.
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
// A failure has the file and line in the catalog, the affected clusters, the reason, and the file
// with the smallest case: a self-contained scenario to experiment with, or to attach to a report. The
// commands beside it reproduce the finding: each prints its reason and exits with status 1.
//
// # Checks
//
//   - [CheckAll]: check a catalog in a test
//   - [Run]: check a catalog in a program, with a [Report]
//
// # Findings
//
// The findings are those of [catalogdiff.Check], which uses an audit:
//
//   - newProblem: the catalog has an error
//   - notInstallable: an offered version cannot be installed on an empty cluster
//   - headUnreachable: an installed version does not reach the head of its channel,
//     because upgrades end before it or repeat forever
//   - dependentBroken: a version holds back a dependency, which alone reaches its head
//
// # Options
//
// [Options] select findings and packages, list known flaws (an [Exception], or a state of the
// catalog before a change), describe the environment, and configure the written files.
package upgradetest
