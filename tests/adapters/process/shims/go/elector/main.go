// What work_test.py has elections in Go do: the parameter `case` says which.
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
		Name:       "mine",
		Tokens:     true,
		Writes:     true,
		Parameters: []tenure.Parameter{{Name: "case", Default: "writes", Choices: []string{"writes", "runs", "keeps", "asks"}}},
		Node:       node,
	})
}

func log(t *tenure.T, values ...any) { t.Log(strings.TrimSuffix(fmt.Sprintln(values...), "\n")) }

func node(t *tenure.T) error {
	ctx := context.Background()
	switch t.P.Choice("case") {
	case "writes":
		t.Believe(tenure.Open, 4)
		log(t, t.Leads(), t.Token())
		result, err := t.Write(ctx)
		log(t, result, err)
		result, err = t.Write(tenure.Within(ctx, 2*time.Second), tenure.TokenOf(3))
		log(t, result, err)
	case "runs":
		_, _ = t.Run(ctx, tenure.Work{Schedule: 1})
	case "asks":
		go func() { _, _ = t.SQL(tenure.Within(tenure.On(ctx, "watch"), time.Second), "B") }()
		_, _ = t.SQL(ctx, "A")
	case "keeps":
		value, found := t.Disk.Get("votes")
		log(t, value, found)
		t.Disk.Put("votes", "n2")
		value, found = t.Disk.Get("votes")
		log(t, value, found, t.Disk.Sync(ctx))
	}
	return nil
}
