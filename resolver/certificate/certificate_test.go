package certificate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	"github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/certificate"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// How many drawn problems are proven: RESOLUTE_CHECKS sets another number.
const fewProblems, manyProblems = 300, 3_000

var ctx = context.Background()

func problems(t *testing.T) (first, count int) {
	t.Helper()
	count = testkit.Times(fewProblems, manyProblems)
	if text := os.Getenv("RESOLUTE_CHECKS"); text != "" {
		count = testkit.Must(strconv.Atoi(text))(t)
	}
	return int(testkit.Must(seed.Seed())(t)), count
}

// proven proves a request and verifies that the proof says what the resolver answers. It returns
// nil for a request without an answer.
func proven(t *testing.T, r *resolver.Resolver, req resolver.Request) *certificate.Certificate {
	t.Helper()
	sol, err := r.Resolve(ctx, req)
	var conflict *resolver.Conflict
	if err != nil && !errors.As(err, &conflict) {
		_, failed := certificate.Make(ctx, r, req)
		require.Error(t, failed, "what has no answer has no certificate")
		return nil
	}
	cert, err := certificate.Make(ctx, r, req)
	require.NoError(t, err)
	switch {
	case conflict != nil:
		require.Equal(t, certificate.Unsatisfiable, cert.Status)
		if req.Policy.Failures != resolver.FailuresPartial { // whose conflict is that of what is left
			require.Len(t, cert.Facts, len(conflict.Facts))
			require.Len(t, cert.Further, len(conflict.Further))
		}
	case len(sol.Unresolved) > 0:
		require.Equal(t, certificate.Partial, cert.Status)
		require.Equal(t, testkit.Map(sol.Unresolved, func(u resolver.Unresolved) string { return u.Installed + "/" + u.Subscription }),
			testkit.Map(cert.Left, leftName))
		require.Equal(t, slices.Sorted(maps.Keys(stepNames(sol))), slices.Sorted(maps.Keys(setNames(cert))))
	default:
		require.Equal(t, certificate.Resolved, cert.Status)
		require.Equal(t, slices.Sorted(maps.Keys(stepNames(sol))), slices.Sorted(maps.Keys(setNames(cert))))
	}
	require.NoError(t, certificate.Check(ctx, req, cert))
	return cert
}

func leftName(l resolver.ProofLeft) string { return l.Installed + "/" + l.Subscription }

func stepNames(sol *resolver.Solution) map[string]bool {
	set := make(map[string]bool)
	for _, s := range sol.Steps {
		from := s.Catalog.String()
		if s.Action == resolver.Keep {
			from = "installed"
		}
		set[from+" "+s.Bundle] = true
	}
	return set
}

func setNames(cert *certificate.Certificate) map[string]bool {
	set := make(map[string]bool)
	for _, id := range cert.Set {
		if id < 1 || id > len(cert.Bundles) {
			set["nothing"] = true
			continue
		}
		b := cert.Bundles[id-1]
		from := b.Catalog
		if b.Installed {
			from = "installed"
		}
		set[from+" "+b.Name] = true
	}
	return set
}

// hardSeeds draw problems whose certificates need what few do: a held operator while installed bundles
// are admitted, an `any` all of whose options are out. Each notices a change of the checker that no
// other judge does.
var hardSeeds = []int{484, 618, 812, 815, 1017, 1219, 1284, 1544, 1691, 1991, 2279, 2664, 2819, 2844, 3082, 3313, 3450, 3629}

// Every answer to a drawn problem is proven, and whatever is changed in a certificate, it proves
// no other answer.
func TestPropertyCertificates(t *testing.T) {
	first, count := problems(t)
	generator, converter, r := draw.Problem(), draw.NewConverter(), resolver.New()
	kinds, rejected, mutants, wrong := make(map[string]int), 0, 0, 0
	seeds := slices.Clone(hardSeeds)
	for i := range count {
		seeds = append(seeds, first+i)
	}
	for _, of := range seeds {
		req := converter.Request(generator.Example(of))
		var cert *certificate.Certificate
		if !t.Run("seed "+strconv.Itoa(of), func(t *testing.T) { cert = proven(t, r, req) }) || cert == nil {
			continue
		}
		kinds[cert.Status]++
		rng := rand.New(rand.NewPCG(uint64(of), 7))
		for range 4 {
			mutant, how := mutate(t, rng, cert)
			if mutant == nil {
				continue
			}
			mutants++
			if err := certificate.Check(ctx, req, mutant); err != nil {
				rejected++
				continue
			}
			if !sameClaim(cert, mutant) {
				wrong++
				t.Errorf("seed %d: a mutant by %q is accepted that claims something else", of, how)
			}
		}
	}
	t.Logf("%v proven, %d of %d mutants rejected, %d accepted claim something else", kinds, rejected, mutants, wrong)
	require.Greater(t, kinds[certificate.Resolved], count/4)
	require.Greater(t, kinds[certificate.Unsatisfiable], count/4)
	require.Greater(t, kinds[certificate.Partial], count/100)
	require.Greater(t, rejected, mutants*8/10)
}

// sameClaim reports whether two certificates claim the same: the set, or facts that are the same
// but for their order.
func sameClaim(a, b *certificate.Certificate) bool {
	facts := func(c *certificate.Certificate) map[string]bool {
		set := make(map[string]bool)
		for _, f := range c.Facts {
			f.Bundle = 0
			set[strings.Join([]string{f.Kind, f.Subject, strconv.Itoa(f.Index)}, " ")] = true
		}
		return set
	}
	left := func(c *certificate.Certificate) []string { return testkit.Map(c.Left, leftName) }
	return a.Request == b.Request && slices.Equal(a.Catalogs, b.Catalogs) && a.Status == b.Status && slices.Equal(left(a), left(b)) && (a.Status == certificate.Unsatisfiable || maps.Equal(setNames(a), setNames(b))) && maps.Equal(facts(a), facts(b))
}

func clone(t *testing.T, cert *certificate.Certificate) *certificate.Certificate {
	t.Helper()
	out := new(certificate.Certificate)
	require.NoError(t, json.Unmarshal(testkit.Must(json.Marshal(cert))(t), out))
	return out
}

// mutate changes one thing in a certificate; nil if it has nothing of the kind.
func mutate(t *testing.T, rng *rand.Rand, cert *certificate.Certificate) (*certificate.Certificate, string) {
	m := clone(t, cert)
	bundle := func() int { return 1 + rng.IntN(max(len(m.Bundles), 1)) }
	type mutation struct {
		name   string
		change func() bool
	}
	decision := func(where func(*resolver.ProofDecision) bool) *resolver.ProofDecision {
		var fit []*resolver.ProofDecision
		for i := range m.Decisions {
			if where(&m.Decisions[i]) {
				fit = append(fit, &m.Decisions[i])
			}
		}
		if len(fit) == 0 {
			return nil
		}
		return fit[rng.IntN(len(fit))]
	}
	chose := func(d *resolver.ProofDecision) bool { return d.Chosen > 0 }
	passed := func(d *resolver.ProofDecision) bool { return len(d.Rejected) > 0 }
	swapInSet := func(from, to int) {
		for i, id := range m.Set {
			if id == from {
				m.Set[i] = to
			}
		}
	}
	all := []mutation{
		{"another bundle chosen", func() bool {
			d := decision(chose)
			if d == nil || len(m.Bundles) < 2 {
				return false
			}
			other := bundle()
			if other == d.Chosen {
				return false
			}
			swapInSet(d.Chosen, other)
			d.Chosen = other
			return true
		}},
		{"a rejected one chosen", func() bool {
			d := decision(passed)
			if d == nil {
				return false
			}
			k := rng.IntN(len(d.Rejected))
			swapInSet(d.Chosen, d.Rejected[k])
			d.Chosen, d.Rejected = d.Rejected[k], d.Rejected[:k]
			d.Hints = d.Hints[:min(k, len(d.Hints))]
			return true
		}},
		{"a better candidate hidden", func() bool {
			d := decision(passed)
			if d == nil {
				return false
			}
			k := rng.IntN(len(d.Rejected))
			d.Rejected = slices.Delete(d.Rejected, k, k+1)
			if k < len(d.Hints) {
				d.Hints = slices.Delete(d.Hints, k, k+1)
			}
			return true
		}},
		{"the chosen one rejected for another", func() bool {
			d := decision(chose)
			if d == nil || len(m.Bundles) < 2 {
				return false
			}
			other := bundle()
			swapInSet(d.Chosen, other)
			d.Rejected, d.Chosen = append(d.Rejected, d.Chosen), other
			return true
		}},
		{"a member added", func() bool {
			m.Set = append(m.Set, bundle())
			return m.Status == certificate.Resolved && len(m.Bundles) > 0
		}},
		{"a member removed", func() bool {
			if len(m.Set) == 0 {
				return false
			}
			k := rng.IntN(len(m.Set))
			m.Set = slices.Delete(m.Set, k, k+1)
			return true
		}},
		{"a bundle renamed", func() bool {
			if len(m.Bundles) < 2 {
				return false
			}
			i, k := rng.IntN(len(m.Bundles)), rng.IntN(len(m.Bundles))
			m.Bundles[i].Name, m.Bundles[k].Name = m.Bundles[k].Name, m.Bundles[i].Name
			return i != k && m.Bundles[i].Name != m.Bundles[k].Name
		}},
		{"decisions reordered", func() bool {
			if len(m.Decisions) < 2 {
				return false
			}
			k := rng.IntN(len(m.Decisions) - 1)
			m.Decisions[k], m.Decisions[k+1] = m.Decisions[k+1], m.Decisions[k]
			return true
		}},
		{"a decision dropped", func() bool {
			if len(m.Decisions) == 0 {
				return false
			}
			k := rng.IntN(len(m.Decisions))
			m.Decisions = slices.Delete(m.Decisions, k, k+1)
			return true
		}},
		{"a decision added", func() bool {
			m.Decisions = append(m.Decisions, resolver.ProofDecision{Demand: resolver.ProofDemand{Subscription: "s1"}, Satisfied: true})
			return m.Status != certificate.Unsatisfiable
		}},
		{"another choice named", func() bool {
			d := decision(chose)
			if d == nil || len(m.Bundles) < 2 {
				return false
			}
			before := d.Chosen
			d.Chosen = bundle()
			return d.Chosen != before
		}},
		{"another rejection named", func() bool {
			d := decision(passed)
			if d == nil {
				return false
			}
			k := rng.IntN(len(d.Rejected))
			before := d.Rejected[k]
			d.Rejected[k] = bundle()
			return d.Rejected[k] != before
		}},
		{"an option that does not exist", func() bool {
			if len(m.Options) == 0 {
				return false
			}
			o := &m.Options[rng.IntN(len(m.Options))]
			*[]*int{&o.Constraint, &o.Part, &o.Option}[rng.IntN(3)] += 1 + rng.IntN(2)*1000
			return o.Constraint > 999 || o.Part > 999 || o.Option > 999
		}},
		{"an option twice", func() bool {
			if len(m.Options) == 0 {
				return false
			}
			o := m.Options[len(m.Options)-1]
			o.ID++
			m.Options = append(m.Options, o)
			return true
		}},
		{"a fact repeated", func() bool {
			if len(m.Facts) == 0 {
				return false
			}
			w := m.Witnesses[0]
			w.Without = len(m.Facts)
			m.Facts, m.Witnesses = append(m.Facts, m.Facts[0]), append(m.Witnesses, w)
			return true
		}},
		{"a catalog added", func() bool {
			m.Catalogs = append(m.Catalogs, certificate.Catalog{Key: "x/y", Digest: "sha256:00"})
			return true
		}},
		{"a decision called satisfied", func() bool {
			d := decision(chose)
			if d == nil {
				return false
			}
			d.Satisfied, d.Chosen, d.Rejected, d.Hints = true, 0, nil, nil
			return true
		}},
		{"a fact dropped", func() bool {
			if len(m.Facts) == 0 {
				return false
			}
			k := rng.IntN(len(m.Facts))
			m.Facts, m.Witnesses = slices.Delete(m.Facts, k, k+1), slices.Delete(m.Witnesses, k, k+1)
			for i := range m.Witnesses {
				m.Witnesses[i].Without = i
			}
			return true
		}},
		{"a fact added", func() bool {
			if m.Status != certificate.Unsatisfiable {
				return false
			}
			m.Facts = append(m.Facts, resolver.ProofFact{Kind: "subscription", Subject: "s" + strconv.Itoa(1+rng.IntN(4))})
			m.Witnesses = append(m.Witnesses, resolver.ProofWitness{Without: len(m.Witnesses), Set: []int{}})
			if len(m.Bundles) > 0 {
				m.Witnesses[len(m.Witnesses)-1].Set = []int{bundle()}
			}
			return true
		}},
		{"a subscription not left out", func() bool {
			if len(m.Left) == 0 {
				return false
			}
			k := rng.IntN(len(m.Left))
			m.Left = slices.Delete(m.Left, k, k+1)
			return true
		}},
		{"another subscription left out", func() bool {
			if len(m.Left) == 0 {
				return false
			}
			l := &m.Left[rng.IntN(len(m.Left))]
			l.Subscription = "s" + strconv.Itoa(1+rng.IntN(4))
			return true
		}},
		{"a further conflict repeated", func() bool {
			if len(m.Further) == 0 {
				return false
			}
			further := m.Further[rng.IntN(len(m.Further))]
			further.Facts[0], further.Witnesses = m.Facts[0], m.Witnesses
			return true
		}},
		{"a witness emptied", func() bool {
			if len(m.Witnesses) == 0 {
				return false
			}
			w := &m.Witnesses[rng.IntN(len(m.Witnesses))]
			some := len(w.Set) > 0
			w.Set = nil
			return some
		}},
		{"a lemma changed", func() bool {
			if len(m.Lemmas) == 0 || len(m.Bundles) == 0 {
				return false
			}
			l := &m.Lemmas[rng.IntN(len(m.Lemmas))]
			if len(*l) == 0 {
				*l = []int{bundle()}
				return true
			}
			k := rng.IntN(len(*l))
			if rng.IntN(2) == 0 {
				(*l)[k] = -(*l)[k]
			} else {
				*l = slices.Delete(*l, k, k+1)
			}
			return true
		}},
		{"a lemma made up", func() bool {
			if len(m.Bundles) == 0 {
				return false
			}
			m.Lemmas = append([][]int{{-bundle()}}, m.Lemmas...)
			m.Hints = append([][]int{{}}, m.Hints...)
			return true
		}},
		{"the request changed", func() bool { m.Request = "sha256:0" + m.Request[8:]; return m.Request != cert.Request }},
		{"a catalog changed", func() bool {
			if len(m.Catalogs) == 0 {
				return false
			}
			m.Catalogs[0].Digest = "sha256:0" + m.Catalogs[0].Digest[8:]
			return m.Catalogs[0] != cert.Catalogs[0]
		}},
		{"the status changed", func() bool {
			if m.Status = certificate.Resolved; cert.Status == m.Status {
				m.Status = certificate.Unsatisfiable
			}
			return true
		}},
	}
	for range 8 {
		if c := all[rng.IntN(len(all))]; c.change() {
			return m, c.name
		} else {
			m = clone(t, cert)
		}
	}
	return nil, ""
}

// A certificate for the same request with something forbidden proves nothing for the request.
func TestPropertyCertificateOfAnotherAnswer(t *testing.T) {
	first, count := problems(t)
	generator, converter, r := draw.Problem(), draw.NewConverter(), resolver.New()
	others := 0
	for i := range count / 3 {
		req := converter.Request(generator.Example(first + i))
		cert, err := certificate.Make(ctx, r, req)
		if err != nil || cert.Status != certificate.Resolved || len(cert.Set) == 0 {
			continue
		}
		worse := req
		for _, id := range cert.Set {
			if b := cert.Bundles[id-1]; !b.Installed {
				worse.Forbid = append(slices.Clip(req.Forbid), resolver.Forbidden{Bundle: resolver.BundleRef{Name: b.Name}})
				break
			}
		}
		other, err := certificate.Make(ctx, r, worse)
		if err != nil {
			continue
		}
		if other.Request = cert.Request; sameClaim(cert, other) {
			continue
		}
		require.Error(t, certificate.Check(ctx, req, other), "seed %d", first+i)
		others++
	}
	require.Greater(t, others, count/20)
}

func TestCertificatesOfScenarios(t *testing.T) {
	for _, dir := range []string{"../scenario/testdata/conformance", "../scenario/testdata/rules", "testdata/checker", "../../examples/scenarios", "../../../shared/conformance/real"} {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			if _, err := os.Stat(dir); err != nil {
				t.Skipf("LEFT OUT: %v", err)
			}
			files := testkit.Must(filepath.Glob(filepath.Join(dir, "*.yaml")))(t)
			require.NotEmpty(t, files)
			loader, r := new(scenario.Loader), resolver.New()
			var sizes []int
			for _, file := range files {
				t.Run(filepath.Base(file), func(t *testing.T) {
					s := testkit.Must(scenario.ReadFile(ctx, file))(t)
					loaded, err := loader.Load(ctx, s)
					if err != nil {
						t.Skip(err)
					}
					if cert := proven(t, r, loaded.Request); cert != nil {
						data := testkit.Must(json.Marshal(cert))(t)
						sizes = append(sizes, len(data))
						again := testkit.Must(certificate.Read(bytes.NewReader(data)))(t)
						require.NoError(t, certificate.Check(ctx, loaded.Request, again))
						require.Equal(t, data, testkit.Must(json.Marshal(testkit.Must(certificate.Make(ctx, r, loaded.Request))(t)))(t))
					}
				})
			}
			if slices.Sort(sizes); len(sizes) > 0 {
				t.Logf("%d certificates, median %d bytes, largest %d", len(sizes), sizes[len(sizes)/2], sizes[len(sizes)-1])
			}
		})
	}
}

// badCertificates are texts that are no certificate, each with what is said about it.
var badCertificates = []badCertificate{
	{"nothing", "", "not JSON"},
	{"truncated", `{"version":1,"status":"resolved","bun`, "not JSON of a certificate: unexpected end"},
	{"another version", `{"version":2,"status":"resolved"}`, "version 2"},
	{"no status", `{"version":1}`, "status"},
	{"a lemma about nothing", `{"version":1,"status":"resolved","lemmas":[[7]]}`, "out of range"},
	{"a lemma about the negation of nothing", `{"version":1,"status":"resolved","lemmas":[[-7]]}`, "out of range"},
	{"a lemma about 0", `{"version":1,"status":"resolved","bundles":[{"id":1,"name":"a"}],"lemmas":[[0]]}`, "out of range"},
	{"a huge number", `{"version":1,"status":"resolved","set":[9223372036854775807]}`, "out of range"},
	{"0 in the set", `{"version":1,"status":"resolved","set":[0]}`, "out of range"},
	{"the least number", `{"version":1,"status":"resolved","lemmas":[[-9223372036854775808]]}`, "out of range"},
	{"not numbered", `{"version":1,"status":"resolved","bundles":[{"id":2,"name":"a"}]}`, "bundle 1"},
	{"an option of nothing", `{"version":1,"status":"resolved","options":[{"id":1,"bundle":1}]}`, "option 1"},
	{"an option without its number", `{"version":1,"status":"resolved","bundles":[{"id":1,"name":"a"}],"options":[{"id":1,"bundle":1}]}`, "option 1"},
	{"an option before the first", `{"version":1,"status":"resolved","bundles":[{"id":1,"name":"a"}],"options":[{"id":2,"bundle":1,"option":-1}]}`, "option 1"},
	{"a fact about nothing", `{"version":1,"status":"unsatisfiable","facts":[{"kind":"constraint","subject":"a"}]}`, "fact 1"},
	{"a veto of nothing", `{"version":1,"status":"unsatisfiable","facts":[{"kind":"forbidden","subject":"a","index":-1}]}`, "fact 1"},
	{"a fact about another bundle", `{"version":1,"status":"unsatisfiable","facts":[{"kind":"package","subject":"a","bundle":1}]}`, "fact 1"},
	{"a decision for nothing", `{"version":1,"status":"resolved","decisions":[{"demand":{"subscription":"a"}}]}`, "decision 1"},
	{"a decision out of range", `{"version":1,"status":"resolved","decisions":[{"demand":{"subscription":"a"},"chosen":1}]}`, "decision 1"},
	{"a rejection out of range", `{"version":1,"status":"resolved","bundles":[{"id":1,"name":"a"}],"decisions":[{"demand":{"subscription":"a"},"chosen":1,"rejected":[2]}]}`, "decision 1"},
	{"a hint for no rejection", `{"version":1,"status":"resolved","bundles":[{"id":1,"name":"a"}],"decisions":[{"demand":{"subscription":"a"},"chosen":1,"hints":[[0]]}]}`, "decision 1"},
	{"a hint out of range", `{"version":1,"status":"resolved","bundles":[{"id":1,"name":"a"}],"decisions":[{"demand":{"subscription":"a"},"chosen":1,"rejected":[1],"hints":[[5]]}]}`, "decision 1"},
	{"a hint for no lemma", `{"version":1,"status":"resolved","hints":[[0]]}`, "hints"},
	{"a hint of a lemma out of range", `{"version":1,"status":"unsatisfiable","lemmas":[[]],"hints":[[2]]}`, "out of range"},
	{"a witness out of range", `{"version":1,"status":"unsatisfiable","witnesses":[{"without":0,"set":[1]}]}`, "witness 1"},
	{"resolved with facts", `{"version":1,"status":"resolved","facts":[{"kind":"package","subject":"a"}]}`, "another status"},
	{"unsatisfiable with decisions", `{"version":1,"status":"unsatisfiable","decisions":[{"demand":{"subscription":"a"},"satisfied":true}]}`, "another status"},
	{"partial with all", `{"version":1,"status":"partial"}`, "another status"},
	{"resolved with something left out", `{"version":1,"status":"resolved","left":[{"subscription":"a","conflict":{"status":"unsatisfiable"}}]}`, "another status"},
	{"left out without a conflict", `{"version":1,"status":"partial","left":[{"subscription":"a"}]}`, "none"},
	{"left out for what is resolved", `{"version":1,"status":"partial","left":[{"subscription":"a","conflict":{"status":"resolved"}}]}`, "none"},
	{"left out of what is left out", `{"version":1,"status":"partial","left":[{"subscription":"a","conflict":{"status":"unsatisfiable","left":[{}]}}]}`, "none"},
	{"a million lemmas", `{"version":1,"status":"resolved","lemmas":[[]` + strings.Repeat(",[]", 1_000_000) + `]}`, "lemmas"},
	{"ten thousand conflicts", `{"version":1,"status":"unsatisfiable","further":[{"status":"unsatisfiable"}` + strings.Repeat(`,{"status":"unsatisfiable"}`, 10_000) + `]}`, "conflicts"},
}

type badCertificate struct{ name, text, message string }

func (c badCertificate) reader() io.Reader { return strings.NewReader(c.text) }

func TestReadRefuses(t *testing.T) {
	for _, c := range badCertificates {
		t.Run(c.name, func(t *testing.T) {
			_, err := certificate.Read(c.reader())
			require.ErrorContains(t, err, c.message)
			testkit.As[*certificate.FormatError](t, err)
		})
	}
}

// Whatever is in a certificate, reading and checking it ends without a panic.
func FuzzCheck(f *testing.F) {
	converter, generator, r := draw.NewConverter(), draw.Problem(), resolver.New()
	var requests []resolver.Request
	for i := range 8 {
		req := converter.Request(generator.Example(i + 1))
		cert, err := certificate.Make(ctx, r, req)
		if err != nil {
			continue
		}
		data, err := json.Marshal(cert)
		require.NoError(f, err)
		f.Add(uint8(len(requests)), data)
		requests = append(requests, req)
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		cert, err := certificate.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		req := requests[int(which)%len(requests)]
		known := testkit.Must(certificate.Make(ctx, r, req))(t)
		cert.Request, cert.Catalogs = known.Request, known.Catalogs
		if certificate.Check(ctx, req, cert) == nil {
			require.Equal(t, known.Status, cert.Status)
			if known.Status != certificate.Unsatisfiable {
				require.Equal(t, setNames(known), setNames(cert))
			}
		}
	})
}

// TestPropertyCertificatesOfNearest: answers under goal Nearest are proven.
func TestPropertyCertificatesOfNearest(t *testing.T) {
	first, count := problems(t)
	generator, converter, r := draw.Problem(), draw.NewConverter(), resolver.New()
	for i := range count / 3 {
		req := converter.Request(generator.Example(first + i))
		req.Policy.Goal, req.Policy.Upgrades = resolver.Nearest, resolver.UpgradesSelfCertified
		t.Run("seed "+strconv.Itoa(first+i), func(t *testing.T) { proven(t, r, req) })
	}
}

// TestPropertyCertificatesOfPolicies: the checker judges the rules of a policy for itself. It
// accepts each proof under the policy, and refuses it under another one.
func TestPropertyCertificatesOfPolicies(t *testing.T) {
	first, count := problems(t)
	generator, converter, r := draw.Problem(), draw.NewConverter(), resolver.New()
	forbidden, refused := 0, 0
	for i := range count / 3 {
		req := converter.Request(generator.Example(first + i))
		req.Now = time.Date(2026, 8, 22, 0, 0, 0, 0, time.UTC)
		req.Policy.Veto = []resolver.VetoRule{{Rule: `semver_compare(bundle.version, "1.1.0") > 0 && now > timestamp("2026-01-01T00:00:00Z")`},
			{Rule: `bundle.properties.exists(p, p.type == "olm.gvk" && bundle.channels.size() > 1)`}}
		cert := proven(t, r, req)
		if cert == nil {
			continue
		}
		if slices.ContainsFunc(cert.Facts, func(f resolver.ProofFact) bool { return f.Kind == "forbidden" && f.Index < 0 }) {
			forbidden++
		}
		other := req
		other.Policy.Veto = []resolver.VetoRule{{Rule: "true"}}
		different, err := certificate.Make(ctx, r, other)
		if err != nil {
			continue
		}
		forged := *cert
		forged.Request = different.Request
		if cert.Status == certificate.Resolved && !sameClaim(&forged, different) {
			require.Error(t, certificate.Check(ctx, other, &forged), "seed %d", first+i)
			refused++
		}
	}
	require.Positive(t, forbidden)
	require.Positive(t, refused)
}
