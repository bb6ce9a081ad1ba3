package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/draw"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// page is a page of HTML as it parses: all texts and their elements, and all
// attributes.
type page struct {
	source     string
	texts      []string // outside of style
	within     map[string][]string
	attributes []xml.Attr
	elements   []string // with the names of their attributes; comments and instructions, too
}

// parsePage parses a page.
func parsePage(t *testing.T, source string) *page {
	t.Helper()
	p := &page{source: source, within: make(map[string][]string)}
	dec := xml.NewDecoder(strings.NewReader(strings.TrimPrefix(source, "<!DOCTYPE html>")))
	dec.Strict, dec.AutoClose, dec.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var open []string
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			require.Empty(t, open, "every element is closed")
			return p
		}
		require.NoError(t, err, source)
		switch token := token.(type) {
		case xml.StartElement:
			open = append(open, token.Name.Local)
			p.attributes = append(p.attributes, token.Attr...)
			p.within[token.Name.Local] = append(p.within[token.Name.Local], "")
			line := token.Name.Local
			for _, a := range token.Attr {
				line += " " + a.Name.Local
			}
			p.elements = append(p.elements, line)
		case xml.Comment:
			p.elements = append(p.elements, "comment")
		case xml.ProcInst:
			p.elements = append(p.elements, "instruction")
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			s := strings.TrimSpace(string(token))
			if s == "" || open[len(open)-1] == "style" {
				continue
			}
			p.texts = append(p.texts, s)
			for _, in := range open {
				list := p.within[in]
				list[len(list)-1] = strings.TrimSpace(list[len(list)-1] + " " + s)
			}
		}
	}
}

// htmlOf is the page of scenarios, with the exit status.
func htmlOf(t *testing.T, status int, files ...string) *page {
	t.Helper()
	got := resolute(context.Background(), "", append([]string{"resolve", "-o", "html"}, files...)...)
	require.Equal(t, status, got.status, got.errOut)
	return parsePage(t, got.out)
}

// selfContained wants a page that loads nothing, runs nothing, and whose links lead
// to where there is something, on the page.
func (p *page) selfContained(t *testing.T) {
	t.Helper()
	for _, element := range []string{"script", "img", "link", "iframe", "object", "form"} {
		require.NotContains(t, p.within, element)
	}
	ids := make(map[string]bool)
	for _, a := range p.attributes {
		if a.Name.Local == "id" {
			require.False(t, ids[a.Value], "two elements have the id %s", a.Value)
			ids[a.Value] = true
		}
	}
	for _, a := range p.attributes {
		require.NotEqual(t, "src", a.Name.Local)
		require.False(t, strings.HasPrefix(a.Name.Local, "on"), a.Name.Local)
		if a.Name.Local == "href" {
			require.True(t, strings.HasPrefix(a.Value, "#") && ids[a.Value[1:]], a.Value)
		}
	}
	require.NotContains(t, p.source, "url(")
	require.NotContains(t, p.source, "@import")
	require.NotContains(t, p.source, "http://")
	require.Contains(t, p.source, `content="default-src 'none'; style-src 'unsafe-inline'"`)
}

func TestPageOfAConflict(t *testing.T) {
	p := htmlOf(t, 1, conflict)
	p.selfContained(t)
	require.Equal(t, []string{"No solution: subscriptions gateway and authorization cannot both be met"}, p.within["h1"])
	require.Equal(t, []string{"Why", "Corrections", "The facts, and their candidates"}, p.within["h2"])
	for _, text := range []string{
		"release the version range >=0.15.0 of subscription authorization",                  // a correction
		"authorino-operator.v0.13.0, kuadrant-operator.v0.11.1, limitador-operator.v0.11.0", // its result
		"subscription gateway asks for package kuadrant-operator",                           // a fact
		"kuadrant-operator.v0.11.1",                                                 // a candidate
		"requires package authorino-operator in range 0.13.0",                       // what rejected it
		"cannot be installed beside another version of package authorino-operator",  // and others
		"authorino-operator.v0.16.0, authorino-operator.v0.15.1",                    // told together
		"only one version of package authorino-operator can be installed at a time", // the fact that closes it
		"The conflict, left to right", "Show source",                                // and the graph
	} {
		require.Contains(t, p.texts, text)
	}
	answer := new(scenario.Runner).Run(context.Background(), read(t, conflict))
	argument := answer.Conflict.Argument()
	argument.Corrections = nil // which the page has below the picture
	require.Contains(t, p.within["pre"], strings.TrimSpace(testkit.Written(t, draw.Conflict(argument).WriteMermaid)))
	require.Contains(t, p.within["pre"], strings.TrimSpace(testkit.Written(t, draw.Conflict(argument).WriteDOT)))
	require.Len(t, answer.Conflict.Facts, strings.Count(p.source, `<div class="fact"`))

	p = htmlOf(t, 1, "--no-corrections", conflict)
	require.Equal(t, []string{"Why", "The facts, and their candidates"}, p.within["h2"])
}

// read reads a scenario.
func read(t *testing.T, file string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.ReadFile(context.Background(), file)
	require.NoError(t, err)
	return s
}

func TestPageOfASolution(t *testing.T) {
	p := htmlOf(t, 0, road)
	p.selfContained(t)
	require.Equal(t, []string{"Resolved, 5 bundles"}, p.within["h1"])
	for _, text := range []string{
		"Plan: 4 to upgrade, 1 unchanged.", "Before and after", "cert-manager.v1.15.0 → cert-manager.v1.16.1", "1 unchanged",
		"First", "Then", "~ upgrade", "= keep", "cert-manager", "1.16.1", "cert-manager.v1.16.1", "replaces", "cert-manager.v1.15.0",
		"subscription certificates", "subscription rabbitmq-cluster-operator-stable-community-olm",
	} {
		require.Contains(t, p.texts, text)
	}
	require.Contains(t, p.within["td"][1], "from olm/community, channel stable")
	require.Contains(t, p.within["li"], "required by rabbitmq-messaging-topology-operator.v1.19.3 : package cert-manager in range >=1.15.0")
	require.Len(t, p.within["tr"], 1+2+4+1+1, "a head, a row a wave, and a row a bundle; a head and a row for what stays")

	p = htmlOf(t, 0, kube)
	require.Contains(t, p.texts, "strimzi-cluster-operator.v0.51.0", "passed over")
	p = htmlOf(t, 0, "../../examples/scenarios/deprecated.json")
	require.Contains(t, p.texts, "deprecated")
	require.Contains(t, p.source, `class="verdict but"`, "what has a warning is not green")
}

func TestPageOfWhatIsLeftOut(t *testing.T) {
	p := htmlOf(t, 0, "../../examples/scenarios/partial.yaml")
	p.selfContained(t)
	require.Equal(t, []string{"Steps", "Picture", "left out gateway", "Why", "The facts, and their candidates"}, p.within["h2"])
	require.Contains(t, p.texts, "Channel preview not found; the package has stable.")
	require.Contains(t, p.texts, "prometheusoperator.0.56.3")
}

// TestPageOfSeveral has a section each, in the order of the arguments, also for
// what could not be answered.
func TestPageOfSeveral(t *testing.T) {
	p := htmlOf(t, 2, install, conflict, "nowhere.yaml", "../../examples/scenarios/partial.yaml", conflict)
	p.selfContained(t)
	require.Len(t, p.within["section"], 5)
	require.Equal(t, []string{
		"3 of 5 scenarios without a solution", "Resolved, 5 bundles", "No solution: subscriptions gateway and authorization cannot both be met", "Invalid",
		"Resolved, 1 bundle, 1 subscription unresolved", "No solution: subscriptions gateway and authorization cannot both be met",
	}, p.within["h1"])
	require.Contains(t, p.within["section"][2], "nowhere.yaml: no such file")
	require.Contains(t, p.within["nav"][0], "../../examples/scenarios/partial.yaml")
	require.Empty(t, htmlOf(t, 0, install).within["nav"], "one needs no contents")

	p = htmlOf(t, 0, write(t, "empty.yaml", "namespace: a"))
	require.Equal(t, []string{"Resolved, 0 bundles"}, p.within["h1"])
}

// The page has every statement of an argument, in its order, below what it depends on.
func TestPageHasTheTreeOfAnArgument(t *testing.T) {
	for _, file := range []string{conflict, "../../resolver/testdata/arguments/diamond.yaml", "../../resolver/testdata/arguments/hostile-text.yaml"} {
		p := htmlOf(t, 1, file)
		answer := new(scenario.Runner).Run(context.Background(), read(t, file))
		var want []string
		answer.Conflict.Argument().Walk(func(_ int, s *argument.Statement) { want = append(want, s.Sentence()) })
		require.NotEmpty(t, want)
		letters := strings.NewReplacer(" ", "") // a name in a sentence is an element of its own
		at, all := 0, letters.Replace(strings.Join(p.texts, ""))
		for _, sentence := range want {
			i := strings.Index(all[at:], letters.Replace(sentence))
			require.GreaterOrEqual(t, i, 0, sentence)
			at += i + 1
		}
	}
}

// All independent conflicts are on the page, and broken bundles are marked.
func TestPageOfIndependentConflicts(t *testing.T) {
	p := htmlOf(t, 1, write(t, "two.yaml", "subscriptions:\n- {name: a, package: none}\n- {name: b, package: nothing}\n"))
	p.selfContained(t)
	require.Equal(t, []string{"No solution, 2 conflicts"}, p.within["h1"])
	require.Subset(t, p.within["h2"], []string{"Subscription a cannot be met", "Subscription b cannot be met"})
}

// ours are the elements that the page is made of.
var ours = strings.Fields("html head meta title style body header footer main nav section h1 h2 h3 p ul ol li a span div dl dt dd blockquote table thead tbody tr th td b details summary pre figure figcaption svg desc rect g path text circle br")

func TestGraphOfOneScenario(t *testing.T) {
	got := resolute(context.Background(), "", "resolve", "-o", "mermaid", install)
	require.Zero(t, got.status)
	require.True(t, strings.HasPrefix(got.out, "flowchart LR\n"), got.out)
	require.Contains(t, got.out, "subgraph w1[\"then\"]\n    b4[\"+ rabbitmq-messaging-topology-operator 1.19.3<br/>for subscription messaging\"]")
	require.Contains(t, got.out, "+ cert-manager 1.16.5<br/>required by rabbitmq-messaging-topology-operator 1.19.3")
	require.Contains(t, got.out, "  w0 --> w1\n")
	got = resolute(context.Background(), "", "resolve", "-o", "dot", road)
	require.Contains(t, got.out, `label="~ cert-manager 1.15.0 → 1.16.1\n`)
	require.Contains(t, got.out, `tooltip="upgrade cert-manager.v1.16.1; `)
	got = resolute(context.Background(), "", "resolve", "-o", "mermaid", "../../examples/scenarios/partial.yaml")
	require.Contains(t, got.out, `{{"✕ subscription gateway<br/>subscription gateway cannot be met"}}`)

	c := new(scenario.Runner).Run(context.Background(), read(t, conflict)).Conflict.Argument()
	got = resolute(context.Background(), "", "resolve", "-o", "mermaid", conflict)
	require.Equal(t, 1, got.status)
	require.Equal(t, testkit.Written(t, draw.Conflict(c).WriteMermaid), got.out)
	require.Equal(t, testkit.Written(t, draw.Conflict(c).WriteDOT), resolute(context.Background(), "", "resolve", "-o", "dot", conflict).out)

	waysOut(t, map[string]wayOut{
		"two at once":       {[]string{"resolve", "-o", "mermaid", install, conflict}, 2, "-o mermaid takes one FILE, but 2 are given"},
		"two at once, dot":  {[]string{"resolve", "-o", "dot", install, conflict}, 2, "-o dot takes one FILE"},
		"nothing to draw":   {[]string{"resolve", "-o", "dot", "nowhere.yaml"}, 2, "no such file"},
		"stopped":           {[]string{"resolve", "-o", "html", "--max-bundles", "1", install}, 3, "more than 1 candidate bundles"},
		"stopped, no graph": {[]string{"resolve", "-o", "mermaid", "--max-bundles", "1", install}, 3, "more than 1 candidate bundles"},
	})
	require.Empty(t, resolute(context.Background(), "", "resolve", "-o", "dot", "nowhere.yaml").out)
}

// TestEveryPageHasItsPicture: drawn, as a scenario and its answer want it, with nothing
// from elsewhere, in light and dark, and with its sources behind a summary.
func TestEveryPageHasItsPicture(t *testing.T) {
	for _, c := range []struct {
		status  int
		picture string
		args    []string
	}{
		{0, "The steps of the solution, first to last", []string{"resolve", install}},
		{1, "Why there is no solution", []string{"resolve", conflict}},
		{0, "The steps of the solution, first to last", []string{"upgrade", road, "certificates"}},
		{0, "Upgrade path", []string{"converge", road}},
		{1, "Why there is no solution", []string{"converge", conflict}},
		{0, "Why there is no solution", []string{"explain", install, "etcdoperator.v0.9.2-clusterwide"}},
		{1, "Why there is no solution", []string{"explain", conflict, "authorino-operator.v0.16.0"}},
		{0, "Updates of package etcd", []string{"graph", community, "etcd"}},
	} {
		got := resolute(context.Background(), "", append([]string{c.args[0], "-o", "html"}, c.args[1:]...)...)
		require.Equal(t, c.status, got.status, "%v: %s", c.args, got.errOut)
		p := parsePage(t, got.out)
		p.selfContained(t)
		require.NotEmpty(t, p.within["svg"], "%v", c.args)
		require.Contains(t, p.within["title"][1:], c.picture, "%v", c.args)
		require.Contains(t, p.within["summary"], "Show source")
		require.Contains(t, got.out, "@media (prefers-color-scheme:dark)")
		for element := range p.within {
			require.Contains(t, ours, element)
		}
	}
}

// TestPageOfARoad has a table of what each round changes, and the conflict at the end.
func TestPageOfARoad(t *testing.T) {
	p := parsePage(t, resolute(context.Background(), "", "converge", "-o", "html", road).out)
	require.Equal(t, []string{"Settled after 2 rounds"}, p.within["h1"])
	require.Equal(t, []string{"Picture", "Round 1", "Round 2"}, p.within["h2"])
	require.Len(t, p.within["tr"], 1+4+1+2, "what stays is not told again")
	require.Contains(t, p.texts, "cert-manager.v1.16.5")
	p = parsePage(t, resolute(context.Background(), "", "converge", "-o", "html", loop).out)
	require.Equal(t, []string{"The upgrades repeat forever: round 3 returns to the state after round 1"}, p.within["h1"])
	p = parsePage(t, resolute(context.Background(), "", "converge", "-o", "html", conflict).out)
	require.Contains(t, p.texts, "release the version range >=0.15.0 of subscription authorization")
}

// A picture is written completely or not at all: nothing of it after its context has ended.
func TestStoppedPicture(t *testing.T) {
	answer := &scenario.Answer{Status: scenario.Resolved, Steps: []resolver.Step{{Bundle: "a.v1", Package: "a", Action: resolver.Install}}}
	for _, form := range []string{"svg", "dot", "mermaid"} {
		var out bytes.Buffer
		a := &app{out: terminal.New(&out)}
		err := a.draw(testkit.Ended(), form, view.NewPicture(answer))
		require.ErrorContains(t, err, "drawing stopped: context canceled")
		require.Equal(t, scenario.Incomplete, failedStatus(err))
		require.Empty(t, out.String())
		require.NoError(t, a.draw(t.Context(), form, view.NewPicture(answer)))
		require.Contains(t, out.String(), "a.v1")
	}
}

// TestHeadlines: the title and the first headline of each report say the verdict, and the page is
// self-contained.
func TestHeadlines(t *testing.T) {
	dump := write(t, "dump.yaml", dumped)
	goods := write(t, "goods.jsonl", universe.JSON(t, goods))
	untidy := "../../examples/catalogs/untidy.yaml"
	for _, c := range []struct {
		status  int
		verdict string
		args    []string
	}{
		{0, "Resolved, 5 bundles", []string{"resolve", install}},
		{1, "1 of 2 scenarios without a solution", []string{"resolve", install, conflict}},
		{0, "All 2 scenarios have a solution", []string{"resolve", install, road}},
		{0, "Resolved, 2 bundles", []string{"whatif", "../../examples/scenarios/alternatives.yaml"}},
		{0, "5 bundles with 2 dependencies", []string{"needs", install}},
		{0, "Nothing breaks without subscription certificates", []string{"needs", "--drop", "certificates", road}},
		{1, "1 bundle breaks without subscription rabbitmq-cluster-operator-stable-community-olm", []string{"needs", "--drop", "rabbitmq-cluster-operator-stable-community-olm", road}},
		{0, "The head of 1 of 2 channels can be reached from cert-manager.v1.15.0", []string{"channels", road, "certificates"}},
		{1, "Of 38 bundles, 1 cannot be installed and 3 do not reach the head of their channel", []string{"audit", community}},
		{0, "Everything can be installed and reaches the head of its channel", []string{"audit", goods}},
		{0, "No problems in " + community, []string{"validate", community}},
		{1, "5 problems in " + untidy, []string{"validate", untidy}},
		{1, "5 problems in 2 catalogs", []string{"validate", untidy, community}},
		{0, "No regressions in " + community, []string{"diff", community, community}},
		{0, "All 1 scenario is answered as expected", []string{"test", install}},
		{1, "0 of 1 cluster is ready", []string{"ready", road, "--next", "olm/community=" + untidy, "--openshift", "4.19"}},
		{0, "Warnings in 1 of 1 namespace", []string{"capture", dump, "--catalog", "shop/goods=" + goods}},
	} {
		got := resolute(context.Background(), "", append([]string{c.args[0], "-o", "html"}, c.args[1:]...)...)
		require.Equal(t, c.status, got.status, "%v: %s", c.args, got.errOut)
		p := parsePage(t, got.out)
		p.selfContained(t)
		require.Equal(t, c.verdict, strings.ReplaceAll(p.within["h1"][0], "/ ", "/"), "%v", c.args) // which can break there
		require.True(t, strings.HasPrefix(p.within["title"][0], c.verdict), "%v: %s", c.args, p.within["title"][0])
	}
}
