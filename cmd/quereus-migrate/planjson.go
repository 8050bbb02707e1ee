package main

import "github.com/quereus/quereus-migrate/differ"

// plansJSON is what diff prints as JSON: a plan for each schema.
type plansJSON struct {
	Format int        `json:"format"`
	InSync bool       `json:"in_sync"`
	Plans  []planJSON `json:"plans"`
}

type planJSON struct {
	Schema string `json:"schema"`
	// From and To are the hashes of the schema before and after; "" if the target cannot be built.
	From   string     `json:"from"`
	To     string     `json:"to"`
	InSync bool       `json:"in_sync"`
	Steps  []stepJSON `json:"steps"`
	Notes  []noteJSON `json:"notes"`
}

type stepJSON struct {
	SQL     string       `json:"sql"`
	Reason  string       `json:"reason"`
	Kind    string       `json:"kind"`
	Object  string       `json:"object"`
	Effect  effectJSON   `json:"effect"`
	Hazards []hazardJSON `json:"hazards"`
	// After are the places, from 0, of steps that must run before.
	After []int `json:"after"`
}

type effectJSON struct {
	Kind string `json:"kind"`
	// Rows is how many rows it concerns, null if nobody knows.
	Rows *int64 `json:"rows"`
	// Fills is in how many of them a value takes the place of NULL.
	Fills int64  `json:"fills,omitempty"`
	Text  string `json:"text"`
}

type hazardJSON struct {
	ID       string `json:"id"`
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Avoid    string `json:"avoid,omitempty"`
}

type noteJSON struct {
	Kind       string `json:"kind"`
	Object     string `json:"object"`
	Message    string `json:"message"`
	Difference bool   `json:"difference"`
}

func newPlansJSON(all []*compared) plansJSON {
	out := plansJSON{Format: jsonFormat, InSync: true, Plans: []planJSON{}}
	for _, c := range all {
		out.InSync = out.InSync && c.plan.Empty()
		out.Plans = append(out.Plans, newPlanJSON(c.plan))
	}
	return out
}

func newPlanJSON(p *differ.Plan) planJSON {
	out := planJSON{Schema: p.Schema, From: p.From, To: p.To, InSync: p.Empty(), Steps: []stepJSON{}, Notes: []noteJSON{}}
	for i := range p.Steps {
		out.Steps = append(out.Steps, newStepJSON(&p.Steps[i]))
	}
	for _, n := range p.Notes {
		out.Notes = append(out.Notes, noteJSON{string(n.Kind), n.Object, n.Message, n.Difference})
	}
	return out
}

func newStepJSON(s *differ.Step) stepJSON {
	out := stepJSON{
		SQL: s.SQL, Reason: s.Reason, Kind: s.Kind.String(), Object: s.Object, Hazards: []hazardJSON{}, After: append([]int{}, s.After...),
		Effect: effectJSON{Kind: s.Effect.Kind.String(), Text: s.Effect.String()},
	}
	if s.Effect.Kind != differ.MetadataOnly && s.Effect.Rows != differ.Unknown {
		out.Effect.Rows, out.Effect.Fills = &s.Effect.Rows, s.Effect.Fills
	}
	for _, h := range s.Hazards {
		out.Hazards = append(out.Hazards, newHazardJSON(h))
	}
	return out
}

func newHazardJSON(h differ.Hazard) hazardJSON {
	return hazardJSON{h.Code.Info().ID, string(h.Code), h.Severity.String(), h.Message, h.Avoid}
}
