package olm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// Commands returns the kubectl commands for a change of a correction, in their order and quoted
// for a shell; use it as Commands of [whatif.FindOptions]. It returns none for a change that no
// command makes, such as a change of the request alone or of an object with an invalid name.
func Commands(edit *whatif.Edit) []string {
	k := kubectl{req: edit.Request, given: edit.Given, all: edit.Correction}
	if k.req == nil {
		k.req = new(resolver.Request)
	}
	if k.given == nil {
		k.given = func(string) bool { return true }
	}
	if k.change(edit.Change); k.impossible {
		return nil
	}
	return k.lines
}

// The resource names in commands.
const (
	subscriptions = "subscription.operators.coreos.com"
	csvs          = "clusterserviceversion.operators.coreos.com"
	installPlans  = "installplan.operators.coreos.com"
	extensions    = "clusterextension"
	definitions   = "customresourcedefinition"
)

// kubectl collects the commands for a change. An invalid name makes it impossible, so that no
// name can contain shell syntax.
type kubectl struct {
	req        *resolver.Request // with the earlier changes applied
	given      func(name string) bool
	all        []resolver.Change // of the correction
	lines      []string
	impossible bool
}

// change adds the commands of a change; none for a change of the request alone, such as a
// prohibition.
func (k *kubectl) change(c resolver.Change) {
	switch c := c.(type) {
	case resolver.DropSubscription:
		k.impossible = !k.given(c.Subscription)
		k.drop(c)
	case resolver.ReleasePin:
		k.impossible = !k.given(c.Subscription)
		switch {
		case c.Extension:
			k.patch(extensions, c.Subscription, inCatalog("version", nil))
		case c.StartingCSV != "" && c.VersionRange == "":
			k.patch(subscriptions, c.Subscription, spec("startingCSV", nil))
		}
	case resolver.ReleaseHold:
		k.impossible = !k.given(c.Subscription)
		plan := fmt.Sprintf(`"$(%s -o jsonpath='{.status.installPlanRef.name}')"`, k.command("get", subscriptions, c.Subscription))
		k.lines = append(k.lines, k.command("patch", installPlans)+" "+plan+` --type merge -p '{"spec":{"approved":true}}'`)
	case resolver.FollowChannel:
		k.impossible = !k.given(c.Subscription)
		k.follow(c)
	case resolver.MigrateStorage:
		k.migrate(c.CRD)
	case resolver.RemoveInstalled:
		k.remove(c)
	case resolver.AdoptInstalled:
		k.impossible = !k.given(c.Subscription)
		if len(k.req.Extensions) == 0 {
			k.dropGenerated(c)
			k.value(c.Bundle)
			k.patch(subscriptions, c.Subscription, map[string]any{"status": map[string]any{"currentCSV": c.Bundle, "installedCSV": c.Bundle}}, "--subresource=status")
		}
	case resolver.UseName:
		k.impossible = !k.given(c.Subscription)
		k.rename(c)
	}
}

// drop deletes a subscription or an extension. The installed bundle stays, unless the correction
// removes it too.
func (k *kubectl) drop(c resolver.DropSubscription) {
	if !c.Extension {
		k.add("delete", subscriptions, c.Subscription)
	} else if owned := k.req.Owned()[c.Subscription]; owned == "" || k.removes(owned) {
		k.add("delete", extensions, c.Subscription)
	} else {
		k.add("delete", extensions, c.Subscription, "--cascade=orphan")
	}
}

// follow moves a subscription to another channel after its bundle is installed.
func (k *kubectl) follow(c resolver.FollowChannel) {
	if c.Round > 1 && c.Installed != "" {
		k.lines = append(k.lines, k.command("wait", csvs, c.Installed)+" --for=jsonpath='{.status.phase}'=Succeeded --timeout=1h")
	}
	var channel, channels any // nil means all
	if c.Channel != "" {
		channel, channels = c.Channel, []string{c.Channel}
		k.value(c.Channel)
	}
	if c.Extension {
		k.patch(extensions, c.Subscription, inCatalog("channels", channels))
	} else {
		k.patch(subscriptions, c.Subscription, spec("channel", channel))
	}
}

// migrate prints the stored versions of a resource definition, rewrites every object in the
// storage version as the storage version migrator does, and then removes the other versions from
// the stored ones.
func (k *kubectl) migrate(name string) {
	for _, d := range k.req.Cluster.CRDs {
		if d.Name != name {
			continue
		}
		for _, v := range d.Versions {
			if v.Storage {
				k.value(v.Name)
				k.lines = append(k.lines, "kubectl get crd "+name+" -o jsonpath='{.status.storedVersions}'", "kubectl get "+name+" -A -o json | kubectl replace -f -")
				k.patch(definitions, name, map[string]any{"status": map[string]any{"storedVersions": []string{v.Name}}}, "--subresource=status")
			}
		}
	}
}

// remove uninstalls a bundle. It recreates the owner, whose status would otherwise still name the
// bundle, unless the owner has a replacement by then.
func (k *kubectl) remove(c resolver.RemoveInstalled) {
	bundle, left := c.Bundle, make(map[string]string)
	if next, err := k.req.Apply(c); err == nil {
		left = next.Owned()
	}
	anew := func(resource, name string) {
		k.lines = append(k.lines, k.command("get", resource, name)+" -o json | kubectl replace --force -f -")
	}
	if len(k.req.Extensions) == 0 {
		k.add("delete", csvs, bundle)
	}
	owned := k.req.Owned()
	for _, e := range k.req.Extensions {
		if owned[e.Name] == bundle {
			anew(extensions, e.Name)
		}
	}
	for _, s := range k.req.Subscriptions {
		switch {
		case owned[s.Name] != bundle || left[s.Name] != "":
		case s.Generated: // deleted with it
			k.deleteGenerated(s.Name)
		default:
			anew(subscriptions, s.Name)
		}
	}
}

// removes reports whether the correction removes an installed bundle.
func (k *kubectl) removes(bundle string) bool {
	return slices.ContainsFunc(k.all, func(c resolver.Change) bool { return c == resolver.RemoveInstalled{Bundle: bundle} })
}

// dropGenerated deletes the generated subscriptions of a bundle that another one adopts.
func (k *kubectl) dropGenerated(c resolver.AdoptInstalled) {
	owned := k.req.Owned()
	for _, s := range k.req.Subscriptions {
		if s.Generated && owned[s.Name] == c.Bundle && s.Name != c.Subscription {
			k.deleteGenerated(s.Name)
		}
	}
}

func (k *kubectl) deleteGenerated(name string) {
	if k.given(name) {
		k.add("delete", subscriptions, name)
	}
}

// rename corrects a name that does not exist.
func (k *kubectl) rename(c resolver.UseName) {
	k.value(c.To)
	key, err := cache.ParseKey(c.To)
	switch {
	case c.Extension && c.Of == resolver.NamePackage: // immutable
		k.lines = append(k.lines, fmt.Sprintf("%s -o json | kubectl patch --local -f - -o json --type merge -p %s | kubectl replace --force -f -",
			k.command("get", extensions, c.Subscription), quoted(inCatalog("packageName", c.To))))
	case c.Extension:
		k.patch(extensions, c.Subscription, inCatalog("channels", renamed(k.channels(c.Subscription), c.From, c.To)))
	case c.Of == resolver.NamePackage:
		k.patch(subscriptions, c.Subscription, spec("name", c.To))
	case c.Of == resolver.NameCatalog && err == nil:
		k.patch(subscriptions, c.Subscription, map[string]any{"spec": map[string]any{"source": key.Name, "sourceNamespace": key.Namespace}})
	case c.Of == resolver.NameChannel && len(k.channels(c.Subscription)) == 1: // a subscription follows one channel
		k.patch(subscriptions, c.Subscription, spec("channel", c.To))
	}
}

// channels returns the channels of a subscription or an extension.
func (k *kubectl) channels(name string) []string {
	for i := range k.req.Subscriptions {
		if s := &k.req.Subscriptions[i]; s.Name == name {
			return s.Channels
		}
	}
	for i := range k.req.Extensions {
		if e := &k.req.Extensions[i]; e.Name == name {
			return e.Channels
		}
	}
	return nil
}

// renamed returns a list with one name replaced.
func renamed(names []string, from, to string) []string {
	out := slices.Clone(names)
	for i := range out {
		if out[i] == from {
			out[i] = to
		}
	}
	return out
}

func spec(key string, value any) any { return map[string]any{"spec": map[string]any{key: value}} }

func inCatalog(key string, value any) any {
	return spec("source", map[string]any{"catalog": map[string]any{key: value}})
}

// onCluster reports whether a cluster object can have a name: by the rules of Kubernetes, or of
// versions, which end the names of bundles.
func onCluster(name string) bool {
	const most, inner, ends = 253, "abcdefghijklmnopqrstuvwxyz0123456789.-", ".-"
	return name != "" && len(name) <= most && strings.Trim(name, inner) == "" && strings.Trim(name, ends) == name
}

// command returns a command for an object, or for a resource without a name, in the namespace of
// the request if the resource is namespaced.
func (k *kubectl) command(verb, resource string, name ...string) string {
	out := "kubectl"
	if ns := k.req.Namespace; ns != "" && resource != extensions && resource != definitions {
		k.named(ns)
		out += " -n " + ns
	}
	k.named(name...)
	return strings.Join(append([]string{out, verb, resource}, name...), " ")
}

// named checks that names are valid.
func (k *kubectl) named(names ...string) {
	k.impossible = k.impossible || slices.ContainsFunc(names, func(n string) bool { return !onCluster(n) })
}

func (k *kubectl) add(verb, resource, name string, flags ...string) {
	k.lines = append(k.lines, strings.Join(append([]string{k.command(verb, resource, name)}, flags...), " "))
}

func (k *kubectl) patch(resource, name string, patch any, flags ...string) {
	k.add("patch", resource, name, append(flags, "--type merge -p "+quoted(patch))...)
}

// value checks a value that a command writes into an object.
func (k *kubectl) value(s string) {
	strange := func(r rune) bool { return r < ' ' || r > '~' }
	k.impossible = k.impossible || len(s) > 512 || strings.ContainsFunc(s, strange)
}

// quoted returns a patch as one shell word.
func quoted(patch any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(patch); err != nil { // it contains only strings
		return "''"
	}
	return "'" + strings.ReplaceAll(strings.TrimSpace(b.String()), "'", `'\''`) + "'"
}
