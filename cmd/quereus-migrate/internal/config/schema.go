package config

import (
	"bytes"
	"encoding/json"
)

// JSONSchema gives the JSON schema of the file, for editors.
func JSONSchema() []byte {
	s := object(Settings)
	s["$schema"] = "http://json-schema.org/draft-07/schema#"
	s["title"] = Name
	s["description"] = "What the flags of a project's commands would say again and again. Variables of the environment stand as ${NAME} or ${NAME:-otherwise}."
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(s); err != nil {
		panic(err) // maps of texts
	}
	return out.Bytes()
}

func object(settings []Setting) map[string]any {
	properties := map[string]any{}
	for _, s := range settings {
		p := s.schema()
		p["description"] = s.About
		properties[s.Name] = p
	}
	return map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
}

func (s *Setting) schema() map[string]any {
	switch s.Kind {
	case Words:
		return map[string]any{"oneOf": []any{map[string]any{"type": "string"}, map[string]any{"type": "array", "items": map[string]any{"type": "string"}}}}
	case Switch:
		return map[string]any{"type": "boolean"}
	case Number:
		return map[string]any{"type": "integer", "const": 1}
	case Mapping:
		return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": []string{"string", "integer", "boolean"}}}
	case Section:
		return object(s.Of)
	case Sections:
		return map[string]any{"type": "object", "additionalProperties": object(s.Of)}
	}
	if s.Choices != nil {
		return map[string]any{"type": "string", "enum": s.Choices}
	}
	return map[string]any{"type": "string"}
}
