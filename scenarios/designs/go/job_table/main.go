// A table of jobs that the leader polls, as many have written one: job-table/job-table.lua in Go.
//
// What is due is run, and next_run moves on by the period: before the work, if the table still has what was read, or
// after it.
package main

import (
	"context"
	"time"

	"tenure"
)

func main() {
	tenure.Main(tenure.Design{
		Name:    "job-table",
		Summary: "polls a table of jobs, runs what is due, and moves next_run on",
		Role:    tenure.Scheduler,
		Parameters: []tenure.Parameter{
			{Name: "poll_period", Default: time.Second, Min: time.Millisecond, Doc: "from one look at the jobs to the next"},
			{Name: "request_timeout", Default: 5 * time.Second, Min: time.Millisecond, Doc: "how long a statement may hang"},
			{Name: "update", Default: "after", Choices: []string{"before", "after"}, Doc: "when next_run moves"},
		},
		Schema: `
			CREATE TABLE jobs (
			  id bigint PRIMARY KEY, next_run timestamptz, period interval, active boolean NOT NULL
			);
			CREATE INDEX ON jobs (next_run);`,
		Claims: []tenure.Claim{{Name: "never-early", Assumes: []string{"no-store-step"}}},
		PutSchedule: func(s tenure.Schedule) []tenure.Statement {
			return []tenure.Statement{tenure.Query(put, s.ID, s.First, s.Period, !s.Paused)}
		},
		DeleteSchedule: func(s tenure.Schedule) []tenure.Statement {
			return []tenure.Statement{tenure.Query("DELETE FROM jobs WHERE id = $1", s.ID)}
		},
		Node: node,
	})
}

const (
	put = `
		INSERT INTO jobs (id, next_run, period, active) VALUES ($1, $2, $3, $4)
		ON CONFLICT (id) DO UPDATE
		SET next_run = excluded.next_run, period = excluded.period, active = excluded.active`
	due  = "SELECT id, next_run FROM jobs WHERE next_run <= now() AND active ORDER BY next_run, id LIMIT 100"
	move = "UPDATE jobs SET next_run = next_run + period WHERE id = $1 AND next_run = $2"
)

type job struct {
	id   int64
	slot tenure.StoreTime
}

type poller struct{ t *tenure.T }

// No rows if the statement fails: another poll will see.
func (p poller) sql(text string, values ...any) tenure.Rows {
	ctx := tenure.Within(context.Background(), p.t.P.Duration("request_timeout"))
	rows, err := p.t.SQL(ctx, text, values...)
	if err != nil {
		return tenure.Rows{}
	}
	return rows
}

func (p poller) move(j job) bool { return p.sql(move, j.id, j.slot).Count == 1 }

func (p poller) work(j job) {
	update := p.t.P.Choice("update")
	if !p.t.Leads() {
		return
	}
	if update == "before" && !(p.move(j) && p.t.Leads()) {
		return
	}
	if _, err := p.t.Run(context.Background(), tenure.Work{Schedule: j.id, Slot: j.slot}); err != nil {
		return
	}
	if update == "after" {
		p.move(j)
	}
}

func (p poller) poll() {
	if !p.t.Leads() {
		return
	}
	rows := p.sql(due)
	for i := 0; i < rows.Len(); i++ {
		p.work(job{rows.Row(i).Int("id"), rows.Row(i).Time("next_run")})
	}
}

func node(t *tenure.T) error {
	ticks := time.NewTicker(t.P.Duration("poll_period"))
	for {
		poller{t}.poll()
		<-ticks.C
	}
}
