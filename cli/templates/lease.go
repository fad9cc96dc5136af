// A lease in SQL: a row that one instance holds until it expires. Put your own statement and your own loop here.
package main

import (
	"context"
	"time"

	"tenure"
)

func main() {
	tenure.Main(tenure.Design{
		Name:    "lease",
		Summary: "a row taken on the database's clock, and believed on this process's own",
		Parameters: []tenure.Parameter{
			{Name: "lease_duration", Default: 10 * time.Second, Min: time.Millisecond, Doc: "for how long the row is taken"},
			{Name: "renew_period", Default: 3 * time.Second, Min: time.Millisecond, Doc: "sleep between two attempts"},
			{Name: "request_timeout", Default: 2 * time.Second, Min: time.Millisecond, Doc: "how long an attempt may hang"},
		},
		Schema: `
			CREATE TABLE lease (
			  name text PRIMARY KEY,
			  holder text NOT NULL,
			  expires_at timestamptz NOT NULL
			)`,
		Node: node,
	})
}

const take = `
	INSERT INTO lease AS l (name, holder, expires_at)
	VALUES ('jobs', $1, now() + $2::interval)
	ON CONFLICT (name) DO UPDATE
	SET holder = excluded.holder, expires_at = excluded.expires_at
	WHERE l.holder = excluded.holder OR l.expires_at < now()
	RETURNING expires_at`

func node(t *tenure.T) error {
	for {
		ctx := tenure.Within(context.Background(), t.P.Duration("request_timeout"))
		rows, err := t.SQL(ctx, take, t.Identity, t.P.Duration("lease_duration"))
		switch {
		case err != nil:
			t.StepDown("the attempt failed")
		case rows.Count == 0:
			t.StepDown("another holds the row")
		default:
			// The database's time, taken for this machine's: they need not agree.
			t.Believe(t.AsWall(rows.Row(0).Time("expires_at")))
		}
		time.Sleep(t.P.Duration("renew_period"))
	}
}
