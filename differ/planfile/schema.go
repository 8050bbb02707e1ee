package planfile

import _ "embed" // the schema

// Schema is the JSON schema of plan files, whether JSON or YAML.
//
//go:embed plan.schema.json
var Schema []byte
