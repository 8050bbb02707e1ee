package engine

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/types"
)

// TestCheckJudgesRules: rows that break a rule which nobody tested are told, with their keys.
func TestCheckJudgesRules(t *testing.T) {
	c := openChecked(t)
	report, err := c.db.Check(context.Background())
	require.NoError(t, err)
	require.Empty(t, report.Faults)
	require.Empty(t, report.Broken)

	c.exec(t, `
		pragma foreign_keys = off;
		create table child (id integer primary key, item integer null references item(id), g integer generated always as (id * 2) stored);
		insert into child (id, item) values (1, 3), (2, 77), (3, null), (4, 88);
		pragma foreign_keys = on;
		alter table item add constraint small check (id < 8);
		alter table item add constraint written check on update (new.n >= old.n)`)
	report, err = c.db.Check(context.Background())
	require.NoError(t, err)
	require.Empty(t, report.Faults)
	require.Len(t, report.Broken, 2)
	byObject := map[string]CheckFault{}
	for _, f := range report.Broken {
		byObject[f.Object] = f
	}
	require.Contains(t, byObject["main.item"].Message, "small")
	require.EqualValues(t, 2, byObject["main.item"].Rows.Count)
	require.Contains(t, byObject["main.child"].Message, "FOREIGN KEY")
	require.Equal(t, []types.Row{{types.Int(2)}, {types.Int(4)}}, byObject["main.child"].Rows.Keys)
}
