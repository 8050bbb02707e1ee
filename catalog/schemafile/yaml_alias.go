package schemafile

import (
	"gopkg.in/yaml.v3"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types/limit"
)

// checkExpansion refuses a document whose aliases stand for more nodes than they may, before any of them is followed: some lines of YAML can
// stand for as many nodes as one likes.
func (f *yamlFile) checkExpansion(root *yaml.Node) error {
	e := expansion{file: f, known: map[*yaml.Node]weight{}, most: f.reader.Limits.Of(limit.YAMLExpansion)}
	_, err := e.weigh(root)
	return err
}

// weight is the number of nodes that a node stands for, aliased how many of them its aliases stand for.
type weight struct {
	all, aliased int64
	pending      bool // it is being worked out
}

// expansion weighs what nodes stand for, what has an anchor once.
type expansion struct {
	file  *yamlFile
	known map[*yaml.Node]weight
	most  int64
}

func (e *expansion) weigh(n *yaml.Node) (weight, error) {
	if n.Kind == yaml.AliasNode {
		w, err := e.weigh(n.Alias)
		return weight{all: w.all, aliased: w.all}, err
	}
	w, known := e.known[n]
	switch {
	case w.pending:
		return w, e.file.fault(n, "'%s' stands for itself", n.Anchor)
	case known:
		return w, nil
	}
	if n.Anchor != "" {
		e.known[n] = weight{pending: true}
	}
	w.all = 1
	for _, c := range n.Content {
		part, err := e.weigh(c)
		if err != nil {
			return w, err
		}
		w.all += part.all
		if w.aliased += part.aliased; w.aliased > e.most {
			return w, e.tooMany(c)
		}
	}
	if n.Anchor != "" {
		e.known[n] = w
	}
	return w, nil
}

func (e *expansion) tooMany(n *yaml.Node) error {
	fault := e.file.reader.Limits.Exceeded(limit.YAMLExpansion, "the aliases of the file stand for more than %d nodes", e.most)
	fault.Line, fault.Column = e.file.src.Position(e.file.offset(n))
	return &catalog.SourceError{Source: e.file.src, Err: fault}
}
