// The lease of the article, as article-lease/article-lease.lua has it, in Go.
//
// What is kept is its mistake: t.AsWall takes the database's time for one of this machine's wall clock.
package main

import (
	"context"
	"time"

	"tenure"
)

func main() {
	tenure.Main(tenure.Design{
		Name:    "article-lease",
		Summary: "a row taken on the database's clock and believed on the process's, in SQL",
		Parameters: []tenure.Parameter{
			{Name: "lock_duration", Default: 5 * time.Second, Min: time.Millisecond, Doc: "for how long the row is taken"},
			{Name: "poll_period", Default: 3 * time.Second, Min: time.Millisecond,
				Doc: "sleep between the end of one attempt and the next one"},
			{Name: "request_timeout", Default: 10 * time.Second, Min: time.Millisecond,
				Doc: "how long an attempt may hang until it has failed"},
		},
		Schema: `
			CREATE TABLE leader_lock (
			  resource text PRIMARY KEY,
			  holder_id text NOT NULL,
			  expires_at timestamptz NOT NULL
			)`,
		Claims: []tenure.Claim{
			{Name: "one-believer", Passes: true,
				Assumes: []string{"wall-in-step", "rates-equal", "no-store-step", "no-lost-commits"}},
			{Name: "acts-within-belief"},
			{Name: "leader-elected", Assumes: []string{"wall-in-step", "no-store-step", "prompt-at-rest"}},
		},
		Node: node,
	})
}

const take = `
	INSERT INTO leader_lock AS l (resource, holder_id, expires_at)
	VALUES ('scheduler', $1, now() + $2::interval)
	ON CONFLICT (resource) DO UPDATE
	SET holder_id = excluded.holder_id, expires_at = excluded.expires_at
	WHERE l.holder_id = excluded.holder_id OR l.expires_at < now()
	RETURNING expires_at`

func node(t *tenure.T) error {
	for {
		attempt(t)
		time.Sleep(t.P.Duration("poll_period"))
	}
}

func attempt(t *tenure.T) {
	ctx := tenure.Within(context.Background(), t.P.Duration("request_timeout"))
	rows, err := t.SQL(ctx, take, t.Identity, t.P.Duration("lock_duration"))
	switch {
	case err != nil:
		t.StepDown("the attempt failed")
	case rows.Count == 0:
		t.StepDown("no row came back")
	default:
		t.Believe(t.AsWall(rows.Row(0).Time("expires_at")))
	}
}
