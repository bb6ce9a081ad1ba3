package resolver

import (
	"bytes"
	"encoding/json"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/shape"
)

// marshal encodes a value as [json.Marshal] does, without escapes for HTML: the encoder that calls
// decides about those.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

func init() {
	shape.Register[Solution, solutionJSON]()
	shape.Register[Step, stepJSON]()
	shape.Register[CorrectionChange, changeJSON]()
	shape.Register[Conflict, conflictJSON]()
}

// solutionJSON is the JSON form of a solution.
type solutionJSON struct {
	Status     string       `json:"status"`
	Set        []string     `json:"set,omitempty"`
	Steps      []Step       `json:"steps,omitempty"`
	Warnings   []Warning    `json:"warnings,omitempty"`
	Unresolved []Unresolved `json:"unresolved,omitempty"`
	Stats      Stats        `json:"stats"`
}

// MarshalJSON implements [json.Marshaler]. The form is stable: "status" (always "resolved"),
// "set", "steps", "warnings", "unresolved" and "stats". Empty lists are omitted.
func (s Solution) MarshalJSON() ([]byte, error) {
	return marshal(solutionJSON{"resolved", s.Set(), s.Steps, s.Warnings, s.Unresolved, s.Stats})
}

// stepJSON is the JSON form of a step, with bundles as names.
type stepJSON struct {
	Wave     int    `json:"wave"`
	Action   Action `json:"action"`
	Bundle   string `json:"bundle"`
	Package  string `json:"package,omitempty"`
	Version  string `json:"version,omitempty"`
	Catalog  string `json:"catalog,omitempty"`
	Channel  string `json:"channel,omitempty"`
	Replaces string `json:"replaces,omitempty"`
	// AlsoReplaces lists the installed bundles that are replaced besides Replaces; there are
	// rarely any.
	AlsoReplaces []string              `json:"alsoReplaces,omitempty"`
	Because      []Reason              `json:"because,omitempty"`
	Hold         string                `json:"hold,omitempty"`
	PassedOver   []string              `json:"passedOver,omitempty"`
	Subscription *stepSubscriptionJSON `json:"subscription,omitempty"`
	Extension    *stepExtensionJSON    `json:"extension,omitempty"`
	Image        string                `json:"image,omitempty"`
}

type stepExtensionJSON struct {
	Name         string `json:"name"`
	Package      string `json:"package"`
	VersionRange string `json:"versionRange"`
}

type stepSubscriptionJSON struct {
	Name        string `json:"name"`
	Package     string `json:"package"`
	Channel     string `json:"channel"`
	Catalog     string `json:"catalog"`
	StartingCSV string `json:"startingCSV"`
}

// MarshalJSON implements [json.Marshaler]. The form is stable.
func (s Step) MarshalJSON() ([]byte, error) {
	out := stepJSON{Wave: s.Wave, Action: s.Action, Bundle: s.Bundle, Package: s.Package,
		Channel: s.Channel, Because: s.Because, Hold: s.Hold, Image: s.Image}
	if s.Version != nil {
		out.Version = s.Version.String()
	}
	if !s.Catalog.IsZero() {
		out.Catalog = s.Catalog.String()
	}
	if len(s.Replaces) > 0 {
		out.Replaces, out.AlsoReplaces = s.Replaces[0], s.Replaces[1:]
	}
	for _, b := range s.PassedOver {
		out.PassedOver = append(out.PassedOver, b.Name)
	}
	if sub, ok := s.Subscription(); ok {
		out.Subscription = &stepSubscriptionJSON{Name: sub.Name, Package: sub.Package, Channel: sub.Channels[0],
			Catalog: out.Catalog, StartingCSV: sub.StartingCSV}
	}
	if e, ok := s.Extension(); ok {
		out.Extension = &stepExtensionJSON{e.Name, e.Package, e.VersionRange}
	}
	return marshal(out)
}

// UnmarshalJSON implements [json.Unmarshaler]. The bundles in PassedOver have no catalog.
func (s *Step) UnmarshalJSON(data []byte) error {
	var in stepJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*s = Step{Wave: in.Wave, Action: in.Action, Bundle: in.Bundle, Package: in.Package,
		Channel: in.Channel, Because: in.Because, Hold: in.Hold, Image: in.Image, Planned: in.Extension != nil}
	if in.Version != "" {
		v, err := semver.Parse(in.Version)
		if err != nil {
			return err
		}
		s.Version = &v
	}
	if in.Catalog != "" {
		key, err := cache.ParseKey(in.Catalog)
		if err != nil {
			return err
		}
		s.Catalog = key
	}
	if in.Replaces != "" {
		s.Replaces = append([]string{in.Replaces}, in.AlsoReplaces...)
	}
	for _, name := range in.PassedOver {
		s.PassedOver = append(s.PassedOver, BundleRef{Name: name})
	}
	return nil
}
