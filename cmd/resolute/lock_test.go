package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit/universe"
)

// lockFolder makes a folder with a scenario, its catalog and a lock of it, and goes there.
func lockFolder(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	put(t, "catalog.jsonl", universe.JSON(t, shopUniverse))
	put(t, "newer.jsonl", universe.JSON(t, strings.Replace(shopUniverse, "db.v2", "db.v2 db.v3", 1)))
	put(t, "older.jsonl", universe.JSON(t, strings.Replace(shopUniverse, " db.v2", "", 1)))
	put(t, "more.jsonl", universe.JSON(t, shopUniverse+"\nmore/stable more.v1"))
	put(t, "scenario.yaml", "catalogs: [{name: c, path: catalog.jsonl}]\nsubscriptions: [{name: web, package: web}]\n")
	put(t, "resolute.lock", resolute(t.Context(), "", "lock", "scenario.yaml").out)
}

const shopUniverse = "db/stable db.v1 db.v2\nweb/stable web.v1 needs=db@>=1.0.0"

func put(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

func get(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(data)
}

// TestLock: the same question and the same content give the same bytes, wherever they are; on
// standard output and in a file.
func TestLock(t *testing.T) {
	lockFolder(t)
	want := get(t, "resolute.lock")
	require.Contains(t, want, "name: db.v2")
	require.Contains(t, want, "path: catalog.jsonl")
	require.Equal(t, want, resolute(t.Context(), "", "lock", "scenario.yaml").out)

	for _, dir := range []string{"a", "b/c"} {
		require.NoError(t, os.MkdirAll(dir, 0o755))
		for _, name := range []string{"catalog.jsonl", "scenario.yaml"} {
			put(t, filepath.Join(dir, name), get(t, name))
		}
		abs, err := filepath.Abs(dir)
		require.NoError(t, err)
		require.Equal(t, want, resolute(t.Context(), "", "lock", filepath.Join(abs, "scenario.yaml")).out, "whatever the path of the scenario is")
		got := resolute(t.Context(), "", "lock", filepath.Join(dir, "scenario.yaml"), "--into", filepath.Join(dir, "resolute.lock"))
		require.Equal(t, exitOK, got.status, got.errOut)
		require.Empty(t, got.out)
		require.Equal(t, want, get(t, filepath.Join(dir, "resolute.lock")))
		require.Equal(t, exitOK, resolute(t.Context(), "", "verify", filepath.Join(abs, "resolute.lock")).status)
	}
	got := resolute(t.Context(), "", "lock", "b/c/scenario.yaml").out
	require.Contains(t, got, "path: b/c/catalog.jsonl", "relative to the working directory")
	require.Contains(t, resolute(t.Context(), "", "lock", "b/c/scenario.yaml", "--into", "a/other.lock").errOut+get(t, "a/other.lock"), "path: \"../b/c/catalog.jsonl\"")

	// Packages are asked for as with try.
	got = resolute(t.Context(), "", "lock", "c=catalog.jsonl", "db", "--channel", "stable").out
	require.Contains(t, got, "{name: db, package: db, channel: stable}")
	require.Contains(t, resolute(t.Context(), "", "lock", "catalog.jsonl", "db=<2.0.0").out, "name: db.v1")

	// As JSON it is the same lock.
	put(t, "lock.json", resolute(t.Context(), "", "lock", "-o", "json", "scenario.yaml").out)
	require.Equal(t, exitOK, resolute(t.Context(), "", "verify", "lock.json").status)

	// An image without a digest is said, and one with a digest is not.
	require.Contains(t, resolute(t.Context(), "", "lock", "scenario.yaml").errOut, "have no digest, so the lock does not pin their content: db.v2, web.v1")
	pinned := strings.ReplaceAll(get(t, "catalog.jsonl"), `"image":"`, `"image":"r/b@sha256:01`)
	require.NotEqual(t, pinned, get(t, "catalog.jsonl"))
	put(t, "catalog.jsonl", pinned)
	require.Empty(t, resolute(t.Context(), "", "lock", "scenario.yaml").errOut)
}

// TestVerifyLock: the exit status and the kinds of what changed.
func TestVerifyLock(t *testing.T) {
	lockFolder(t)
	scenario := get(t, "scenario.yaml")
	put(t, "oldest.yaml", scenario+"policy: {goal: Oldest}\n")
	put(t, "cluster.yaml", scenario+"cluster: {kubernetesVersion: 1.33.0}\n")
	put(t, "dropped.yaml", strings.Replace(scenario, "package: web", "package: db", 1))
	put(t, "elsewhere.yaml", strings.Replace(scenario, "catalog.jsonl", "nowhere.jsonl", 1))
	put(t, "image.yaml", strings.Replace(scenario, "path: catalog.jsonl", "image: registry.example/c", 1))
	for args, want := range map[string]string{
		"":                                              "0 valid and the best answer, 2 bundles",
		"--catalog c=catalog.jsonl":                     "0 valid and the best answer",
		"--catalog default/c=more.jsonl":                "0 valid and the best answer; catalog",
		"--catalog c=newer.jsonl":                       "1 valid, but not the best answer any more; catalog catalog; db.v3 of catalog default/c would be selected instead of db.v2",
		"--catalog c=older.jsonl":                       "1 not valid any more; catalog catalog; catalog default/c no longer has db.v2",
		"--cluster scenario.yaml":                       "0 valid and the best answer",
		"--cluster cluster.yaml":                        "0 valid and the best answer; cluster",
		"--cluster dropped.yaml":                        "1 not valid any more; cluster cluster",
		"--cluster oldest.yaml":                         "1 valid, but not the best answer any more; policy policy",
		"--cluster elsewhere.yaml":                      "0 valid and the best answer",
		"--cluster image.yaml":                          "0 valid and the best answer",
		"--cluster oldest.yaml --catalog c=newer.jsonl": "1 valid, but not the best answer any more; catalog policy catalog; db.v1 of catalog default/c would be selected instead of db.v2",
	} {
		line := append([]string{"verify", "resolute.lock"}, strings.Fields(args)...)
		got := resolute(t.Context(), "", line...)
		status, says, _ := strings.Cut(want, " ")
		parts := strings.SplitN(says, "; ", 3)
		require.Equal(t, status, fmt.Sprint(got.status), "%s: %s", args, got.out+got.errOut)
		require.Contains(t, got.out, parts[0], args)

		asJSON := resolute(t.Context(), "", append(line, "-o", "json")...)
		var v struct {
			Valid, Best *bool
			Drift       []struct{ Kind, Subject, Text string }
		}
		require.NoError(t, json.Unmarshal([]byte(asJSON.out), &v))
		require.Equal(t, got.status, asJSON.status)
		require.Equal(t, status == "0", *v.Valid && *v.Best, args)
		require.Equal(t, !strings.Contains(says, "not valid"), *v.Valid, args)
		require.NotNil(t, v.Drift)
		var kinds []string
		for _, d := range v.Drift {
			kinds = append(kinds, d.Kind)
			require.Contains(t, got.out, d.Kind+": "+d.Text)
		}
		if len(parts) > 1 && args != "--cluster dropped.yaml" {
			require.Equal(t, strings.Fields(parts[1]), kinds, args)
		}
		if len(parts) > 2 {
			require.Contains(t, got.out, parts[2], args)
		}
	}
}

// TestVerifyWithoutCatalogs: a lock verifies by itself, and says so; once something changed, the
// catalog that is needed is named with its flag.
func TestVerifyWithoutCatalogs(t *testing.T) {
	lockFolder(t)
	put(t, "oldest.yaml", strings.Replace(get(t, "scenario.yaml"), "catalog.jsonl", "nowhere.jsonl", 1)+"policy: {goal: Oldest}\n")
	require.NoError(t, os.Rename("catalog.jsonl", "moved.jsonl"))
	got := resolute(t.Context(), "", "verify", "resolute.lock")
	require.Equal(t, exitOK, got.status, got.errOut)
	require.Equal(t, "resolute.lock: intact, 2 bundles\n  catalog default/c (catalog.jsonl) was not read; --catalog default/c=CATALOG compares with it\n", got.out)
	require.JSONEq(t, `{"file": "resolute.lock", "valid": true, "best": true, "drift": [], "unread": ["default/c"]}`, resolute(t.Context(), "", "verify", "-o", "json", "resolute.lock").out)
	require.Equal(t, exitOK, resolute(t.Context(), get(t, "resolute.lock"), "verify", "-", "--catalog", "c=moved.jsonl").status)

	got = resolute(t.Context(), "", "verify", "--cluster", "oldest.yaml", "resolute.lock")
	require.Equal(t, exitUnusable, got.status)
	require.Contains(t, got.errOut, "catalog default/c was not read, and is needed to decide; give --catalog default/c=CATALOG")
}

// TestInToto: the verification as a statement about the bytes of the lock.
func TestInToto(t *testing.T) {
	lockFolder(t)
	for catalog, status := range map[string]int{"catalog.jsonl": exitOK, "newer.jsonl": exitNo} {
		got := resolute(t.Context(), "", "verify", "-o", "in-toto", "--catalog", "c="+catalog, "resolute.lock")
		require.Equal(t, status, got.status, got.errOut)
		var s struct {
			Type    string `json:"_type"`
			Subject []struct {
				Name   string
				Digest map[string]string
			}
			PredicateType string
			Predicate     struct{ Valid, Best bool }
		}
		require.NoError(t, json.Unmarshal([]byte(got.out), &s))
		require.Equal(t, "https://in-toto.io/Statement/v1", s.Type)
		require.Equal(t, "resolute.lock", s.Subject[0].Name)
		require.Equal(t, fmt.Sprintf("%x", sha256.Sum256([]byte(get(t, "resolute.lock")))), s.Subject[0].Digest["sha256"])
		require.Equal(t, status == exitOK, s.Predicate.Best)
		require.FileExists(t, filepath.Join(repository(t), "resolver/lock", filepath.Base(s.PredicateType)), "the predicate is documented")
	}
}

// repository is the folder of the checkout.
func repository(t *testing.T) string {
	t.Helper()
	require.NotEmpty(t, checkout)
	return checkout
}

var checkout = func() string {
	dir, err := filepath.Abs("../..")
	if err != nil {
		return ""
	}
	return dir
}()

// TestUpdate: the next lock, and the difference as a table.
func TestUpdate(t *testing.T) {
	lockFolder(t)
	before := get(t, "resolute.lock")
	got := resolute(t.Context(), "", "lock", "--update", "resolute.lock")
	require.Equal(t, exitOK, got.status)
	require.Equal(t, before, got.out)
	require.Contains(t, got.errOut, "resolute.lock: no bundle changes\n")

	put(t, "catalog.jsonl", get(t, "newer.jsonl"))
	got = resolute(t.Context(), "", "lock", "--update", "resolute.lock")
	require.Equal(t, exitOK, got.status)
	require.Contains(t, got.errOut, "resolute.lock: 1 change\nACTION   PACKAGE  LOCKED  NEXT   CHANNEL  NOTE\nupgrade  db       db.v2   db.v3  stable   the image has no digest\n")
	require.Contains(t, got.errOut, "catalog default/c: sha256:")
	require.Equal(t, before, get(t, "resolute.lock"), "it is proposed only")
	next := got.out

	got = resolute(t.Context(), "", "lock", "--update", "resolute.lock", "--into", "resolute.lock")
	require.Equal(t, exitOK, got.status, got.errOut)
	require.Empty(t, got.out)
	require.Equal(t, next, get(t, "resolute.lock"))
	require.Equal(t, exitOK, resolute(t.Context(), "", "verify", "resolute.lock").status)

	// Another question, as an argument; and another catalog.
	put(t, "other.yaml", strings.Replace(get(t, "scenario.yaml"), "package: web", "package: db", 1))
	require.Contains(t, resolute(t.Context(), "", "lock", "--update", "resolute.lock", "other.yaml").errOut, "remove  web      web.v1")
	got = resolute(t.Context(), "", "lock", "--update", "resolute.lock", "--catalog", "c=older.jsonl")
	require.Contains(t, got.errOut, "downgrade  db       db.v3   db.v1")
	require.Contains(t, got.out, "path: older.jsonl")

	// Without an answer the lock stays.
	put(t, "catalog.jsonl", universe.JSON(t, "other/stable other.v1"))
	got = resolute(t.Context(), "", "lock", "--update", "resolute.lock", "--into", "resolute.lock")
	require.Equal(t, exitNo, got.status)
	require.Contains(t, got.errOut, "nothing is locked: no solution")
	require.Equal(t, next, get(t, "resolute.lock"))
	files, err := filepath.Glob(".resolute*")
	require.NoError(t, err)
	require.Empty(t, files)
}

// TestLocked: resolve --locked uses what is locked, and refuses once that is not valid.
func TestLocked(t *testing.T) {
	lockFolder(t)
	put(t, "newer.yaml", strings.Replace(get(t, "scenario.yaml"), "catalog.jsonl", "newer.jsonl", 1))
	put(t, "older.yaml", strings.Replace(get(t, "scenario.yaml"), "catalog.jsonl", "older.jsonl", 1))
	for _, args := range [][]string{{}, {"scenario.yaml"}, {"newer.yaml"}} {
		got := resolute(t.Context(), "", append([]string{"resolve", "-o", "json", "--locked", "resolute.lock"}, args...)...)
		require.Equal(t, exitOK, got.status, got.errOut)
		require.Contains(t, got.out, `"set":["db.v2","web.v1"]`, args)
		for _, form := range []string{"text", "html", "svg", "mermaid", "dot"} {
			got := resolute(t.Context(), "", append([]string{"resolve", "-o", form, "--locked", "resolute.lock"}, args...)...)
			require.Equal(t, exitOK, got.status, got.errOut)
			require.Contains(t, got.out, "db.v2", form)
		}
	}
	require.Contains(t, resolute(t.Context(), "", "resolve", "-o", "json", "newer.yaml").out, "db.v3", "which is what is best")
	for _, form := range []string{"text", "json"} {
		got := resolute(t.Context(), "", "resolve", "-o", form, "--locked", "resolute.lock", "older.yaml")
		require.Equal(t, exitNo, got.status)
		require.Equal(t, "resolute: resolute.lock: the locked answer is not valid any more: catalog default/c no longer has db.v2; lock again with resolute lock --update resolute.lock\n", got.errOut)
		require.Equal(t, form == "json", got.out != "")
	}
}

// TestBadLocks: what is no lock, or cannot be compared, gets a sentence and exit status 2.
func TestBadLocks(t *testing.T) {
	lockFolder(t)
	text := get(t, "resolute.lock")
	put(t, "edited.lock", strings.Replace(text, "version: 2.0.0", "version: 2.0.1", 1))
	put(t, "truncated.lock", text[:len(text)/2])
	put(t, "empty.lock", "")
	put(t, "newer.lock", strings.Replace(text, "version: 1", "version: 9", 1))
	put(t, "proof.json", resolute(t.Context(), "", "resolve", "-o", "certificate", "scenario.yaml").out)
	put(t, "broken.jsonl", "{")
	for line, want := range map[string]string{
		"verify edited.lock":                            "edited.lock: not a usable lock: it was edited by hand or damaged",
		"verify truncated.lock":                         "truncated.lock",
		"verify empty.lock":                             "not a usable lock: the document is empty",
		"verify newer.lock":                             "not a usable lock: it is of version 9; this program reads version 1",
		"verify scenario.yaml":                          "not a usable lock: it has no version; resolute lock makes locks",
		"verify nowhere.lock":                           "nowhere.lock: no such file",
		"verify proof.json":                             "proof.json is a certificate: name its scenario with --scenario",
		"verify --scenario scenario.yaml resolute.lock": "--scenario requires a CERTIFICATE, and this is a lock: use --cluster",
		"verify --scenario scenario.yaml --catalog c=x proof.json": "--catalog requires a LOCK",
		"verify --scenario scenario.yaml -o in-toto proof.json":    "-o in-toto requires a LOCK",
		"verify --catalog c=nowhere.jsonl resolute.lock":           "nowhere.jsonl: no such file",
		"verify --catalog c=broken.jsonl resolute.lock":            "broken.jsonl",
		"verify --catalog x=catalog.jsonl resolute.lock":           "the question has no catalog x; it has default/c",
		"verify --catalog c resolute.lock":                         "--catalog c: must have the form NAMESPACE/NAME=CATALOG",
		"verify --cluster nowhere.yaml resolute.lock":              "--cluster: ",
		"verify --cluster catalog.jsonl resolute.lock":             "this is a catalog, not a scenario",
		"resolve --locked edited.lock":                             "--locked: edited.lock: not a usable lock",
		"resolve --locked resolute.lock -o dimacs":                 "--locked supports the formats text, json, html, svg, mermaid or dot, not dimacs",
		"resolve --locked resolute.lock scenario.yaml newer.lock":  "--locked takes one scenario, or none",
		"resolve":                             "resolve needs FILE|DIR..., or --locked LOCK",
		"lock":                                "lock needs [SCENARIO|CATALOG...] [PACKAGE",
		"lock catalog.jsonl":                  "catalog.jsonl is a catalog: name the packages to lock: resolute lock catalog.jsonl PACKAGE",
		"lock nowhere.jsonl db":               "nowhere.jsonl: no such file",
		"lock broken.jsonl db":                "broken.jsonl",
		"lock scenario.yaml --channel x":      "--channel requires CATALOG... PACKAGE...",
		"lock scenario.yaml --into a/b":       "--into: ",
		"lock scenario.yaml -o json --into x": "--into writes YAML",
		"lock --update edited.lock":           "--update: edited.lock: not a usable lock",
		"lock scenario.yaml --catalog x=y":    "the question has no catalog x",
	} {
		got := resolute(t.Context(), "", strings.Fields(line)...)
		require.Equal(t, exitUnusable, got.status, "%s: %s", line, got.out+got.errOut)
		require.Contains(t, got.errOut, want, line)
		require.Equal(t, strings.Contains(line, "-o json"), got.out != "", line)
	}
	require.NoFileExists(t, "x")
	require.Equal(t, exitIncomplete, resolute(t.Context(), "", "verify", "--timeout", "1ns", "resolute.lock").status)
	require.Equal(t, exitIncomplete, resolute(t.Context(), "", "lock", "--timeout", "1ns", "scenario.yaml").status)
}

// TestLockedImages: images that a lock names are not fetched by verify.
func TestLockedImages(t *testing.T) {
	ownCache(t)
	layout, _ := layoutOf(t, "../../examples/catalogs/community")
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "image"), os.DirFS(layout)))
	t.Chdir(dir)
	put(t, "scenario.yaml", "catalogs: [{name: c, image: 'oci:image'}]\nsubscriptions: [{name: etcd, package: etcd}]\n")
	require.Equal(t, exitUnusable, resolute(t.Context(), "", "lock", "scenario.yaml").status, "the scenario needs a permission")
	got := resolute(t.Context(), "", "--allow-images", "lock", "scenario.yaml", "--into", "resolute.lock")
	require.Equal(t, exitOK, got.status, got.errOut)
	require.Contains(t, get(t, "resolute.lock"), "oci:image")
	require.Contains(t, resolute(t.Context(), "", "verify", "resolute.lock").out, "catalog default/c (oci:image) was not read")
	require.Contains(t, resolute(t.Context(), "", "--allow-images", "verify", "resolute.lock").out, "valid and the best answer")
	require.Contains(t, resolute(t.Context(), "", "verify", "--catalog", "c=oci:image", "resolute.lock").out, "valid and the best answer")
	require.True(t, slices.Contains([]int{exitUnusable}, resolute(t.Context(), "", "resolve", "--locked", "resolute.lock").status))
	require.Equal(t, exitOK, resolute(t.Context(), "", "--allow-images", "resolve", "--locked", "resolute.lock").status)

	// An image on the command line may be fetched.
	got = resolute(t.Context(), "", "lock", "c=oci:image", "etcd")
	require.Equal(t, exitOK, got.status, got.errOut)
}

// TestLockOutputsAreInert: names and messages of a catalog are text, whatever is in them.
func TestLockOutputsAreInert(t *testing.T) {
	for _, s := range injections()[1:] {
		dir := t.TempDir()
		file := filepath.Join(dir, "s.json")
		require.NoError(t, os.WriteFile(file, []byte(hostileScenario(s, false)), 0o600))
		into := filepath.Join(dir, "resolute.lock")
		made := resolute(t.Context(), "", "lock", file, "--into", into)
		require.LessOrEqual(t, made.status, exitUnusable)
		if made.status != exitOK {
			checkInert(t, "lock text", result{out: made.errOut}, nil)
			continue
		}
		changed := strings.Replace(hostileScenario(s, false), `"namespace"`, `"policy":{"goal":"Oldest"},"namespace"`, 1)
		if changed == hostileScenario(s, false) {
			changed = strings.Replace(changed, "{", `{"policy":{"goal":"Oldest"},`, 1)
		}
		now := filepath.Join(dir, "now.json")
		require.NoError(t, os.WriteFile(now, []byte(changed), 0o600))
		for _, args := range [][]string{{"verify", into}, {"verify", "--cluster", now, into}, {"verify", "-o", "json", "--cluster", now, into}, {"lock", "-o", "json", "--update", into, now}} {
			got := resolute(t.Context(), "", args...)
			require.LessOrEqual(t, got.status, exitNo, got.errOut)
			form := "verify text"
			if slices.Contains(args, "json") {
				form = "verify json"
			}
			checkInert(t, form, result{out: got.out}, nil)
			checkInert(t, "verify text", result{out: got.errOut}, nil)
		}
	}
}
