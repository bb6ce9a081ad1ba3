package olm_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// operator returns a bundle of shop as the installed operator of subscription name.
func operator(name, version, properties string) string {
	return object("ClusterServiceVersion", "shop/"+name, "  annotations: {operatorframework.io/properties: '{\"properties\":["+properties+"]}'}\n"+
		"spec: {version: "+version+", installModes: [{type: AllNamespaces, supported: true}]}\nstatus: {phase: Succeeded}")
}

func property(typ, value string) string { return fmt.Sprintf(`{"type":%q,"value":%s}`, typ, value) }

func isPackage(name, version string) string {
	return property("olm.package", fmt.Sprintf(`{"packageName":%q,"version":%q}`, name, version))
}

func subscribes(pkg, installed, more string) string {
	return object("Subscription", "shop/"+pkg, "spec: {name: "+pkg+", source: goods, sourceNamespace: shop"+more+"}\nstatus: {state: AtLatestKnown, installedCSV: "+installed+", currentCSV: "+installed+"}")
}

// everywhere is a group that watches all namespaces, and a catalog that OLM v1 also serves.
var everywhere = object("OperatorGroup", "shop/group", "spec: {}") + goods + object("ClusterCatalog", "goods", `spec: {source: {image: {ref: "goods:v1"}}}`)

// writeCatalog writes a catalog of package universe, and returns its path.
func writeCatalog(t testing.TB, lines string) string {
	path := filepath.Join(t.TempDir(), "goods.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(universe.JSON(t, lines)), 0o600))
	return path
}

// migrations returns the migrations of a dump, judged with the content of catalogs.
func migrations(t testing.TB, catalogs map[string]string, objects ...string) []olm.Migration {
	c := new(olm.Cluster)
	require.NoError(t, c.Read(t.Context(), strings.NewReader(strings.Join(objects, "")), "objects.yaml"))
	captured := captureOf(t, c, olm.Options{Migration: true, Catalogs: catalogs})
	judgeAll(t, captured)
	return captured.Migration
}

func judgeAll(t testing.TB, captured *olm.Capture) {
	loader := new(scenario.Loader)
	require.NoError(t, captured.JudgeMigrations(t.Context(), new(resolver.Resolver), func(ctx context.Context, s *scenario.Scenario) (resolver.Request, error) {
		loaded, err := loader.Load(ctx, s)
		if err != nil {
			return resolver.Request{}, err
		}
		return loaded.Request, nil
	}))
}

// reason returns the text of a reason by its code; empty if there is none.
func reason(m olm.Migration, code string) string {
	for _, r := range m.Reasons {
		if r.Code == code {
			return r.Text
		}
	}
	return ""
}

// Rule C2 counts and names every kind of requirement, and lists the order in which a resolution
// with dependencies Plan turns them into extensions.
func TestMigrationOrder(t *testing.T) {
	const (
		web   = `{"packageName":"web","versionRange":">=1.0.0"}`
		cache = `{"packageName":"cache","versionRange":"1.x"}`
		site  = `{"group":"example.com","version":"v1","kind":"Site"}`
	)
	lines := `
		app/x app.v1
		web/x web.v1 web.v2
		cache/x cache.v1
		bundle web.v1 provides=Site needs=cache@1.x
		bundle web.v2 provides=Site needs=cache@1.x
		property web.v1 olm.label {"label":"fast"}
		property web.v2 olm.label {"label":"fast"}`
	webIs := operator("web.v1", "1.0.0", isPackage("web", "1.0.0")+","+property("olm.gvk", site)+","+property("olm.label", `{"label":"fast"}`)+","+property("olm.package.required", cache))
	cacheIs := operator("cache.v1", "1.0.0", isPackage("cache", "1.0.0"))
	others := webIs + cacheIs + subscribes("web", "web.v1", ", channel: x") + subscribes("cache", "cache.v1", ", channel: x")
	anyOf := `{"any":{"constraints":[{"package":{"packageName":"none","versionRange":"1.x"}},{"package":` + web + `}]}}`
	for name, tt := range map[string]struct {
		requires []string // type and value of each
		others   string
		read     bool // the catalog
		says     []string
	}{
		"package, from the catalog":    {[]string{"olm.package.required", web}, "", true, []string{"package web in range >=1.0.0", "in this order: cache.v1, web.v2, app.v1"}},
		"package, as installed":        {[]string{"olm.package.required", web}, others, true, []string{"in this order: cache.v1, web.v1, app.v1"}},
		"package, one installed":       {[]string{"olm.package.required", web}, cacheIs + subscribes("cache", "cache.v1", ", channel: x"), true, []string{"in this order: cache.v1, web.v2, app.v1"}},
		"installed, catalog not read":  {[]string{"olm.package.required", web}, others, false, []string{"in this order: cache.v1, web.v1, app.v1"}},
		"none installed, catalog not":  {[]string{"olm.package.required", web}, "", false, []string{"package web in range >=1.0.0", "unknown without the content of catalog shop/goods"}},
		"installed, and too old":       {[]string{"olm.package.required", `{"packageName":"web","versionRange":">=2.0.0"}`}, others, true, []string{"in this order: cache.v1, web.v2, app.v1"}},
		"gone from the catalog":        {[]string{"olm.package.required", web}, "gone", true, []string{"in this order: cache.v1, web.v1, app.v1"}},
		"API":                          {[]string{"olm.gvk.required", site}, "", true, []string{"example.com/v1/Site", "in this order: cache.v1, web.v2, app.v1"}},
		"label":                        {[]string{"olm.label.required", `{"label":"fast"}`}, "", true, []string{"fast", "in this order: cache.v1, web.v2, app.v1"}},
		"constraint":                   {[]string{"olm.constraint", anyOf}, "", true, []string{"none", "web", "in this order: cache.v1, web.v2, app.v1"}},
		"a prohibited package":         {[]string{"olm.package.required", cache, "olm.constraint", `{"not":{"constraints":[{"package":{"packageName":"web","versionRange":">=2.0.0"}}]}}`}, others, true, []string{"in this order: cache.v1, app.v1"}},
		"missing in all catalogs":      {[]string{"olm.package.required", `{"packageName":"none","versionRange":"1.x"}`}, "", true, []string{"`dependencies: Plan` there is no solution", "none"}},
		"several":                      {[]string{"olm.package.required", cache, "olm.gvk.required", site}, "", true, []string{"package cache", "example.com/v1/Site", "in this order: cache.v1, web.v2, app.v1"}},
		"the specification requires":   {nil, "spec", true, []string{"example.com/v1/Site", "in this order: cache.v1, web.v2, app.v1"}},
		"the bundle in the catalog":    {nil, "catalog", true, []string{"package cache", "in this order: cache.v1, app.v1"}},
		"a lookup of its install plan": {nil, "lookup", true, []string{"package cache", "in this order: cache.v1, app.v1"}},
	} {
		t.Run(name, func(t *testing.T) {
			var requires strings.Builder
			for i := 0; i < len(tt.requires); i += 2 {
				requires.WriteString("," + property(tt.requires[i], tt.requires[i+1]))
			}
			app, lines, more := operator("app.v1", "1.0.0", isPackage("app", "1.0.0")+requires.String()), lines, tt.others
			switch tt.others {
			case "gone":
				lines, more = strings.Replace(lines, "app/x app.v1", "app/x app.v3", 1), others
			case "spec":
				app, more = strings.Replace(app, "spec: {", "spec: {customresourcedefinitions: {required: [{name: sites.example.com, version: v1, kind: Site}]}, ", 1), ""
			case "catalog":
				lines, more = lines+"\nbundle app.v1 needs=cache@1.x", ""
			case "lookup":
				more = object("InstallPlan", "shop/plan", "status: {bundleLookups: [{identifier: app.v1, catalogSourceRef: {name: goods, namespace: shop}, properties: '{\"properties\":["+property("olm.package.required", cache)+"]}'}]}")
			}
			catalogs := map[string]string{"shop/goods": writeCatalog(t, lines)}
			if !tt.read {
				catalogs = nil
			}
			for _, m := range migrations(t, catalogs, everywhere, app, subscribes("app", "app.v1", ", channel: x"), more) {
				if m.Package != "app" {
					continue
				}
				require.Equal(t, olm.VerdictBlocked, m.Verdict)
				for _, want := range tt.says {
					require.Contains(t, reason(m, "C2"), want)
				}
				return
			}
			t.Fatal("no migration of app")
		})
	}
}

// The order of more than 100 installed operators is not computed, and the reason says so.
func TestMigrationOrderBounded(t *testing.T) {
	const n = 150
	var dump strings.Builder
	dump.WriteString(everywhere)
	for i := range n {
		pkg, next := fmt.Sprintf("p%03d", i), fmt.Sprintf("p%03d", i+1)
		requires := "," + property("olm.package.required", fmt.Sprintf(`{"packageName":%q,"versionRange":"1.x"}`, next))
		if i == n-1 {
			requires = ""
		}
		dump.WriteString(operator(pkg+".v1", "1.0.0", isPackage(pkg, "1.0.0")+requires) + subscribes(pkg, pkg+".v1", ", channel: x"))
	}
	ms := migrations(t, nil, dump.String())
	require.Len(t, ms, n)
	require.Contains(t, reason(ms[0], "C2"), "more than 100 installed operators")
	require.Contains(t, reason(ms[n-102], "C2"), "more than 100 installed operators")
	require.Contains(t, reason(ms[n-101], "C2"), "in this order: p149.v1, p148.v1, ")
	require.Contains(t, reason(ms[n-3], "C2"), "in this order: p149.v1, p148.v1, p147.v1")
}

// migrationCase is a dump and the expected verdict on its subscription db.
type migrationCase struct {
	objects []string
	want    string   // the verdict and the codes
	missing []string // contained in Missing, in this order
}

func (tt migrationCase) check(t *testing.T, m olm.Migration) {
	got := m.Verdict
	for _, r := range m.Reasons {
		got += " " + r.Code
		shape := map[string]any{"code": r.Code, "hard": r.Hard, "text": r.Text}
		if flag, soft := acknowledged[r.Code]; soft {
			shape["override"] = flag
		}
		require.NotEmpty(t, r.Text)
		require.Equal(t, acknowledged[r.Code] == "", r.Hard, r.Code)
		require.JSONEq(t, marshal(t, shape), marshal(t, r))
	}
	require.Equal(t, tt.want, got, "%v %v", m.Reasons, m.Missing)
	require.Len(t, m.Missing, len(tt.missing), "%q", m.Missing)
	for i, want := range tt.missing {
		require.Contains(t, m.Missing[i], want)
	}
}

// acknowledged are the flags of the official tool by the rules that they override. All other
// rules are hard.
var acknowledged = map[string]string{
	"C1": "--acknowledge-watch-scope-change", "C4": "--acknowledge-operator-condition", "C5": "--acknowledge-olmv0-api-access",
	"C6": "--acknowledge-scoped-serviceaccount", "C8": "--acknowledge-not-steady-state",
}

// Each rule has a subscription that passes, one that fails, and one without enough data.
func TestMigrationRules(t *testing.T) {
	global := object("OperatorGroup", "shop/group", "spec: {}")
	wants := strings.Replace(wantsDB, "status: {", "status: {state: AtLatestKnown, ", 1)
	has := operatorIs("db.v1", "status: {phase: Succeeded}", "AllNamespaces")
	served := object("ClusterCatalog", "goods", `spec: {source: {image: {ref: "goods:v1"}}}`)
	spec := func(more string) string { return strings.Replace(has, "spec: {", "spec: {"+more+", ", 1) }
	says := func(list string) string {
		return strings.Replace(has, "  namespace: shop\n", "  namespace: shop\n  annotations: {operatorframework.io/properties: '"+list+"'}\n", 1)
	}
	annotated := func(object, annotation string) string {
		return strings.Replace(object, "  namespace: shop\n", "  namespace: shop\n  annotations: {"+annotation+"}\n", 1)
	}
	access := func(rules string) string {
		return spec("install: {spec: {clusterPermissions: [{rules: [" + rules + "]}]}}")
	}
	const v0, v1 = "{apiGroups: [operators.coreos.com], resources: [subscriptions]}", "{apiGroups: [olm.operatorframework.io], resources: [clusterextensions]}"
	planned := strings.Replace(wants, "installedCSV: db.v1", "installPlanRef: {name: plan, namespace: shop}, installedCSV: db.v1", 1)
	plan := func(name, bundle, catalog string, generation int) string {
		return object("InstallPlan", "shop/"+name, fmt.Sprintf("spec: {generation: %d}\nstatus: {phase: Complete, bundleLookups: [{identifier: %s, path: i, catalogSourceRef: {name: %s, namespace: shop}}]}", generation, bundle, catalog))
	}
	address := object("CatalogSource", "shop/other", "spec: {sourceType: grpc, address: \"a:1\"}")
	image := object("CatalogSource", "shop/other", "spec: {sourceType: grpc, image: \"other:v1\"}")
	otherServed := object("ClusterCatalog", "other", `spec: {source: {image: {ref: "other:v1"}}}`)
	noCSV := "ClusterServiceVersion db.v1, which subscription db installed (C1a, C2, C3, C4, C5, C8)"
	group := func(rest string) string { return object("OperatorGroup", "shop/group", rest) }
	dump := func(objects ...string) []string { return objects }
	for name, tt := range map[string]migrationCase{
		"all pass": {dump(global, goods, wants, has, served), "eligible", nil},

		"C1 namespaces":           {dump(group("spec: {targetNamespaces: [shop]}"), goods, wants, has, served), "acknowledge C1", nil},
		"C1 several":              {dump(group("spec: {targetNamespaces: [shop, far]}"), goods, wants, has, served), "acknowledge C1", nil},
		"C1 selector":             {dump(group("spec: {selector: {matchLabels: {a: b}}}"), goods, wants, has, served), "acknowledge C1", nil},
		"C1 selector of nothing":  {dump(group("spec: {selector: {}}"), goods, wants, has, served), "eligible", nil},
		"C1 status":               {dump(group("status: {namespaces: [shop]}"), goods, wants, has, served), "acknowledge C1", nil},
		"C1 status of all":        {dump(group("status: {namespaces: [\"\"]}"), goods, wants, has, served), "eligible", nil},
		"C1 and C6 without group": {dump(goods, wants, has, served), "unknown", []string{"OperatorGroup of namespace shop (C1, C6)"}},

		"C1a other modes":      {dump(global, goods, wants, operatorIs("db.v1", "status: {phase: Succeeded}", "OwnNamespace", "SingleNamespace", "MultiNamespace"), served), "blocked C1a", nil},
		"C1a not supported":    {dump(global, goods, wants, strings.Replace(has, "supported: true", "supported: false", 1), served), "blocked C1a", nil},
		"C1a no modes":         {dump(global, goods, wants, operatorIs("db.v1", "status: {phase: Succeeded}"), served), "blocked C1a", nil},
		"C1a among others":     {dump(global, goods, wants, operatorIs("db.v1", "status: {phase: Succeeded}", "OwnNamespace", "AllNamespaces"), served), "eligible", nil},
		"C1a to C5, C8 no CSV": {dump(global, goods, wants, served), "unknown", []string{noCSV}},

		"C2 package":           {dump(global, goods, wants, says(`{"properties":[{"type":"olm.package.required","value":{"packageName":"web","versionRange":">=1.0.0"}}]}`), served), "blocked C2", nil},
		"C2 list alone":        {dump(global, goods, wants, says(`[{"type":"olm.package.required","value":{"packageName":"web","versionRange":">=1.0.0"}}]`), served), "blocked C2", nil},
		"C2 API":               {dump(global, goods, wants, says(`{"properties":[{"type":"olm.gvk.required","value":{"group":"x.io","version":"v1","kind":"A"}}]}`), served), "blocked C2", nil},
		"C2 constraint":        {dump(global, goods, wants, says(`{"properties":[{"type":"olm.constraint","value":{"failureMessage":"m","gvk":{"group":"x.io","version":"v1","kind":"A"}}}]}`), served), "blocked C2", nil},
		"C2 label":             {dump(global, goods, wants, says(`{"properties":[{"type":"olm.label.required","value":{"label":"fast"}}]}`), served), "blocked C2", nil},
		"C2 specification":     {dump(global, goods, wants, spec("customresourcedefinitions: {required: [{name: as.x.io, version: v1, kind: A}]}"), served), "blocked C2", nil},
		"C2 API service":       {dump(global, goods, wants, spec("apiservicedefinitions: {required: [{group: x.io, version: v1, kind: A, name: as}]}"), served), "blocked C2", nil},
		"C2 provides":          {dump(global, goods, wants, says(`{"properties":[{"type":"olm.gvk","value":{"group":"x.io","version":"v1","kind":"A"}},{"type":"olm.label","value":{"label":"fast"}}]}`), served), "eligible", nil},
		"C2 value not read":    {dump(global, goods, wants, says(`{"properties":[{"type":"olm.package.required","value":7}]}`), served), "blocked C2", nil},
		"C2 of unread writing": {dump(global, goods, wants, says(`{"properties"`), served), "unknown", []string{"annotation operatorframework.io/properties is invalid (C2)"}},

		"C3 owned":    {dump(global, goods, wants, spec("apiservicedefinitions: {owned: [{group: x.io, version: v1, kind: A, name: as}]}"), served), "blocked C3", nil},
		"C3 of none":  {dump(global, goods, wants, spec("apiservicedefinitions: {owned: []}"), served), "eligible", nil},
		"C3 a custom": {dump(global, goods, wants, spec("customresourcedefinitions: {owned: [{name: as.x.io, version: v1, kind: A}]}"), served), "eligible", nil},

		"C4":                  {dump(global, goods, wants, has, served, object("OperatorCondition", "shop/db.v1", "status: {conditions: [{type: Upgradeable, status: \"True\"}]}")), "acknowledge C4", nil},
		"C4 of specification": {dump(global, goods, wants, has, served, object("OperatorCondition", "shop/db.v1", "spec: {conditions: [{type: Upgradeable, status: \"True\"}]}")), "eligible", nil},
		"C4 of another":       {dump(global, goods, wants, has, served, object("OperatorCondition", "shop/web.v1", "status: {conditions: [{type: Upgradeable, status: \"True\"}]}")), "eligible", nil},
		"C4 elsewhere":        {dump(global, goods, wants, has, served, object("OperatorCondition", "far/db.v1", "status: {conditions: [{type: Upgradeable, status: \"True\"}]}")), "eligible", nil},

		"C5":                   {dump(global, goods, wants, access(v0), served), "acknowledge C5", nil},
		"C5 all":               {dump(global, goods, wants, access("{apiGroups: [operators.coreos.com], resources: ['*']}"), served), "acknowledge C5", nil},
		"C5 plans":             {dump(global, goods, wants, access("{apiGroups: [operators.coreos.com], resources: [installplans]}"), served), "acknowledge C5", nil},
		"C5 operators":         {dump(global, goods, wants, access("{apiGroups: ['', operators.coreos.com], resources: [pods, clusterserviceversions]}"), served), "acknowledge C5", nil},
		"C5 catalogs":          {dump(global, goods, wants, access("{apiGroups: [operators.coreos.com], resources: [catalogsources]}"), served), "acknowledge C5", nil},
		"C5 in its namespace":  {dump(global, goods, wants, spec("install: {spec: {permissions: [{rules: ["+v0+"]}]}}"), served), "acknowledge C5", nil},
		"C5 both":              {dump(global, goods, wants, access(v0+", "+v1), served), "eligible", nil},
		"C5 its own condition": {dump(global, goods, wants, access("{apiGroups: [operators.coreos.com], resources: [operatorconditions]}"), served), "eligible", nil},
		"C5 other groups":      {dump(global, goods, wants, access("{apiGroups: [apps], resources: [subscriptions]}"), served), "eligible", nil},

		"C6": {dump(group("spec: {serviceAccountName: a}"), goods, wants, has, served), "acknowledge C6", nil},

		"C7 not served":   {dump(global, goods, wants, has, served+"status: {conditions: [{type: Serving, status: \"False\"}]}\n"), "blocked C7", nil},
		"C7 unavailable":  {dump(global, goods, wants, has, strings.Replace(served, "spec: {", "spec: {availabilityMode: Unavailable, ", 1)), "blocked C7", nil},
		"C7 serving":      {dump(global, goods, wants, has, served+"status: {conditions: [{type: Serving, status: \"True\"}]}\n"), "eligible", nil},
		"C7 by digest":    {dump(global, goods, wants, has, object("ClusterCatalog", "goods", `spec: {source: {image: {ref: "x"}}}`+"\nstatus: {resolvedSource: {image: {ref: \"goods:v1\"}}}")), "eligible", nil},
		"C7 none":         {dump(global, goods, wants, has), "unknown", []string{"ClusterCatalogs: the dump has none"}},
		"C7 not the same": {dump(global, goods, wants, has, otherServed), "unknown", []string{"the content of ClusterCatalog other, which may serve package db (C7)"}},

		"C8 phase":   {dump(global, goods, wants, operatorIs("db.v1", "status: {phase: Failed}", "AllNamespaces"), served), "acknowledge C8", nil},
		"C8 state":   {dump(global, goods, strings.Replace(wants, "AtLatestKnown", "UpgradeFailed", 1), has, served), "acknowledge C8", nil},
		"C8 moving":  {dump(global, goods, strings.Replace(wants, "AtLatestKnown", "UpgradeAvailable", 1), has, served), "acknowledge C8", nil},
		"C8 pending": {dump(global, goods, strings.Replace(wants, "AtLatestKnown", "UpgradePending", 1), has, served), "eligible", nil},

		"C9":               {dump(global, goods, annotated(wants, "olm.generated-by: install-x"), has, served), "blocked C9", nil},
		"C9 by nothing":    {dump(global, goods, annotated(wants, "olm.generated-by: \"\""), has, served), "blocked C9", nil},
		"C9 other notes":   {dump(global, goods, annotated(wants, "olm.generated: x"), has, served), "eligible", nil},
		"C9 not installed": {dump(global, goods, strings.Replace(annotated(wants, "olm.generated-by: x"), "installedCSV: db.v1, currentCSV: db.v1", "", 1), served), "blocked C9", []string{"an installed version"}},

		"C10 missing":               {dump(global, wants, has, served), "blocked C10", []string{"(C7)"}},
		"C10 address":               {dump(global, strings.Replace(goods, `, image: "goods:v1"`, ", address: x", 1), wants, has, object("ClusterCatalog", "goods", "")), "blocked C10", []string{"(C7)"}},
		"C10 configmap":             {dump(global, strings.Replace(goods, "grpc", "configmap", 1), wants, has, object("ClusterCatalog", "goods", "")), "blocked C10", []string{"(C7)"}},
		"C10 lookup":                {dump(global, goods, planned, has, served, plan("plan", "db.v1", "goods", 1)), "eligible", nil},
		"C10 lookup of another":     {dump(global, goods, planned, has, otherServed, image, plan("plan", "db.v1", "other", 1)), "eligible", nil},
		"C10 lookup, no image":      {dump(global, goods, planned, has, served, address, plan("plan", "db.v1", "other", 1)), "blocked C10", nil},
		"C10 lookup, no catalog":    {dump(global, goods, planned, has, served, plan("plan", "db.v1", "other", 1)), "blocked C10", nil},
		"C10 no reference":          {dump(global, goods, wants, has, served, plan("plan", "db.v1", "other", 1)), "blocked C10", nil},
		"C10 the next bundle":       {dump(global, goods, planned, has, served, plan("plan", "db.v2", "other", 2)), "eligible", nil},
		"C10 the plan before":       {dump(global, goods, planned, has, served, plan("plan", "db.v2", "goods", 2), plan("before", "db.v1", "other", 1)), "blocked C10", nil},
		"C10 the newest plan":       {dump(global, goods, wants, has, served, plan("old", "db.v1", "other", 1), plan("new", "db.v1", "goods", 2)), "eligible", nil},
		"C10 its own plan first":    {dump(global, goods, planned, has, served, plan("plan", "db.v1", "goods", 1), plan("zz", "db.v1", "other", 2)), "eligible", nil},
		"C10 its own plan behind":   {dump(global, goods, planned, has, served, plan("aa", "db.v1", "other", 2), plan("plan", "db.v1", "goods", 1)), "eligible", nil},
		"C10 plan is not there":     {dump(global, goods, planned, has, served), "unknown", []string{"InstallPlan plan, which records the CatalogSource of db.v1 (C10)"}},
		"C10 another plan is there": {dump(global, goods, planned, has, served, plan("before", "db.v1", "goods", 1)), "eligible", nil},

		"several": {dump(group("spec: {targetNamespaces: [shop], serviceAccountName: a}"), goods, strings.Replace(wantsDB, "status: {", "status: {state: UpgradeFailed, ", 1),
			operatorIs("db.v1", "status: {phase: Succeeded}", "OwnNamespace"), served), "blocked C1 C1a C6 C8", nil},
		"soft and unknown": {dump(group("spec: {serviceAccountName: a}"), goods, wants, has), "unknown C6", []string{"(C7)"}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.check(t, captureOf(t, clusterOf(t, tt.objects...), olm.Options{Migration: true}).Migration[0])
		})
	}
}

// Extensions have no namespace: names that several would have get a warning.
func TestMigrationNames(t *testing.T) {
	served := object("ClusterCatalog", "goods", "")
	there := object("ClusterExtension", "db", "spec: {source: {catalog: {packageName: db}}}")
	for want, objects := range map[string][]string{
		"2 subscriptions are named db":          {goods, wantsDB, strings.ReplaceAll(wantsDB, "namespace: shop", "namespace: far"), served},
		"the cluster has a ClusterExtension db": {goods, wantsDB, served, there},
	} {
		for _, m := range captureOf(t, clusterOf(t, objects...), olm.Options{Migration: true}).Migration {
			require.Contains(t, strings.Join(m.Warnings, "\n"), want)
		}
	}
	for _, m := range captureOf(t, clusterOf(t, goods, wantsDB, served), olm.Options{Migration: true}).Migration {
		require.NotContains(t, strings.Join(m.Warnings, "\n"), "name")
	}
}

// Rule C7 checks the content of ClusterCatalogs for the package, not for a channel or a version.
func TestMigrationCatalog(t *testing.T) {
	db := operator("db.v1", "1.0.0", isPackage("db", "1.0.0")) + subscribes("db", "db.v1", ", channel: x")
	with, without := writeCatalog(t, "db/x db.v1"), writeCatalog(t, "web/x web.v1")
	base := object("OperatorGroup", "shop/group", "spec: {}") + goods
	catalog := func(name, rest string) string { return object("ClusterCatalog", name, rest) }
	serving := "\nstatus: {conditions: [{type: Serving, status: \"True\"}]}"
	for name, tt := range map[string]struct {
		catalogs map[string]string
		migrationCase
		selects string
	}{
		"serves it":                 {map[string]string{"one": with}, migrationCase{[]string{catalog("one", serving)}, "eligible", nil}, "one"},
		"does not":                  {map[string]string{"one": without}, migrationCase{[]string{catalog("one", serving)}, "blocked C7", nil}, "goods"},
		"one of two":                {map[string]string{"one": without, "two": with}, migrationCase{[]string{catalog("one", serving), catalog("two", serving)}, "eligible", nil}, "two"},
		"the best of two":           {map[string]string{"one": with, "two": with}, migrationCase{[]string{catalog("one", "spec: {priority: 1}"), catalog("two", "spec: {priority: 2}")}, "eligible", nil}, "two"},
		"the same image":            {map[string]string{"one": with, "two": with}, migrationCase{[]string{catalog("one", `spec: {source: {image: {ref: "goods:v1"}}}`), catalog("two", "spec: {priority: 2}")}, "eligible", nil}, "one"},
		"the same image without it": {map[string]string{"one": without}, migrationCase{[]string{catalog("one", `spec: {source: {image: {ref: "goods:v1"}}}`)}, "blocked C7", nil}, "goods"},
		"not read":                  {nil, migrationCase{[]string{catalog("one", serving)}, "unknown", []string{"the content of ClusterCatalog one"}}, "goods"},
		"one without it, one not read": {map[string]string{"one": without}, migrationCase{[]string{catalog("one", ""), catalog("two", "")}, "unknown",
			[]string{"the content of ClusterCatalog two"}}, "goods"},
		"has it, is not served": {map[string]string{"one": with}, migrationCase{[]string{catalog("one", strings.Replace(serving, "True", "False", 1))}, "blocked C7", nil}, "goods"},
	} {
		t.Run(name, func(t *testing.T) {
			m := migrations(t, tt.catalogs, append(tt.objects, base, db)...)[0]
			tt.check(t, m)
			require.Equal(t, tt.selects, m.Object.Spec.Source.Catalog.Selector.MatchLabels["olm.operatorframework.io/metadata.name"])
		})
	}
}

// The printed extension keeps the settings of the subscription, and warns of those that it cannot
// keep.
func TestMigrationExtension(t *testing.T) {
	path := writeCatalog(t, "db/x db.v1 db.v2\ndb/y db.v1 db.v3\npackage db y")
	read := map[string]string{"shop/goods": path, "goods": path}
	for name, tt := range map[string]struct {
		more     string
		catalogs map[string]string
		yaml     []string
		not      []string
		warns    string
	}{
		"manual":                       {", channel: x, installPlanApproval: Manual", read, []string{`version: "1.0.0"`, `channels: ["x"]`}, nil, "subscription db gets db.v2, the extension db.v1 (approval is Manual"},
		"automatic":                    {", channel: x, installPlanApproval: Automatic", read, []string{`channels: ["x"]`}, []string{"version:"}, ""},
		"no channel":                   {"", read, []string{`channels: ["y"]`}, []string{"version:"}, ""},
		"no channel, catalog not read": {"", nil, nil, []string{"channels:"}, "the default channel of package db is unknown"},
		"not compared":                 {", channel: x", nil, nil, nil, "were not compared: the content of a catalog is unknown"},
		"config": {", channel: x, config: {selector: {matchLabels: {a: b}}, nodeSelector: {disk: ssd}, env: [{name: A, value: \"1\"}]}", read,
			[]string{"configType: Inline", "deploymentConfig:", "nodeSelector", "disk", "env"}, []string{"selector: {", "matchLabels: {\"a\""}, "spec.config needs the feature gate NewOLMConfigAPI"},
		"config of a selector alone": {", channel: x, config: {selector: {matchLabels: {a: b}}}", read, nil, []string{"config:"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			ms := migrations(t, tt.catalogs, everywhere, operator("db.v1", "1.0.0", isPackage("db", "1.0.0")), subscribes("db", "db.v1", tt.more))
			text, warnings := string(ms[0].Object.YAML()), strings.Join(ms[0].Warnings, "\n")
			for _, want := range tt.yaml {
				require.Contains(t, text, want)
			}
			for _, not := range tt.not {
				require.NotContains(t, text, not)
			}
			require.Contains(t, warnings, tt.warns)
			if tt.warns == "" {
				require.Empty(t, warnings)
			}
		})
	}
}
