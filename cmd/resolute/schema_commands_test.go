package main

import (
	"maps"
	"reflect"
	"slices"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/mirror"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/audit"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
	"github.com/seed109e2655/resolute/resolver/olm"
)

// printer is a command with -o json: what it prints, in words, and the objects that a line of it
// can be.
type printer struct {
	command, prints string
	objects         []reflect.Type
}

type (
	auditSummary struct {
		// Summary sums up all bundles. It is the last line.
		Summary audit.Summary `json:"summary"`
	}
	readySummary struct {
		// Summary sums up all clusters. It is the last line, absent for one cluster.
		Summary upgrade.Summary `json:"summary"`
	}
)

// blobSchema is the schema of a blob of a file-based catalog, whatever its schema is.
var blobSchema = object{{"type", "object"}, {"properties", object{{"schema", object{{"description", "What the blob declares, for example olm.bundle."}, {"type", "string"}}}}}, {"required", []string{"schema"}}}

// printed are the commands with -o json.
func printed() []printer {
	failed := reflect.TypeFor[failure]()
	answer := reflect.TypeFor[answerOf]()
	return []printer{
		{"audit", "An object for each bundle, one a line, by catalog, package and bundle, and then one with the summary.", []reflect.Type{reflect.TypeFor[audit.Bundle](), reflect.TypeFor[auditSummary](), failed}},
		{"capture", "One object.", []reflect.Type{reflect.TypeFor[olm.Capture](), failed}},
		{"converge", "An object for each scenario, one a line, in the order of the arguments.", []reflect.Type{reflect.TypeFor[pathOf](), failed}},
		{"diff", "One object.", []reflect.Type{reflect.TypeFor[catalogdiff.Report](), failed}},
		{"explain", "One object. It is an answer if the scenario has no solution.", []reflect.Type{reflect.TypeFor[explanationOf](), answer, failed}},
		{"graph", "An object for each channel, one a line, the default channel first, then by name.", []reflect.Type{reflect.TypeFor[view.Channel](), failed}},
		{"images", "One object.", []reflect.Type{reflect.TypeFor[keptImages](), failed}},
		{"list", "One object.", []reflect.Type{reflect.TypeFor[listAnswer](), failed}},
		{"mirror", "One object.", []reflect.Type{reflect.TypeFor[mirror.Plan](), reflect.TypeFor[mirrorFailure](), failed}},
		{"needs", "One object. It is an answer if the scenario has no solution.", []reflect.Type{reflect.TypeFor[needsAnswer](), answer, failed}},
		{"ready", "An object for each cluster, one a line, and then one with the summary of several.", []reflect.Type{reflect.TypeFor[upgrade.Report](), reflect.TypeFor[readySummary](), failed}},
		{"render", "A blob of a file-based catalog a line, with whatever keys it has.", nil},
		{"resolve", "An object for each scenario, one a line, in the order of the arguments.", []reflect.Type{answer, failed}},
		{"test", "An object for each scenario, one a line, in the order of the arguments.", []reflect.Type{reflect.TypeFor[view.Verdict](), failed}},
		{"try", "One object: an answer, or with --explain an explanation.", []reflect.Type{answer, reflect.TypeFor[explanationOf](), failed}},
		{"upgrade", "One object.", []reflect.Type{reflect.TypeFor[upgradeAnswer](), failed}},
		{"validate", "One object about all catalogs.", []reflect.Type{reflect.TypeFor[validated](), failed}},
		{"verify", "One object.", []reflect.Type{reflect.TypeFor[verified](), failed}},
		{"version", "One object.", []reflect.Type{reflect.TypeFor[versionAnswer](), failed}},
		{"whatif", "An object for each scenario, one a line, in the order of the arguments.", []reflect.Type{answer, failed}},
	}
}

// moreConstants are the packages that declare further constants of a type.
var moreConstants = map[string][]string{
	"graph.Code": {module + "cache/fbc/internal/read", module + "cache/fbc/bundledir"},
}

// codes are the values of keys whose types do not have them, by type and field.
func codes(s *schemas) map[string][]any {
	rejections := s.source.values(s.t, reflect.TypeFor[argument.Rejection]())
	flaws := matched(s.t, `Code: "(\w+)"`, "graph", "cache", "cache/fbc/internal/read")
	dumps := append(s.source.prefixed(s.t, "resolver/olm/internal/dump", "Code"), matched(s.t, `Problem\{.*Code: "(\w+)"`, "resolver/olm")...)
	problems := slices.Concat(s.source.values(s.t, reflect.TypeFor[graph.Code]()), flaws, dumps)
	return map[string][]any{
		"graph.Problem.Code":          unique(problems),
		"catalogdiff.Finding.Problem": unique(problems),
		"trace.Candidate.Verdict":     append(anyOf("chosen"), rejections...),
		"resolver.Warning.Code":       anyOf(string(resolver.CRDStoredVersionRemoved), string(resolver.CRDServedVersionRemoved)),
		"resolver.Change.Kind":        matched(s.t, `Change\{+Kind: "(\w+)"`, "resolver", "resolver/whatif"),
		"resolver.Change.Who":         anyOf("administrator", "author"),
		"resolver.Change.Of":          anyOf("package", "channel", "catalog"),
		"catalogdiff.Change.Kind":     matched(s.t, `Change\{Kind: "(\w+)"`, "resolver/catalogdiff"),
		"catalogdiff.Finding.Code":    anyOf(slices.Sorted(maps.Keys(catalogdiff.Codes()))...),
		"graph.Problem.Quarantined":   s.source.prefixed(s.t, "graph", "scope"),
		"main.failure.Status":         anyOf("invalid", "incomplete"),
		"main.upgradeAnswer.Status":   anyOf("resolved", "path", "unsatisfiable", "invalid", "incomplete"),
		"main.verified.Proves":        anyOf("resolved", "partial", "unsatisfiable"),
		"main.verified.Claim":         anyOf("request", "catalog", "bundle", "lemma", "decision", "rejected", "set", "facts", "witness"),
		"olm.Observed.Status":         anyOf("resolved", "unsatisfiable", "failed", "unknown"),
		"olm.PendingPlan.Verdict":     matched(s.t, `p\.Verdict = "(\w+)"`, "resolver/olm"),
		"olm.Migration.Verdict":       s.source.prefixed(s.t, "resolver/olm", "Verdict"),
		"olm.MigrationReason.Code":    anyOf("C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9", "C10"),
		"olm.Finding.Code":            append(matched(s.t, `\.(?:found|warn)\("(\w+)"`, "resolver/olm"), s.source.prefixed(s.t, "resolver/olm", "code")...),
		"upgrade.Step.When":           anyOf("before", "upgrade", "after"),
		"upgrade.Step.Action":         anyOf("install", "upgrade", "upgradeCluster"),
		"draw.Deprecation.Schema":     anyOf("olm.package", "olm.channel", "olm.bundle"),
	}
}

// unique are values, each once.
func unique(values []any) []any {
	var out []any
	for _, v := range values {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// described are keys whose type says nothing about them, by type and field or by key alone.
var described = map[string]string{
	"summary":                    "The summary, on the last line.",
	"clusters":                   "How many clusters there are.",
	"verdict":                    "What has to be done about the operator.",
	"code":                       "A stable code.",
	"replaces":                   "The installed bundle that an upgrade replaces.",
	"from":                       "The bundle that is replaced.",
	"to":                         "The bundle that replaces it.",
	"file":                       "The file that it is about, as named on the command line or found in a directory.",
	"upgrade.Summary.Ready":      "How many clusters have this status.",
	"upgrade.Summary.After":      "How many clusters have this status.",
	"upgrade.Summary.Before":     "How many clusters have this status.",
	"upgrade.Summary.Blocked":    "How many clusters have this status.",
	"upgrade.Summary.Invalid":    "How many clusters have this status.",
	"upgrade.Summary.Incomplete": "How many clusters have this status.",
	"view.Verdict.Result":        "ok: the answer is as expected; fail: it differs; none: nothing is expected; error: the scenario cannot be read; stopped: a limit of time or work was reached.",
	"view.Verdict.Differences":   "Where the answer differs from what is expected.",
	"view.standing.Successors":   "The bundles that it can be upgraded to in one step, the preferred one first.",
	"view.standing.ToHead":       "The shortest upgrade path to the head of the channel; absent if there is none.",
	"apiVersion":                 "The group and the version of the object.",
	"because":                    "Why it is there; at least one reason.",
	"besides":                    "The steps that approving the whole namespace would take as well.",
	"bundle":                     "The name of a bundle.",
	"catalog":                    "The key of a catalog, namespace/name; of a mirror, the reference of its image.",
	"channel":                    "The name of a channel.",
	"clauses":                    "How many clauses the formula has.",
	"conflict":                   "Why it cannot be.",
	"constraint":                 "What is required, in words.",
	"defaultChannel":             "The default channel of the package.",
	"displayName":                "The name for people, of the head of the default channel.",
	"error":                      "What is wrong, or what stopped the work, in words that may change.",
	"findings":                   "What stands out, by code and subject.",
	"go":                         "The version of Go that built the program.",
	"group":                      "The API group.",
	"installed":                  "The name of an installed bundle.",
	"kind":                       "A stable code.",
	"message":                    "A sentence for people. It is not stable.",
	"name":                       "The name.",
	"namespace":                  "The namespace.",
	"package":                    "The name of a package.",
	"platform":                   "The operating system and the processor, as in linux/amd64.",
	"purpose":                    "What the solver is called for.",
	"reasons":                    "The rules that stand against it.",
	"served":                     "Whether the API server serves the version.",
	"set":                        "The names of all bundles of the result set, sorted.",
	"status":                     "How the resolution ended.",
	"steps":                      "The bundles of the result set in the order of the work.",
	"storage":                    "Whether objects are stored in the version.",
	"subscription":               "The name of a subscription.",
	"text":                       "A sentence for people. It is not stable.",
	"tookMs":                     "How long it took, in milliseconds; absent unless it was asked for.",
	"variables":                  "How many variables the formula has.",
	"version":                    "The version.",
	"versionRange":               "The versions that are asked for.",

	"...CELCost":                                "The cost of the evaluated rules, in units of CEL.",
	"argument.Fact.Kind":                        "The stable code of the fact.",
	"argument.Fact.Subject":                     "What the fact is about: the name of a subscription, a bundle or a package, or an API as group/version/Kind.",
	"main.keptImages.Images":                    "The images that are kept, used last first.",
	"main.listAnswer.Packages":                  "The packages that match, by name.",
	"main.listedPackage.Channels":               "The names of its channels.",
	"main.upgradeAnswer.Companions":             "The bundles that have to move with the named subscriptions, each with its reasons.",
	"main.upgradeRound.Steps":                   "What the round changes, in the order of the work.",
	"mirror.Problem.Code":                       "The stable code of the problem.",
	"olm.Capture.Catalogs":                      "The catalogs of the cluster.",
	"olm.Capture.Cluster":                       "The versions of the cluster.",
	"olm.Capture.Namespaces":                    "The namespaces with subscriptions or operators.",
	"olm.Catalog.Priority":                      "The priority of the catalog; the highest goes first.",
	"olm.ClusterExtension.Kind":                 "ClusterExtension.",
	"olm.ClusterExtension.Metadata":             "The metadata of the object.",
	"olm.ClusterExtension.Spec":                 "What is asked for.",
	"olm.ClusterExtensionSpec.Config":           "The configuration of the operator.",
	"olm.ClusterExtensionSpec.Source":           "Where the bundle comes from.",
	"olm.ExtensionCatalog.Channels":             "The channels that are followed; all if there are none.",
	"olm.ExtensionCatalog.PackageName":          "The name of the package.",
	"olm.ExtensionCatalog.Selector":             "The catalogs, by their labels.",
	"olm.ExtensionCatalog.Version":              "The version, or the range of versions.",
	"olm.ExtensionConfig.ConfigType":            "The type of the configuration.",
	"olm.ExtensionConfig.Inline":                "The configuration itself.",
	"olm.ExtensionSelector.MatchLabels":         "The labels that a catalog has to have.",
	"olm.ExtensionSource.Catalog":               "What is asked of catalogs.",
	"olm.ExtensionSource.SourceType":            "The type of the source: Catalog.",
	"olm.Extensions.Observed":                   "What OLM v1 says.",
	"olm.Extensions.Scenario":                   "The resolution problem of all extensions.",
	"olm.Namespace.Observed":                    "What OLM says of the namespace.",
	"resolver.Correction.Changes":               "The changes, all to be made together.",
	"resolver.LabelRequirement.Key":             "The label.",
	"resolver.LabelRequirement.Values":          "The values that the label is compared with.",
	"resolver.stepJSON.AlsoReplaces":            "Further installed bundles that an upgrade replaces; there hardly ever are any.",
	"resolver.stepJSON.Extension":               "The extension of the plan that the bundle becomes.",
	"resolver.stepJSON.Subscription":            "The subscription that a dependency gets.",
	"resolver.stepSubscriptionJSON.StartingCSV": "The bundle to start with.",
	"scenario.Add.Installed":                    "The bundles that are added.",
	"scenario.Add.Subscriptions":                "The subscriptions that are added.",
	"scenario.Better.Rule":                      "The rule that decides, in words.",
	"scenario.Drop.Installed":                   "The names of the bundles that are removed.",
	"scenario.Drop.Subscriptions":               "The names of the subscriptions that are dropped.",
	"scenario.Explanation.In":                   "Whether the bundle is in the result.",
	"scenario.Property.Type":                    "The type of the property.",
	"scenario.Property.Value":                   "The value of the property, of any type.",
	"trace.Decision.Kind":                       "What the decision is about.",
	"trace.Solve.Satisfiable":                   "How many calls found a solution.",
	"trace.Solve.Stopped":                       "How many calls were stopped.",
	"trace.Solve.Unsatisfiable":                 "How many calls found that there is none.",
}
