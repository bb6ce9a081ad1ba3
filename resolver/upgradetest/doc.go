// Package upgradetest tests upgrade graphs: it finds what is wrong with a catalog for those
// who use it, and shows it on the smallest case that it can find.
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
// A failure has the file and line in the catalog, who is hit and why, and the file with the
// smallest case: a scenario that stands alone, to be changed and attached to a report. The
// commands beside it reproduce the finding: each prints its reason and exits with status 1.
//
// # Checks
//
//   - [CheckAll]: what should be true of a catalog, in a test
//   - [Run]: the same for programs, as a [Report]
//
// # Findings
//
// They are those of [catalogdiff.Check], which asks what an audit asks:
//
//   - newProblem: something in the catalog is wrong
//   - notInstallable: a version that is offered cannot be installed on an empty cluster
//   - headUnreachable: a version that is installed does not get to the head of its channel,
//     because upgrades end before it or repeat forever
//   - dependentBroken: a version holds back what it depends on, which alone gets to its head
//
// # Options
//
// [Options] say which findings and packages count, which flaws are known (an [Exception],
// or what was wrong already before a change), what surrounds the catalog, and what is written.
package upgradetest
