package types

import "math"

func floatBits(f float64) uint64    { return math.Float64bits(f) }
func floatFrom(bits uint64) float64 { return math.Float64frombits(bits) }
