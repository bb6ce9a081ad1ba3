package serve

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// A state is the problem that a player looks at: a scenario without its catalogs,
// which are the server's, and without what-ifs, which the player makes by hand. What
// a player sends can name no file and no address for that reason.

// readState reads a state.
func (s *Server) readState(ctx context.Context, raw json.RawMessage) (*scenario.Scenario, error) {
	if len(raw) == 0 {
		raw = s.start
	}
	st, err := scenario.Parse(ctx, "the problem", raw)
	if err != nil {
		return nil, err
	}
	if len(st.Catalogs)+len(st.WhatIf)+len(st.Expect) > 0 {
		return nil, bad("a state has no catalogs, no whatif and no expect: the catalogs are those that the server was started with")
	}
	return st, st.Validate()
}

// writeState is a scenario as a state.
func writeState(st *scenario.Scenario) (json.RawMessage, error) {
	bare := *st
	bare.Catalogs, bare.WhatIf, bare.Expect = nil, nil, nil
	return json.Marshal(&bare)
}

// request makes a request of a state.
func (s *Server) request(ctx context.Context, raw json.RawMessage) (resolver.Request, *scenario.Scenario, error) {
	st, err := s.readState(ctx, raw)
	if err != nil {
		return resolver.Request{}, nil, err
	}
	loaded, err := s.loader.Load(ctx, st) // which has no catalogs to read
	if err != nil {
		return resolver.Request{}, nil, err
	}
	loaded.Request.Catalogs = s.catalogs
	return loaded.Request, st, nil
}

// ref reads "BUNDLE" or "NAMESPACE/NAME:BUNDLE".
func (s *Server) ref(text string) resolver.BundleRef {
	for _, c := range s.catalogs {
		if name, ok := strings.CutPrefix(text, c.Key.String()+":"); ok {
			return resolver.BundleRef{Catalog: c.Key, Name: name}
		}
	}
	return resolver.BundleRef{Name: text}
}

// question is what the page sends.
type question struct {
	State  json.RawMessage `json:"state"`
	Before json.RawMessage `json:"before"`
	Bundle string          `json:"bundle"`
}

func readQuestion(r *http.Request) (question, error) {
	var q question
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return q, err
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		return q, bad("this is not a question: %v", err)
	}
	return q, nil
}

// linked reads the state out of the link of a picture.
func linked(r *http.Request) (json.RawMessage, error) {
	text := r.URL.Query().Get("state")
	if len(text) > MaxBody {
		return nil, bad("the problem is longer than %d bytes", MaxBody)
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil, bad("the link is damaged: %v", err)
	}
	return raw, nil
}

// corrected is a state with the changes of a correction made in it. It reports false
// if one of them cannot be written into a scenario: a constraint is relaxed in the
// catalog and nowhere else.
func corrected(st *scenario.Scenario, changes []resolver.Change) (*scenario.Scenario, bool) {
	out := *st
	out.Subscriptions, out.Installed, out.Forbid = slices.Clone(st.Subscriptions), slices.Clone(st.Installed), slices.Clone(st.Forbid)
	for _, c := range changes {
		subscription := func(name string) *scenario.Subscription {
			i := slices.IndexFunc(out.Subscriptions, func(s scenario.Subscription) bool { return s.Name == name })
			if i < 0 {
				return &scenario.Subscription{}
			}
			return &out.Subscriptions[i]
		}
		switch c.Kind {
		case resolver.DropSubscription:
			out.Subscriptions = slices.DeleteFunc(out.Subscriptions, func(s scenario.Subscription) bool { return s.Name == c.Subject })
		case resolver.ReleasePin:
			sub := subscription(c.Subject)
			sub.StartingCSV, sub.VersionRange, sub.Hold = "", "", ""
		case resolver.ChangeChannel:
			sub := subscription(c.Subject)
			sub.Channel, sub.Channels = c.Channel, nil
		case resolver.RemoveInstalled:
			out.Installed = slices.DeleteFunc(out.Installed, func(in scenario.Installed) bool { return in.Name == c.Subject })
		case resolver.AdoptInstalled:
			subscription(c.Subscription).InstalledCSV = c.Subject
		case resolver.AllowForbidden:
			out.Forbid = slices.DeleteFunc(out.Forbid, func(f scenario.Forbid) bool { return f.Bundle == c.Subject })
		default:
			return nil, false
		}
	}
	return &out, true
}
