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
	"github.com/seed109e2655/resolute/resolver/lock"
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
		{"channels", "One object. It is an answer if the scenario cannot be resolved at all.", []reflect.Type{reflect.TypeFor[view.Channels](), answer, failed}},
		{"converge", "An object for each scenario, one a line, in the order of the arguments.", []reflect.Type{reflect.TypeFor[pathOf](), failed}},
		{"diff", "One object.", []reflect.Type{reflect.TypeFor[catalogdiff.Report](), failed}},
		{"explain", "One object. It is an answer if the scenario has no solution.", []reflect.Type{reflect.TypeFor[explanationOf](), answer, failed}},
		{"graph", "An object for each channel, one a line, the default channel first, then by name. With --across, one object.", []reflect.Type{reflect.TypeFor[view.Channel](), reflect.TypeFor[view.Channels](), failed}},
		{"images", "One object.", []reflect.Type{reflect.TypeFor[keptImages](), failed}},
		{"list", "One object.", []reflect.Type{reflect.TypeFor[listAnswer](), failed}},
		{"lock", "One object: the lock, as its file has it in YAML, or an answer if there is no solution.", []reflect.Type{reflect.TypeFor[lock.Lock](), answer, failed}},
		{"mirror", "One object.", []reflect.Type{reflect.TypeFor[mirror.Plan](), reflect.TypeFor[mirrorFailure](), failed}},
		{"needs", "One object. It is an answer if the scenario has no solution.", []reflect.Type{reflect.TypeFor[needsAnswer](), answer, failed}},
		{"ready", "An object for each cluster, one a line, and then one with the summary of several.", []reflect.Type{reflect.TypeFor[upgrade.Report](), reflect.TypeFor[readySummary](), failed}},
		{"render", "A blob of a file-based catalog a line, with whatever keys it has.", nil},
		{"resolve", "An object for each scenario, one a line, in the order of the arguments.", []reflect.Type{answer, failed}},
		{"test", "An object for each scenario, one a line, in the order of the arguments.", []reflect.Type{reflect.TypeFor[view.Verdict](), failed}},
		{"try", "One object: an answer, or with --explain an explanation.", []reflect.Type{answer, reflect.TypeFor[explanationOf](), failed}},
		{"upgrade", "One object.", []reflect.Type{reflect.TypeFor[upgradeAnswer](), failed}},
		{"validate", "One object about all catalogs.", []reflect.Type{reflect.TypeFor[validated](), failed}},
		{"verify", "One object, about a certificate or about a lock.", []reflect.Type{reflect.TypeFor[verified](), reflect.TypeFor[verifiedLock](), failed}},
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
		"catalogdiff.Change.Kind":     matched(s.t, `Change\{Kind: "(\w+)"`, "resolver/catalogdiff"),
		"catalogdiff.Finding.Code":    anyOf(slices.Sorted(maps.Keys(catalogdiff.Codes()))...),
		"graph.Problem.Quarantined":   s.source.prefixed(s.t, "graph", "scope"),
		"main.failure.Status":         anyOf("invalid", "incomplete"),
		"main.upgradeAnswer.Status":   anyOf("resolved", "path", "unsatisfiable", "invalid", "incomplete"),
		"main.verified.Proves":        anyOf("resolved", "partial", "unsatisfiable"),
		"main.verified.Claim":         anyOf("request", "catalog", "bundle", "lemma", "decision", "rejected", "set", "facts", "witness"),
		"resolver.Proof.Status":       anyOf("resolved", "partial", "unsatisfiable"),
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

// described has descriptions of keys without a field comment, by type and field or by key.
var described = map[string]string{
	"summary":                    "The summary, on the last line.",
	"clusters":                   "The number of clusters.",
	"verdict":                    "The action that the operator requires.",
	"code":                       "A stable code.",
	"replaces":                   "The installed bundle that an upgrade replaces.",
	"from":                       "The replaced bundle.",
	"to":                         "The replacing bundle.",
	"file":                       "The file, as named on the command line or found in a directory.",
	"upgrade.Summary.Ready":      "The number of clusters with this status.",
	"upgrade.Summary.After":      "The number of clusters with this status.",
	"upgrade.Summary.Before":     "The number of clusters with this status.",
	"upgrade.Summary.Blocked":    "The number of clusters with this status.",
	"upgrade.Summary.Invalid":    "The number of clusters with this status.",
	"upgrade.Summary.Incomplete": "The number of clusters with this status.",
	"view.Verdict.Result":        "ok: the answer is as expected; fail: it differs; none: no expectation; error: the scenario is unreadable; stopped: a time or work limit was reached.",
	"view.Verdict.Differences":   "The differences from the expectation.",
	"view.standing.Successors":   "The bundles that it can be upgraded to in one step, the preferred one first.",
	"view.standing.ToHead":       "The shortest upgrade path to the head of the channel; absent if there is none.",
	"apiVersion":                 "The group and the version of the object.",
	"because":                    "The reasons for the bundle; at least one.",
	"besides":                    "The further steps of approving the whole namespace.",
	"bundle":                     "The name of a bundle.",
	"catalog":                    "The key of a catalog, namespace/name; of a mirror, the reference of its image.",
	"channel":                    "The name of a channel.",
	"clauses":                    "The number of clauses of the formula.",
	"conflict":                   "The conflict that prevents it.",
	"constraint":                 "The requirement as text.",
	"defaultChannel":             "The default channel of the package.",
	"displayName":                "The display name of the head of the default channel.",
	"error":                      "The fault, or the reason for stopping. Its text is not stable.",
	"findings":                   "The findings, by code and subject.",
	"go":                         "The version of Go that built the program.",
	"group":                      "The API group.",
	"installed":                  "The name of an installed bundle.",
	"kind":                       "A stable code.",
	"message":                    "A sentence. Its text is not stable.",
	"name":                       "The name.",
	"namespace":                  "The namespace.",
	"package":                    "The name of a package.",
	"platform":                   "The operating system and the processor, as in linux/amd64.",
	"purpose":                    "The purpose of the solver call.",
	"reasons":                    "The rules that it violates.",
	"served":                     "Whether the API server serves the version.",
	"set":                        "The names of all bundles of the result set, sorted.",
	"status":                     "The outcome of the resolution.",
	"steps":                      "The bundles of the result set, in execution order.",
	"storage":                    "Whether objects are stored in the version.",
	"subscription":               "The name of a subscription.",
	"text":                       "A sentence. Its text is not stable.",
	"tookMs":                     "The duration in milliseconds; absent unless requested.",
	"variables":                  "The number of variables of the formula.",
	"version":                    "The version.",
	"versionRange":               "The requested versions.",

	"...CELCost":                                "The cost of the evaluated rules, in units of CEL.",
	"argument.Fact.Kind":                        "The stable code of the fact.",
	"argument.Fact.Subject":                     "The subject of the fact: the name of a subscription, a bundle or a package, or an API as group/version/Kind.",
	"main.keptImages.Images":                    "The cached images, most recently used first.",
	"main.listAnswer.Packages":                  "The matching packages, by name.",
	"listing.Package.Channels":                  "The names of its channels.",
	"main.upgradeAnswer.Companions":             "The bundles that must change with the given subscriptions, each with its reasons.",
	"main.upgradeRound.Steps":                   "The changes of the round, in execution order.",
	"mirror.Problem.Code":                       "The stable code of the problem.",
	"olm.Capture.Catalogs":                      "The catalogs of the cluster.",
	"olm.Capture.Cluster":                       "The versions of the cluster.",
	"olm.Capture.Namespaces":                    "The namespaces with subscriptions or operators.",
	"olm.Catalog.Priority":                      "The priority of the catalog; the highest is preferred.",
	"olm.ClusterExtension.Kind":                 "ClusterExtension.",
	"olm.ClusterExtension.Metadata":             "The metadata of the object.",
	"olm.ClusterExtension.Spec":                 "The specification of the object.",
	"olm.ClusterExtensionSpec.Config":           "The configuration of the operator.",
	"olm.ClusterExtensionSpec.Source":           "The source of the bundle.",
	"olm.ExtensionCatalog.Channels":             "The allowed channels; empty means all.",
	"olm.ExtensionCatalog.PackageName":          "The name of the package.",
	"olm.ExtensionCatalog.Selector":             "The catalogs, by their labels.",
	"olm.ExtensionCatalog.Version":              "The version, or the range of versions.",
	"olm.ExtensionConfig.ConfigType":            "The type of the configuration.",
	"olm.ExtensionConfig.Inline":                "The configuration itself.",
	"olm.ExtensionSelector.MatchLabels":         "The labels that a catalog must have.",
	"olm.ExtensionSource.Catalog":               "The catalog source.",
	"olm.ExtensionSource.SourceType":            "The type of the source: Catalog.",
	"olm.Extensions.Observed":                   "The status reported by OLM v1.",
	"olm.Extensions.Scenario":                   "The resolution problem of all extensions.",
	"olm.Namespace.Observed":                    "The status that OLM reports for the namespace.",
	"resolver.LabelRequirement.Key":             "The label.",
	"resolver.LabelRequirement.Values":          "The values that the label is compared with.",
	"resolver.stepJSON.AlsoReplaces":            "Further installed bundles that an upgrade replaces; rarely present.",
	"resolver.stepJSON.Extension":               "The planned extension for the bundle.",
	"resolver.stepJSON.Subscription":            "The subscription created for a dependency.",
	"resolver.stepSubscriptionJSON.StartingCSV": "The bundle to start with.",
	"certificate.Catalog.Digest":                "The digest of its content, without positions in files.",
	"certificate.Catalog.Key":                   "The key of the catalog, namespace/name.",
	"resolver.Proof.Status":                     "The answer that is proven.",
	"resolver.ProofBundle.Catalog":              "The key of its catalog; absent for an installed bundle.",
	"resolver.ProofBundle.ID":                   "The number of the bundle, from 1.",
	"resolver.ProofBundle.Installed":            "Whether it is an installed bundle, and not one of a catalog.",
	"resolver.ProofBundle.Package":              "The package, where the catalog has several bundles of the name.",
	"resolver.ProofDecision.Chosen":             "The number of the selected bundle or option.",
	"resolver.ProofDecision.Demand":             "The subject of the decision.",
	"resolver.ProofDecision.Rejected":           "The numbers of the better ones, the best first.",
	"resolver.ProofDemand.Bundle":               "The number of a bundle that requires something.",
	"resolver.ProofDemand.Constraint":           "The number of its constraint, from 0.",
	"resolver.ProofDemand.Forced":               "The name of a forced bundle.",
	"resolver.ProofDemand.Part":                 "The number of the part of the constraint, from 0.",
	"resolver.ProofFact.Subject":                "The name that the fact is about.",
	"resolver.ProofLeft.Conflict":               "The proof that it cannot be met.",
	"resolver.ProofLeft.Subscription":           "The name of the subscription.",
	"resolver.ProofOption.Bundle":               "The number of the bundle that declares the constraint.",
	"resolver.ProofOption.Constraint":           "The number of the constraint, from 0.",
	"resolver.ProofOption.ID":                   "The number of the option, after those of the bundles.",
	"resolver.ProofOption.Option":               "The number of the option among those of the part, from 0.",
	"resolver.ProofWitness.Set":                 "The numbers of the bundles of the set.",
	"resolver.ProofWitness.Without":             "The number of the fact that does not hold, from 0.",
	"scenario.Add.Installed":                    "The added bundles.",
	"scenario.Add.Subscriptions":                "The added subscriptions.",
	"scenario.Better.Rule":                      "The deciding rule, as text.",
	"scenario.Drop.Installed":                   "The names of the removed bundles.",
	"scenario.Drop.Subscriptions":               "The names of the dropped subscriptions.",
	"scenario.Explanation.In":                   "Whether the bundle is in the result.",
	"scenario.Property.Type":                    "The type of the property.",
	"scenario.Property.Value":                   "The value of the property, of any type.",
	"trace.Decision.Kind":                       "The subject of the decision.",
	"trace.Solve.Satisfiable":                   "The number of satisfiable calls.",
	"trace.Solve.Stopped":                       "The number of stopped calls.",
	"trace.Solve.Unsatisfiable":                 "The number of unsatisfiable calls.",
}
