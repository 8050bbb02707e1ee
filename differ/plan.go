package differ

// Plan is the way from a live schema to a declared one.
type Plan struct {
	// Schema is the folded name of the schema.
	Schema string
	// From and To identify the two ends: catalog.Hash of the live schema, and of the schema that the declaration asks for. They are
	// equal exactly when the plan is Empty, or changes nothing but what the normal form leaves out: conflict actions, deferrability,
	// mutation contexts, the order of columns. Both are "" when Options.NoHashes was set; To is when the target cannot be built, which a
	// hazard of the step in question says.
	From, To string
	Settings Settings
	// Steps stand in the order in which they run.
	Steps []Step
	// Questions are what hazards would be told better by, were it known (Stats.Columns).
	Questions []Question
	// Notes are what the comparison found and no statement says.
	Notes []Note
}

// Empty reports whether the live schema is as declared: nothing to run, and no difference that no statement can carry out.
func (p *Plan) Empty() bool { return len(p.Steps) == 0 && len(p.Differences()) == 0 }

// Differences lists the notes about what no statement carries out: the plan does not lead to what is declared then.
func (p *Plan) Differences() []Note {
	var out []Note
	for _, n := range p.Notes {
		if n.Difference {
			out = append(out, n)
		}
	}
	return out
}

// Statements lists the texts of the steps in order.
func (p *Plan) Statements() []string {
	out := make([]string, len(p.Steps))
	for i := range p.Steps {
		out[i] = p.Steps[i].SQL
	}
	return out
}

// MaxSeverity gives the highest severity among the hazards, Info for a plan without any.
func (p *Plan) MaxSeverity() Severity {
	highest := Info
	for i := range p.Steps {
		for _, h := range p.Steps[i].Hazards {
			highest = max(highest, h.Severity)
		}
	}
	return highest
}
