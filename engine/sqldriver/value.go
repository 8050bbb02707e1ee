package sqldriver

import (
	"bytes"
	"database/sql/driver"
	"math/big"
	"strings"
	"time"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// CheckNamedValue implements driver.NamedValueChecker: beside what database/sql converts by itself, integers of any size pass.
func (c *conn) CheckNamedValue(v *driver.NamedValue) error {
	switch x := v.Value.(type) {
	case *big.Int, types.Value:
		return nil
	case uint64:
		v.Value = new(big.Int).SetUint64(x)
		return nil
	}
	return driver.ErrSkip
}

// params gives bound values to the engine.
func params(args []driver.NamedValue) (engine.Params, error) {
	var p engine.Params
	for _, a := range args {
		v, err := in(a.Value)
		if err != nil {
			return p, err
		}
		if a.Name == "" {
			p.Positional = append(p.Positional, v)
			continue
		}
		if p.Named == nil {
			p.Named = make(map[string]types.Value, len(args))
		}
		p.Named[a.Name] = v
	}
	return p, nil
}

// in gives a bound value as the engine's.
func in(v any) (types.Value, error) {
	switch x := v.(type) {
	case nil:
		return types.Null, nil
	case int64:
		return types.Int(x), nil
	case float64:
		return types.Real(x), nil
	case bool:
		return types.Bool(x), nil
	case string:
		return types.TextFromBytes([]byte(x)), nil
	case []byte:
		return types.Blob(bytes.Clone(x)), nil
	case time.Time:
		text := x.UTC().Format("2006-01-02T15:04:05.999999999")
		return types.Text(text), nil
	case *big.Int:
		return types.BigInt(new(big.Int).Set(x)), nil
	case types.Value:
		return x, nil
	}
	return types.Null, types.Errorf(types.MISMATCH, "a parameter of type %T cannot be bound", v)
}

// out gives a value of a row to database/sql. The row's memory is not kept.
func out(v types.Value) driver.Value {
	switch v.Kind() {
	case types.KindNull:
		return nil
	case types.KindBoolean:
		return v.Bool()
	case types.KindInteger:
		if i, ok := v.Int64(); ok {
			return i
		}
		return types.ToText(v)
	case types.KindReal:
		return v.Float()
	case types.KindBlob:
		return bytes.Clone(v.Bytes())
	}
	return strings.Clone(types.ToText(v))
}
