// What work_test.py has schedulers in Go do: the parameter `case` says which.
package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tenure"
)

func main() {
	tenure.Main(tenure.Design{
		Name: "mine",
		Role: tenure.Scheduler,
		Parameters: []tenure.Parameter{{Name: "case", Default: "works",
			Choices: []string{"works", "leading", "believes", "sends", "receives", "steps-down", "writes"}}},
		Schema: "CREATE TABLE jobs (id bigint)",
		PutSchedule: func(s tenure.Schedule) []tenure.Statement {
			if s.Name == "panics" {
				panic("gone")
			}
			return []tenure.Statement{
				tenure.Query("DELETE", s.ID), tenure.Query("INSERT", s.ID, s.First, s.Period, !s.Paused, s.Now)}
		},
		Node: node,
	})
}

func log(t *tenure.T, values ...any) { t.Log(strings.TrimSuffix(fmt.Sprintln(values...), "\n")) }

func node(t *tenure.T) error {
	ctx := context.Background()
	switch t.P.Choice("case") {
	case "works":
		log(t, t.Leads(), t.Token())
		time.Sleep(time.Second)
		log(t, t.Leads(), t.Token(), t.Token() == t.Token())
		result, err := t.Run(ctx, tenure.Work{Schedule: 2, Slot: 5000})
		log(t, result, err)
		result, err = t.Run(ctx, tenure.Work{Schedule: 2, Slot: 5000, Token: tenure.TokenOf(7), Once: true})
		log(t, result, err)
	case "leading":
		ctx, cancel := t.WhileLeading(ctx)
		defer cancel()
		<-ctx.Done()
		log(t, ctx.Err())
	case "believes":
		t.Believe(tenure.Open)
	case "sends":
		t.Send(1, "x")
	case "receives":
		t.Messages()
	case "steps-down":
		t.StepDown("x")
	case "writes":
		_, _ = t.Write(ctx)
	}
	return nil
}
