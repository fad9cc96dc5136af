// A lock with fencing tokens: a row, whose number grows each time the lock changes hands.
//
// Belief runs on this process's monotonic clock, from before the request was sent: so it ends before the row does, as
// long as that clock runs. Whoever is shown the token can refuse an older one.
package main

import (
	"context"
	"time"

	"tenure"
)

func main() {
	tenure.Main(tenure.Design{
		Name:    "token-lock",
		Summary: "a row with a fencing token, believed on the monotonic clock, in SQL",
		Tokens:  true,
		Parameters: []tenure.Parameter{
			{Name: "lease", Default: 10 * time.Second, Min: time.Millisecond, Doc: "for how long the row is taken"},
			{Name: "margin", Default: time.Second, Doc: "by how much belief ends before that"},
			{Name: "period", Default: 3 * time.Second, Min: time.Millisecond, Doc: "between two attempts"},
			{Name: "request_timeout", Default: 2 * time.Second, Min: time.Millisecond, Doc: "how long an attempt may hang"},
		},
		Schema: `
			CREATE TABLE lock (
			  name text PRIMARY KEY,
			  holder text NOT NULL,
			  token bigint NOT NULL,
			  expires_at timestamptz NOT NULL
			)`,
		Claims: []tenure.Claim{
			{Name: "one-believer", Passes: true,
				Assumes: []string{"rate-bound", "no-store-step", "no-lost-commits", "no-mono-freeze"}},
			{Name: "acts-within-belief"},
			{Name: "epochs-increase", Assumes: []string{"no-lost-commits"}},
			{Name: "leader-elected", Assumes: []string{"no-store-step", "prompt-at-rest"}},
		},
		Node: node,
	})
}

const (
	take = `
		INSERT INTO lock AS l (name, holder, token, expires_at)
		VALUES ('jobs', $1, 1, now() + $2::interval)
		ON CONFLICT (name) DO UPDATE
		SET holder = excluded.holder, token = l.token + 1, expires_at = excluded.expires_at
		WHERE l.expires_at <= now()
		RETURNING token`
	renew = `
		UPDATE lock SET expires_at = now() + $2::interval
		WHERE name = 'jobs' AND holder = $1 AND token = $3 AND expires_at > now()
		RETURNING token`
	release = "UPDATE lock SET expires_at = now() WHERE name = 'jobs' AND holder = $1 AND token = $2"
)

type lock struct {
	t     *tenure.T
	token int64 // 0: it is not ours
}

func (l *lock) attempt(ctx context.Context) error {
	t, sent, lease := l.t, l.t.Mono(), l.t.P.Duration("lease")
	ctx = tenure.Within(ctx, t.P.Duration("request_timeout"))
	statement := tenure.Query(take, t.Identity, lease)
	if l.token != 0 {
		statement = tenure.Query(renew, t.Identity, lease, l.token)
	}
	rows, err := t.SQL(ctx, statement.Text, statement.Values...)
	if err != nil {
		return err
	}
	if rows.Count == 0 {
		l.token = 0
		t.StepDown("the lock is somebody else's")
		return nil
	}
	l.token = rows.Row(0).Int("token")
	if until := sent.Add(lease - t.P.Duration("margin")); until > t.Mono() {
		t.Believe(until, l.token)
	}
	return nil
}

// Until ctx ends.
func (l *lock) keep(ctx context.Context) {
	for ctx.Err() == nil {
		if err := l.attempt(ctx); err != nil {
			l.t.Log("the attempt failed: " + err.Error()) // belief ends by itself
		}
		select {
		case <-ctx.Done():
		case <-time.After(l.t.P.Duration("period")):
		}
	}
}

func (l *lock) release() {
	if l.token == 0 {
		return
	}
	l.t.StepDown("asked to stop")
	ctx := tenure.Within(context.Background(), l.t.P.Duration("request_timeout"))
	_, _ = l.t.SQL(ctx, release, l.t.Identity, l.token) // if that fails, the row runs out
}

func node(t *tenure.T) error {
	ctx, cancel := context.WithCancel(context.Background())
	held := &lock{t: t}
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		held.keep(ctx)
	}()
	t.OnStop(func() {
		cancel()
		<-kept
		held.release()
	})
	return nil
}
