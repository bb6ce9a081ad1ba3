package page

import (
	"encoding/json"
	"fmt"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// example is a problem offered on the start page.
type example struct {
	Title string          `json:"title"`
	About string          `json:"about"`
	State json.RawMessage `json:"state"`
}

// startExamples returns examples for the catalogs: the package with the most requirements, an
// upgrade of the package with the most versions among those with requirements, and a version
// that does not exist.
func startExamples(catalogs []resolver.Catalog) []example {
	var needs, chain *graph.Package
	most, longest := 0, 0
	for _, c := range catalogs {
		for p := range c.Content.Packages() {
			list := offered(p)
			if len(list) > 0 && len(list[0].Constraints) > most {
				needs, most = p, len(list[0].Constraints)
			}
			if n := len(list); n > longest && n > 2 && len(list[0].Constraints) > 0 {
				chain, longest = p, n
			}
		}
	}
	var out []example
	add := func(title, about string, st scenario.Scenario) {
		if raw, err := writeState(&st); err == nil {
			out = append(out, example{title, about, raw})
		}
	}
	if needs != nil {
		add("Install "+needs.Name, "and what it requires", scenario.Scenario{Subscriptions: []scenario.Subscription{{Name: needs.Name, Package: needs.Name}}})
	}
	if chain != nil {
		list := offered(chain)
		old := list[min(len(list)-1, 4)]
		add("Upgrade "+chain.Name, fmt.Sprintf("from version %s", old.Version), scenario.Scenario{
			Installed:     []scenario.Installed{{Name: old.Name, Version: old.Version.String()}},
			Subscriptions: []scenario.Subscription{{Name: chain.Name, Package: chain.Name, Channel: chain.DefaultChannel, InstalledCSV: old.Name}}})
		add("Request a version that does not exist", fmt.Sprintf("%s above %s", chain.Name, list[0].Version), scenario.Scenario{
			Subscriptions: []scenario.Subscription{{Name: chain.Name, Package: chain.Name, VersionRange: ">" + list[0].Version.String()}}})
	}
	return out
}

// offered returns the bundles of the default channel, best first.
func offered(p *graph.Package) (list []*graph.Bundle) {
	if c := p.Channel(p.DefaultChannel); c != nil {
		for _, b := range c.Candidates() {
			list = append(list, b)
		}
	}
	return list
}
