package resolver_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/resolver"
)

// objects is a model of the objects of a cluster that commands are about: which bundles are
// there, and what each subscription owns.
type objects struct {
	csvs          map[string]bool
	subscriptions map[string]string
	before        map[string]string // what a bundle is taking over from
}

// objectsOf makes the objects of the cluster that a request describes.
func objectsOf(req *resolver.Request) *objects {
	o := &objects{csvs: map[string]bool{}, subscriptions: map[string]string{}, before: map[string]string{}}
	for _, in := range req.Installed {
		o.csvs[in.Name], o.before[in.ReplacedBy] = true, in.Name
	}
	owned := req.Owned()
	for _, s := range req.Subscriptions {
		o.subscriptions[s.Name] = owned[s.Name]
	}
	return o
}

// runCommands runs the commands of a correction on a model of the cluster: each has to find
// its objects, and what is left is the cluster of the changed request.
func runCommands(req *resolver.Request, k resolver.Correction) error {
	cluster, made := objectsOf(req), []resolver.Change(nil)
	for _, of := range k.Changes {
		c, subject := of.Change, of.Change.Subject()
		if c.Kind() == resolver.ChangeMigrateStorage { // which the model does not have
			continue
		}
		onCluster := slices.Contains([]resolver.ChangeKind{resolver.ChangeDropSubscription, resolver.ChangeRemoveInstalled, resolver.ChangeAdoptInstalled}, c.Kind())
		if onCluster && len(of.Commands) == 0 {
			if _, there := cluster.subscriptions[subject]; there || cluster.csvs[subject] && c.Kind() != resolver.ChangeAdoptInstalled {
				return fmt.Errorf("there are none for %q", c)
			}
			return nil // about what no object is there for
		}
		for _, line := range of.Commands {
			if err := cluster.run(line); err != nil {
				return fmt.Errorf("%s: %w", line, err)
			}
		}
		made = append(made, c)
	}
	changed, err := req.Apply(made...)
	if err != nil {
		return err
	}
	given := make(map[string]bool)
	for _, s := range req.Subscriptions {
		given[s.Name] = true
	}
	want := objectsOf(&changed)
	maps.DeleteFunc(want.subscriptions, func(name, _ string) bool { return !given[name] }) // which no cluster need have
	if !maps.Equal(want.csvs, cluster.csvs) || !maps.Equal(want.subscriptions, cluster.subscriptions) {
		return fmt.Errorf("they leave %v, and not %v", cluster, want)
	}
	return nil
}

func (o *objects) run(line string) error {
	words := strings.Fields(line)
	if i := slices.Index(words, "|"); i >= 0 { // get … | kubectl replace --force -f -
		_, there := o.subscriptions[words[5]]
		if !there || words[3] != "get" || !strings.Contains(line, "replace --force") {
			return fmt.Errorf("there is no %s", words[5])
		}
		o.subscriptions[words[5]] = ""
		return nil
	}
	verb, kind, name := words[3], words[4], words[5]
	if strings.HasPrefix(kind, "installplan") {
		name = words[slices.Index(words, "-o")-1]
	} else if strings.HasPrefix(kind, "clusterserviceversion") {
		if !o.csvs[name] {
			return fmt.Errorf("there is no bundle %s", name)
		}
		delete(o.csvs, name)
		for s, owned := range o.subscriptions { // which says so until it is made anew
			if owned == name {
				o.subscriptions[s] = cmp.Or(o.before[name], "gone")
			}
		}
		return nil
	}
	if _, there := o.subscriptions[name]; !there {
		return fmt.Errorf("there is no subscription %s", name)
	}
	if verb == "delete" {
		delete(o.subscriptions, name)
		return nil
	}
	if _, status, adopts := strings.Cut(line, `"installedCSV":"`); adopts {
		bundle, _, _ := strings.Cut(status, `"`)
		if !o.csvs[bundle] {
			return fmt.Errorf("there is no bundle %s", bundle)
		}
		o.subscriptions[name] = bundle
	}
	return nil
}
