package exec

import (
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// pairing says how a row of a join is made of a left and a right row. A made row has the columns that the join passes on, its
// match flags, and behind them whatever else the condition reads.
type pairing struct {
	left, right []pairColumn
	shown       int // the columns that the join passes on
	width       int
	// cond is the part of the condition that is tested on made rows; nil for none.
	cond Pred
	// leftFlag and rightFlag are the places of the match flags, -1 for none.
	leftFlag, rightFlag int
}

// pairColumn is a column that goes from a side's row to a made row.
type pairColumn struct{ from, to int }

// pairing compiles the making of rows of a join.
func (b *builder) pairing(n *plan.Join) *pairing {
	l, r := n.L.Output(), n.R.Output()
	cols := n.Output()
	p := &pairing{leftFlag: flagAt(cols, n.LeftMatched), rightFlag: flagAt(cols, n.RightMatched)}
	p.shown = len(cols)
	made := b.over(cols)
	for _, x := range n.On {
		for _, id := range plan.ExprColumns(x).Sorted() {
			if _, ok := made.at[id]; ok {
				continue
			}
			if c, ok := columnOf(id, l, r); ok {
				made.at[id] = len(cols)
				cols = append(cols, c)
			}
		}
	}
	for to, c := range cols {
		if from := position(l, c.ID); from >= 0 {
			p.left = append(p.left, pairColumn{from, to})
		} else if from := position(r, c.ID); from >= 0 {
			p.right = append(p.right, pairColumn{from, to})
		}
	}
	p.width = len(cols)
	p.cond = made.allPreds(n.On)
	return p
}

func flagAt(cols []plan.Column, flag plan.Column) int {
	if flag.ID == 0 {
		return -1
	}
	return position(cols, flag.ID)
}

func position(cols []plan.Column, id plan.ColID) int {
	for i, c := range cols {
		if c.ID == id {
			return i
		}
	}
	return -1
}

func columnOf(id plan.ColID, lists ...[]plan.Column) (plan.Column, bool) {
	for _, cols := range lists {
		if i := position(cols, id); i >= 0 {
			return cols[i], true
		}
	}
	return plan.Column{}, false
}

// make fills a row of two sides; a nil side is null-extended. copyLeft and copyRight tell whether the side's texts must be copied
// because its row does not live as long as the made one.
func (p *pairing) make(block *rowBlock, left, right types.Row, copyLeft, copyRight bool) types.Row {
	out := block.add()
	fillSide(block, out, p.left, left, copyLeft)
	fillSide(block, out, p.right, right, copyRight)
	if p.leftFlag >= 0 {
		out[p.leftFlag] = types.Bool(left != nil)
	}
	if p.rightFlag >= 0 {
		out[p.rightFlag] = types.Bool(right != nil)
	}
	return out
}

func fillSide(block *rowBlock, out types.Row, cols []pairColumn, side types.Row, copies bool) {
	switch {
	case side == nil:
		for _, c := range cols {
			out[c.to] = types.Null
		}
	case copies:
		for _, c := range cols {
			out[c.to] = block.keep(side[c.from])
		}
	default:
		for _, c := range cols {
			out[c.to] = side[c.from]
		}
	}
}

// matches tests the condition on the row made last, and takes it back if it fails.
func (p *pairing) matches(ec *Context, block *rowBlock, made types.Row) (bool, error) {
	if p.cond == nil {
		return true, nil
	}
	ok, err := p.cond(ec, made)
	if err != nil || !ok {
		block.drop()
	}
	return ok, err
}
