package foreign

// ReadIndex reads a CREATE INDEX.
func ReadIndex(text string, d Dialect) (*Index, error) {
	r := newReader(text, d)
	if err := r.expect("create"); err != nil {
		return nil, err
	}
	ix := &Index{Unique: r.take("unique"), Text: text}
	if err := r.expect("index"); err != nil {
		return nil, err
	}
	r.take("concurrently")
	r.take("if", "not", "exists")
	var err error
	if ix.Name, err = r.qualified(); err != nil {
		return nil, err
	}
	if err := r.expect("on"); err != nil {
		return nil, err
	}
	r.take("only")
	if ix.Table, err = r.qualified(); err != nil {
		return nil, err
	}
	if r.take("using") {
		ix.Method = r.next().Text
	}
	group, err := r.group()
	if err != nil {
		return nil, err
	}
	for _, item := range split(group) {
		ix.Members = append(ix.Members, r.within(item).member())
	}
	for !r.done() && !r.take("where") {
		r.at++
	}
	if !r.done() {
		ix.Where = r.tokens[r.at:]
	}
	return ix, nil
}

// ReadView reads a CREATE VIEW.
func ReadView(text string, d Dialect) (*View, error) {
	r := newReader(text, d)
	v := &View{Text: text}
	for !r.done() && !r.peek(0).Is("view") {
		v.Materialized = v.Materialized || r.peek(0).Is("materialized")
		r.at++
	}
	if err := r.expect("view"); err != nil {
		return nil, err
	}
	r.take("if", "not", "exists")
	var err error
	if v.Name, err = r.qualified(); err != nil {
		return nil, err
	}
	if r.peek(0).Is("(") {
		if v.Columns, err = r.names(); err != nil {
			return nil, err
		}
	}
	if r.take("with") {
		if _, err := r.group(); err != nil {
			return nil, err
		}
	}
	if err := r.expect("as"); err != nil {
		return nil, err
	}
	v.Body = r.tokens[r.at:]
	for n := len(v.Body); n > 0 && v.Body[n-1].Is(";"); n = len(v.Body) {
		v.Body = v.Body[:n-1]
	}
	return v, nil
}
