package olm

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/text"
)

// Conditions of bundle lookups, subscriptions and operator groups.
const (
	conditionLookupPending = "BundleLookupPending"
	conditionLookupFailed  = "BundleLookupFailed"
	conditionUnpackFailed  = "BundleUnpackFailed"
)

// unpacking is a bundle that is not unpacked, with the known facts.
type unpacking struct {
	bundle, image, plan string
	catalog             cache.Key // its job runs in this namespace
	reason              string
	subs                []*subscription // waiting subscriptions
}

// findUnpacking reports the bundles that OLM could not unpack after a successful resolution.
func (b *builder) findUnpacking() {
	reasons, first := make(map[*subscription]string), ""
	for _, s := range b.subs {
		if c := find(s.Status.Conditions, conditionUnpackFailed); c != nil {
			reasons[s] = reported(c.Reason, c.Message)
			first = cmp.Or(first, reasons[s])
		}
	}
	list := b.unfinished(len(reasons) > 0)
	for _, u := range list {
		reason := first // OLM reports it on all subscriptions of the namespace
		for _, s := range u.subs {
			if reasons[s] != "" {
				reason = reasons[s]
				break
			}
		}
		u.reason = joined(u.reason, reason)
		b.reportUnpacking(u)
	}
	if len(list) > 0 {
		return
	}
	for _, s := range b.subs {
		if reason := reasons[s]; reason != "" {
			u := unpacking{reason: reason, catalog: catalogOf(s), subs: []*subscription{s}}
			if s.Status.CurrentCSV != s.Status.InstalledCSV {
				u.bundle = s.Status.CurrentCSV
			}
			b.reportUnpacking(u)
		}
	}
}

// unfinished returns the bundles of install plans whose unpack job failed or is not complete. If
// subscriptions report a failure, it includes every bundle of an incomplete plan.
func (b *builder) unfinished(failed bool) []unpacking {
	waiting := b.waiting()
	var certain, possible []unpacking
	for _, p := range b.plans[b.name] {
		if p.Status.Phase == "Complete" {
			continue
		}
		for i := range p.Status.BundleLookups {
			l := &p.Status.BundleLookups[i]
			u := unpacking{bundle: l.Identifier, image: l.Path, plan: p.Metadata.Name, catalog: cache.Key{Namespace: l.Catalog.Namespace, Name: l.Catalog.Name}}
			u.subs = slices.Concat(waiting["to "+l.Identifier], waiting["from "+l.Replaces])
			if len(u.subs) == 0 {
				u.subs = waiting["plan "+p.Metadata.Name]
			}
			failed, pending := find(l.Conditions, conditionLookupFailed), find(l.Conditions, conditionLookupPending)
			c := cmp.Or(failed, pending)
			switch {
			case failed != nil, pending != nil && p.Status.Phase == "Installing":
				u.reason = reported(c.Reason, c.Message)
				certain = append(certain, u)
			case c != nil || p.Status.Phase == "Installing":
				possible = append(possible, u)
			}
		}
	}
	if len(certain) == 0 && failed {
		return possible
	}
	return certain
}

// waiting indexes the waiting subscriptions by "to" and the target bundle, by "from" and the
// installed bundle, and by "plan" and the install plan.
func (b *builder) waiting() map[string][]*subscription {
	out := make(map[string][]*subscription)
	for _, s := range b.subs {
		at := &s.Status
		switch {
		case at.CurrentCSV != "" && at.CurrentCSV != at.InstalledCSV:
			out["to "+at.CurrentCSV] = append(out["to "+at.CurrentCSV], s)
		case at.InstalledCSV != "":
			out["from "+at.InstalledCSV] = append(out["from "+at.InstalledCSV], s)
		}
		if at.InstallPlanRef != nil {
			out["plan "+at.InstallPlanRef.Name] = append(out["plan "+at.InstallPlanRef.Name], s)
		}
	}
	return out
}

// joined joins two reasons if they differ.
func joined(a, b string) string {
	switch {
	case strings.Contains(b, a):
		return b
	case strings.Contains(a, b):
		return a
	}
	return a + "; " + b
}

// reportUnpacking reports a bundle that is not unpacked, the reason, and how to retry, by the
// chapter "Refreshing failing subscriptions" of OLM's documentation.
func (b *builder) reportUnpacking(u unpacking) {
	bundle, subject := "a bundle with an unknown name", b.name
	switch {
	case u.bundle != "":
		bundle, subject = "bundle "+text.Name(u.bundle), u.bundle
	case len(u.subs) > 0:
		subject = u.subs[0].Metadata.Name
		bundle = "the bundle that subscription " + subject + " waits for"
	}
	image := "its image is unknown"
	if u.image != "" {
		image = "its image is " + text.Name(u.image)
	}
	if w, fails := b.pulls[u.image]; fails && u.image != "" {
		u.reason = joined(u.reason, w.why())
	}
	steps, commands := b.refresh(u)
	b.found(codeUnpack, subject, "OLM cannot unpack %s (%s): %s; make sure that the image can be pulled, then %s", bundle, image, cmp.Or(u.reason, "no reason reported"), steps)
	b.findings[len(b.findings)-1].Commands = commands
}

// refresh describes how to refresh a failing subscription, with commands. The CSV of the
// subscription is deleted, too, since the recreated subscription would not own it.
func (b *builder) refresh(u unpacking) (words string, commands []string) {
	job, market := jobOf(u.image), cmp.Or(u.catalog.Namespace, b.global)
	var gone, names []string
	run := func(namespace, verb, what, name string) {
		commands = append(commands, strings.TrimSpace(fmt.Sprintf("kubectl -n %s %s %s %s", namespace, verb, what, name)))
	}
	for _, s := range u.subs {
		run(b.name, "delete", "subscription.operators.coreos.com", s.Metadata.Name)
		names = append(names, "subscription "+s.Metadata.Name)
		for _, csv := range text.Distinct([]string{s.Status.InstalledCSV, u.bundle}) {
			if b.byName[csv] != nil && !slices.Contains(gone, csv) {
				run(b.name, "delete", "clusterserviceversion.operators.coreos.com", csv)
				gone, names = append(gone, csv), append(names, "CSV "+csv)
			}
		}
	}
	if badName(&meta{Name: market}) != "" {
		market = b.global
	}
	if job == "JOB" {
		run(market, "get", "jobs,configmaps", "")
	}
	run(market, "delete", "job", job)
	run(market, "delete", "configmap", job)
	words = fmt.Sprintf("delete job %s and configmap %s in namespace %s", job, job, market)
	if u.plan != "" {
		run(b.name, "delete", "installplan.operators.coreos.com", u.plan)
		names = append([]string{"install plan " + u.plan}, names...)
	}
	if len(names) > 0 {
		words += fmt.Sprintf(", and %s in namespace %s", text.And(names), b.name)
	}
	if len(u.subs) > 0 {
		words += ", and create the subscription again"
	}
	if len(gone) > 0 {
		words += "; the operator does not run until OLM installs its CSV again"
	}
	return words, commands
}

// jobOf returns the name of the unpack job of an image and of its config map: a digest. For an
// unknown image it is JOB.
func jobOf(image string) string {
	if image == "" {
		return "JOB"
	}
	sum := sha256.Sum256([]byte(image))
	return hex.EncodeToString(sum[:])[:63] // as long as a label may be
}

// findAccounts reports operator groups whose service account does not exist. OLM needs it to
// execute install plans.
func (b *builder) findAccounts() {
	for _, g := range b.groups[b.name] {
		account := g.Spec.ServiceAccountName
		c := g.accountMissing()
		if c == nil && (account == "" || !b.lacksAccount(g)) {
			continue
		}
		name, why, create := "service account "+text.Name(account), ": the dump has no such ServiceAccount", ""
		if account == "" {
			name = "its service account"
		} else if badName(&meta{Name: account}) == "" {
			create = fmt.Sprintf("kubectl -n %s create serviceaccount %s", b.name, account)
		}
		if c != nil {
			why = because(c.Reason, c.Message)
		}
		b.found(codeAccount, g.Metadata.Name, "OperatorGroup %s of namespace %s installs with %s, which does not exist in namespace %s%s; create it and grant it what its operators need, or remove spec.serviceAccountName from the group",
			g.Metadata.Name, b.name, name, b.name, why)
		b.findings[len(b.findings)-1].Commands = text.NonEmpty(create)
	}
}

// accountMissing returns the condition for a missing service account of a group, or nil.
func (g *operatorGroup) accountMissing() *condition {
	for i := range g.Status.Conditions {
		c := &g.Status.Conditions[i]
		if c.Status != "True" {
			continue
		}
		for _, s := range []string{c.Type, c.Reason} {
			switch s {
			case "OperatorGroupServiceAccountNotFound", "OperatorGroupServiceAccount", "ServiceAccountNotFound":
				return c
			}
		}
	}
	return nil
}

// lacksAccount reports whether the dump has service accounts of the namespace, but not that of
// the group.
func (b *builder) lacksAccount(g *operatorGroup) bool {
	if here := b.accounts[b.name]; len(here) > 0 {
		return !here[g.Spec.ServiceAccountName]
	}
	ref := g.Status.ServiceAccountRef
	return len(b.accounts) > 0 && (ref == nil || ref.Name != g.Spec.ServiceAccountName)
}

// findUnreachable reports the catalogs of the namespace and of its subscriptions whose image
// cannot be pulled, by pods or events.
func (b *builder) findUnreachable(visible map[cache.Key]bool) {
	if len(b.unreachable) == 0 {
		return
	}
	named := make(map[cache.Key]bool, len(b.subs))
	for _, s := range b.subs {
		named[catalogOf(s)] = true
	}
	for key, w := range b.unreachable { // sorted later
		if !visible[key] && !named[key] {
			continue
		}
		image := cmp.Or(text.Name(w.image), "of the catalog")
		b.found(codeUnreachable, key.String(), "catalog %s is unreachable: image %s cannot be pulled: %s; correct the image of the CatalogSource, its pull secret, or the mirror",
			key, image, text.Clip(w.why(), maxMessage))
	}
}
