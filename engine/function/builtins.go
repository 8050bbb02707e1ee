package function

// Builtins gives a registry with all built-in functions.
func Builtins() *Registry {
	r := NewRegistry()
	for _, family := range [][]*Function{
		conversions(), numbers(), choices(), texts(), patterns(), dateFunctions(), epochs(), timespans(),
		jsonInspectors(), jsonBuilders(), jsonMutators(), jsonSchemas(), jsonTables(),
		sums(), statistics(), extremes(), concatenations(), jsonAggregates(), windows(),
		series(), randoms(), mutationContext(),
		objectLists(), tableFacts(), constraintFacts(), viewFacts(), assertionFacts(), functionFacts(), lensFacts(), planFacts(),
	} {
		for _, f := range family {
			if err := r.Register(f); err != nil {
				panic(err) // a built-in function is malformed
			}
		}
	}
	return r
}
