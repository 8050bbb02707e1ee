package differ

import (
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

// Policy says which hazards are let through. The zero value lets through what is worth knowing (Info) and no more.
type Policy struct {
	// Severity is the highest one that is let through, whatever the hazard.
	Severity Severity
	// Allowances let single hazards through in spite of their severity.
	Allowances []Allowance
}

// Allowance lets hazards of a code through, of one object or of any.
type Allowance struct {
	// Code is a family (DS), an id (DS101) or a name (drops-rows); case does not count.
	Code string
	// Object is the name of the object that a step is about, or of one of its columns as object.column; "" for any. Case does not
	// count.
	Object string
}

// ParseAllowance reads CODE or CODE:OBJECT. MISUSE for a code that there is not.
func ParseAllowance(text string) (Allowance, error) {
	code, object, _ := strings.Cut(text, ":")
	for _, info := range hazardInfos {
		if info.matches(code) {
			return Allowance{Code: code, Object: object}, nil
		}
	}
	return Allowance{}, types.Errorf(types.MISUSE, "there is no hazard %s; write a family, an id or a name of docs/hazards.md", code)
}

func (a Allowance) String() string {
	if a.Object == "" {
		return a.Code
	}
	return a.Code + ":" + a.Object
}

// lets reports whether the allowance is for a hazard of a step.
func (a Allowance) lets(s *Step, h *Hazard) bool {
	if !h.Code.Info().matches(a.Code) {
		return false
	}
	object := types.Fold(a.Object)
	return object == "" || object == types.Fold(s.Object) || s.Column() != "" && object == types.Fold(s.Object+"."+s.Column())
}

// Lets reports whether a hazard of a step is let through.
func (p *Policy) Lets(s *Step, h *Hazard) bool {
	if h.Severity <= p.Severity {
		return true
	}
	for _, a := range p.Allowances {
		if a.lets(s, h) {
			return true
		}
	}
	return false
}

// Refused lists the hazards of a step that are not let through.
func (p *Policy) Refused(s *Step) []Hazard {
	var out []Hazard
	for i := range s.Hazards {
		if !p.Lets(s, &s.Hazards[i]) {
			out = append(out, s.Hazards[i])
		}
	}
	return out
}
