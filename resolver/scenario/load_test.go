package scenario_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// tinyYAML is a catalog with a single bundle, etcd.v1.0.0.
const tinyYAML = `{schema: olm.package, name: etcd, defaultChannel: stable}
---
{schema: olm.channel, package: etcd, name: stable, entries: [{name: etcd.v1.0.0}]}
---
{schema: olm.bundle, package: etcd, name: etcd.v1.0.0, image: i, properties: [{type: olm.package, value: {packageName: etcd, version: 1.0.0}}]}
`

// kinds are catalogs of every kind of path. The directory contains an ignored file that would be
// a problem.
func kinds(t *testing.T) fstest.MapFS {
	tinyJSON := universe.JSON(t, "etcd/stable etcd.v1.0.0")
	return fstest.MapFS{
		"catalogs/dir/.indexignore":       {Data: []byte("ignored.yaml\n")},
		"catalogs/dir/ignored.yaml":       {Data: []byte("{schema: olm.channel, package: etcd, name: broken, entries: 1}")},
		"catalogs/dir/below/catalog.yaml": {Data: []byte(tinyYAML)},
		"catalogs/c.yaml":                 {Data: []byte(tinyYAML)},
		"catalogs/c.json":                 {Data: []byte(tinyJSON)},
		"catalogs/c.jsonl":                {Data: []byte(tinyJSON)},
		"catalogs/c.yaml.gz":              {Data: testkit.Gzip(tinyYAML)},
		"catalogs/c.json.gz":              {Data: testkit.Gzip(tinyJSON)},
		"catalogs/c.jsonl.gz":             {Data: testkit.Gzip(tinyJSON)},
	}
}

var kindPaths = []string{"dir", "c.yaml", "c.json", "c.jsonl", "c.yaml.gz", "c.json.gz", "c.jsonl.gz"}

// TestCatalogsOfEveryKind reads each kind from the operating system and from a file system, by a
// path relative to the scenario file.
func TestCatalogsOfEveryKind(t *testing.T) {
	fsys := kinds(t)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, fsys))
	for _, name := range kindPaths {
		for _, path := range []string{"../catalogs/" + name, "../scenarios/../catalogs/" + name} {
			text := []byte("catalogs: [{name: c, path: " + path + "}]\nsubscriptions: [{name: etcd, package: etcd}]\nexpect: {set: [etcd.v1.0.0]}\n")
			fsys["scenarios/p.yaml"] = &fstest.MapFile{Data: text}
			s := testkit.Must(scenario.Read(context.Background(), fsys, "scenarios/p.yaml"))(t)
			matches(t, s)

			file := filepath.Join(dir, "scenarios", "p.yaml")
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
			require.NoError(t, os.WriteFile(file, text, 0o600))
			s = testkit.Must(scenario.ReadFile(context.Background(), file))(t)
			matches(t, s)
		}
	}
}

// matches checks that a scenario has a catalog without problems and the expected answer.
func matches(t *testing.T, s *scenario.Scenario) {
	loaded := testkit.Must(s.Load(context.Background()))(t)
	require.Empty(t, problems(loaded))
	require.Equal(t, 1, loaded.Bundles())
	_, diffs, err := new(scenario.Runner).Test(context.Background(), s)
	require.NoError(t, err)
	require.Empty(t, diffs)
}

func TestAbsoluteAndWorkingDirectoryPaths(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, kinds(t)))
	s := &scenario.Scenario{Catalogs: []scenario.Catalog{{Name: "c", Path: filepath.Join(dir, "catalogs", "c.yaml")}}}
	loaded := testkit.Must(s.Load(context.Background()))(t)
	require.NotNil(t, loaded.Request.Catalogs[0].Content)

	t.Chdir(filepath.Join(dir, "catalogs", "dir"))
	for _, path := range []string{".", "../dir", "below", "../c.json", ".."} {
		s := &scenario.Scenario{Catalogs: []scenario.Catalog{{Name: "c", Path: path}}}
		loaded := testkit.Must(s.Load(context.Background()))(t)
		require.NoError(t, loaded.Request.Catalogs[0].Unavailable, path)
	}
}

// The default policy rejects the request, and the error has the line of the catalog; a program
// may choose another policy.
func TestCatalogThatCannotBeRead(t *testing.T) {
	s := parse(t, "namespace: ns\ncatalogs:\n- name: c\n  path: nowhere\nsubscriptions: [{name: a, package: a}]\n")
	a := new(scenario.Runner).Run(context.Background(), s)
	require.Equal(t, scenario.Invalid, a.Status)
	require.Contains(t, a.Error, "problem.yaml:3: catalogs[0]: ")
	require.Contains(t, a.Error, "nowhere: no such file or directory")

	loaded := testkit.Must(s.Load(context.Background()))(t)
	require.ErrorIs(t, loaded.Request.Catalogs[0].Unavailable, os.ErrNotExist)
	require.Zero(t, loaded.Bundles())
	require.Empty(t, problems(loaded))
	req := loaded.Request
	req.Policy.Unavailable = resolver.UnavailableIgnore
	req.Subscriptions = nil
	require.Equal(t, resolver.WarningUnavailable, testkit.Must(resolver.New().Resolve(context.Background(), req))(t).Warnings[0].Kind)
}

func TestPathsStayInTheFileSystem(t *testing.T) {
	fsys := fstest.MapFS{"p.yaml": {Data: []byte("catalogs: [{name: c, path: ../c.yaml}]")}}
	s := testkit.Must(scenario.Read(context.Background(), fsys, "p.yaml"))(t)
	loaded := testkit.Must(s.Load(context.Background()))(t)
	require.ErrorContains(t, loaded.Request.Catalogs[0].Unavailable, "is outside the file system")
}

func TestDefaultsOfTheRequest(t *testing.T) {
	s := parse(t, "catalogs: [{name: c, blobs: []}, {name: d, namespace: olm, blobs: [], priority: 3}]\ninstalled: [{name: a.v1}]\n")
	loaded := testkit.Must(s.Load(context.Background()))(t)
	req := loaded.Request
	require.Equal(t, "default", req.Namespace)
	require.Equal(t, cache.Key{Namespace: "default", Name: "c"}, req.Catalogs[0].Key)
	require.Equal(t, cache.Key{Namespace: "olm", Name: "d"}, req.Catalogs[1].Key)
	require.Equal(t, []int{0, 3}, []int{req.Catalogs[0].Priority, req.Catalogs[1].Priority})
	require.Equal(t, resolver.Policy{}, req.Policy)
	require.Nil(t, req.Installed[0].Properties)
}

func TestPolicies(t *testing.T) {
	load := func(text string) resolver.Policy {
		loaded := testkit.Must(parse(t, text).Load(context.Background()))(t)
		return loaded.Request.Policy
	}
	require.Equal(t, resolver.Policy{
		Upgrades: resolver.UpgradesSelfCertified, Compounds: resolver.CompoundsPerBundle, Goal: resolver.MinimalChange,
		Deprecations: resolver.DeprecationsAvoid, Failures: resolver.FailuresPartial,
	}, load("policy: {upgrades: SelfCertified, compounds: PerBundle, goal: MinimalChange, deprecations: Avoid, failures: Partial}"))
	require.Equal(t, resolver.Policy{Goal: resolver.Oldest}, load("policy: {goal: Oldest}"))
	require.Equal(t, resolver.Policy{Unavailable: resolver.UnavailableLastGood, Compatibility: resolver.CompatibilityRequire},
		load("policy: {unavailable: LastGood, compatibility: Require}"))
}

// Problems of inline catalogs have the lines of the scenario.
func TestInlineProblemsHaveTheLinesOfTheScenario(t *testing.T) {
	s := parse(t, `catalogs:
- name: c
  blobs:
  - {schema: olm.package, name: a, defaultChannel: stable}
  - schema: olm.channel
    package: a
    name: stable
    entries:
    - {name: a.v1}
    - {name: a.v2}
`)
	loaded := testkit.Must(s.Load(context.Background()))(t)
	var heads bool
	for _, p := range problems(loaded) {
		require.Equal(t, "problem.yaml", p.File)
		require.Equal(t, "default/c", p.Catalog)
		if p.Channel == "stable" && p.Bundle == "" {
			heads = true
			require.Equal(t, 5, p.Line)
		}
	}
	require.True(t, heads, "%v", problems(loaded))

	s.Catalogs[0].Blobs = append(s.Catalogs[0].Blobs[:0:0], s.Catalogs[0].Blobs[1], s.Catalogs[0].Blobs[0])
	loaded = testkit.Must(s.Load(context.Background()))(t)
	require.NotEmpty(t, problems(loaded))
	for _, p := range problems(loaded) {
		require.NotEqual(t, "problem.yaml", p.File, "a program changed the blobs: the lines would be wrong")
	}
}

func TestScenariosShareCatalogs(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "c.yaml"), []byte(tinyYAML), 0o600))
	s := &scenario.Scenario{Catalogs: []scenario.Catalog{
		{Name: "c", Path: filepath.Join(dir, "c.yaml")},
		{Name: "d", Path: filepath.Join(dir, "c.yaml")},
	}}
	loader := new(scenario.Loader)
	all := make([]*scenario.Loaded, 8)
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() { all[i], errs[i] = loader.Load(context.Background(), s) })
	}
	wg.Wait()
	for i, loaded := range all {
		require.NoError(t, errs[i])
		c, d := loaded.Request.Catalogs[0].Content, loaded.Request.Catalogs[1].Content
		require.NotNil(t, c)
		require.Same(t, all[0].Request.Catalogs[0].Content, c)
		require.NotSame(t, c, d, "another key")
	}
}

// A later reader retries after the context of the first reader ended.
func TestAnEndedContextIsNotRemembered(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "c.yaml"), []byte(tinyYAML), 0o600))
	s := &scenario.Scenario{Catalogs: []scenario.Catalog{{Name: "c", Path: filepath.Join(dir, "c.yaml")}}}
	loader := new(scenario.Loader)
	ended := testkit.Ended()
	_, err := loader.Load(ended, s)
	require.ErrorIs(t, err, context.Canceled)
	require.NotNil(t, testkit.Must(loader.Load(context.Background(), s))(t).Request.Catalogs[0].Content)
}

func TestStrictLoading(t *testing.T) {
	s := parse(t, problem("subscriptions: [{name: etcd, package: etcd}]\nexpect: {status: resolved}\n"))
	strict := &scenario.Runner{Loader: &scenario.Loader{Options: fbc.Options{Strict: true}}}
	require.Equal(t, scenario.Resolved, strict.Run(context.Background(), s).Status)

	s = parse(t, "catalogs: [{name: c, blobs: [{schema: olm.channel, package: a, name: stable, entries: [{name: a.v1}, {name: a.v2}]}]}]")
	require.Equal(t, scenario.Resolved, new(scenario.Runner).Run(context.Background(), s).Status)
	require.Equal(t, scenario.Invalid, strict.Run(context.Background(), s).Status)
}

// problems returns the problems of the loaded catalogs.
func problems(loaded *scenario.Loaded) (all []graph.Problem) {
	for _, c := range loaded.Request.Catalogs {
		if c.Content != nil {
			all = append(all, c.Content.Problems()...)
		}
	}
	return all
}

// images are fake images: one with a catalog, and an optional reason for rejection. cache/image
// and cmd/resolute test real ones.
type images struct {
	refuse error
	asked  atomic.Int32
	dir    string
}

func (i *images) IsReference(text string) bool { return strings.HasPrefix(text, "docker://") }

func (i *images) Allow(string) error { return i.refuse }

func (i *images) Catalog(ctx context.Context, reference, dir string, opts fbc.Options) (*cache.Catalog, error) {
	i.asked.Add(1)
	i.dir = dir
	if strings.Contains(reference, "nowhere") {
		return nil, errors.New("there is no such image")
	}
	u, err := universe.Parse("a/c a.v1")
	if err != nil {
		return nil, err
	}
	return fbc.FromBlobs(ctx, u.Catalogs[0].Blobs(), opts)
}

const withImage = `
catalogs:
- {name: far, image: "quay.io/ns/catalog:v1"}
subscriptions:
- {name: a, package: a}
`

func TestImages(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "s.yaml")
	require.NoError(t, os.WriteFile(file, []byte(withImage), 0o600))
	s := testkit.Must(scenario.ReadFile(t.Context(), file))(t)

	far := &images{}
	runner := &scenario.Runner{Loader: &scenario.Loader{Images: far}}
	for range 2 { // what was read is shared
		answer := runner.Run(t.Context(), s)
		require.Equal(t, scenario.Resolved, answer.Status, answer.Error)
		require.Equal(t, []string{"a.v1"}, answer.Set)
	}
	require.EqualValues(t, 1, far.asked.Load())
	require.Equal(t, dir, far.dir)

	// Without permission no image is fetched, and the error has the line of the image.
	for _, loader := range []*scenario.Loader{{}, {Images: &images{refuse: errors.New("not without --please")}}} {
		_, err := loader.Load(t.Context(), s)
		wrong := testkit.As[*scenario.Error](t, err)
		require.Len(t, wrong.Problems, 1)
		require.Equal(t, 3, wrong.Problems[0].Line)
		require.Equal(t, "catalogs[0].image", wrong.Problems[0].Path)
		if loader.Images != nil {
			require.ErrorContains(t, err, "not without --please")
			require.Zero(t, loader.Images.(*images).asked.Load())
		}
	}

	// A catalog with an unreadable image is unavailable.
	s.Catalogs[0].Image = "quay.io/ns/nowhere"
	loaded := testkit.Must((&scenario.Loader{Images: far}).Load(t.Context(), s))(t)
	require.ErrorContains(t, loaded.Request.Catalogs[0].Unavailable, "no such image")
}

// A path of a scenario is never an image reference; a path of a caller may be one.
func TestPathIsNoImage(t *testing.T) {
	far := &images{}
	loader := &scenario.Loader{Images: far}
	s := testkit.Must(scenario.Parse(t.Context(), "s.yaml", []byte(`catalogs: [{name: far, path: "docker://a/b"}]`)))(t)
	require.ErrorIs(t, testkit.Must(loader.Load(t.Context(), s))(t).Request.Catalogs[0].Unavailable, os.ErrNotExist)
	require.Zero(t, far.asked.Load())
	require.Equal(t, 1, testkit.Must(loader.Catalog(t.Context(), cache.Key{}, "docker://a/b"))(t).Len())
}

// An image in a file system cannot refer to files outside of it.
func TestImageInFileSystem(t *testing.T) {
	fsys := fstest.MapFS{"s.yaml": {Data: []byte(`catalogs: [{name: far, image: "oci:layout"}]`)}}
	s := testkit.Must(scenario.Read(t.Context(), fsys, "s.yaml"))(t)
	_, err := (&scenario.Loader{Images: &images{}}).Load(t.Context(), s)
	require.ErrorContains(t, err, "is outside the file system")
}
