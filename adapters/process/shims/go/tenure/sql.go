package tenure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

const defaultTimeout = 10 * time.Second

// StoreError says that there are no rows.
type StoreError struct {
	// Kind is "failed" (with SQLState), "rejected" (certainly not done) or "unknown" (done, or not, or still to be).
	Kind     string
	SQLState string
	Message  string
	cause    error // of the context
}

func (e *StoreError) Error() string {
	if e.SQLState != "" {
		return fmt.Sprintf("%s: %s (%s)", e.Kind, e.Message, e.SQLState)
	}
	return e.Kind + ": " + e.Message
}

func (e *StoreError) Unwrap() error { return e.cause }

// Statement is one of a transaction: SQL, and the values of its $1, $2, ….
type Statement struct {
	Text   string
	Values []any
}

// Query is a Statement.
func Query(text string, values ...any) Statement { return Statement{text, values} }

// Within is a context for statements that may hang for so long. No timer of this process watches its deadline, as one
// does for context.WithTimeout: who waits is told of it by the store's client, which is the simulator's.
func Within(parent context.Context, d time.Duration) context.Context {
	return within{parent, time.Now().Add(d)}
}

type connection struct{}

// On is a context for statements on the connection of that name. Without a name they are on one of their own.
func On(parent context.Context, name string) context.Context {
	return context.WithValue(parent, connection{}, name)
}

type within struct {
	context.Context
	deadline time.Time
}

func (w within) Deadline() (time.Time, bool) {
	if sooner, has := w.Context.Deadline(); has && sooner.Before(w.deadline) {
		return sooner, true
	}
	return w.deadline, true
}

// SQL runs one statement, and waits for the answer. How long it may hang, the context's deadline says; without one,
// ten seconds. The error is a *StoreError.
//
// A value is nil, a bool, an int, an int64, a string, a time.Duration for an interval, or a StoreTime for a timestamptz;
// or a pointer to one of these two, which may be nil.
func (t *T) SQL(ctx context.Context, text string, values ...any) (Rows, error) {
	all, err := t.Transaction(ctx, Statement{text, values})
	if err != nil {
		return Rows{}, err
	}
	return all[0], nil
}

// Transaction runs several statements, all of them or none.
func (t *T) Transaction(ctx context.Context, all ...Statement) ([]Rows, error) {
	if len(all) == 0 {
		panic("t.Transaction without a statement")
	}
	left := defaultTimeout
	if deadline, has := ctx.Deadline(); has {
		left = time.Until(deadline)
	}
	if ctx.Err() != nil || left <= 0 {
		return nil, &StoreError{Kind: "rejected", Message: "the context was over before", cause: ended(ctx)}
	}
	asked := statements{Deadline: int64(t.Mono().Add(left)), Statements: jsonStatements(all)}
	asked.On, _ = ctx.Value(connection{}).(string)
	var answered <-chan reply
	asked.ID, answered = t.newRequest()
	t.life.act("sql", asked)
	select {
	case r := <-answered:
		return rowsOf(r)
	case <-ctx.Done():
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		// The answer to this comes at the deadline, and at the latest. After a pause it may be there already.
		return rowsOf(<-answered)
	}
	return nil, unknown(ctx.Err())
}

// The number of something that is answered, and where its answer comes.
func (t *T) newRequest() (int64, <-chan reply) {
	answered := make(chan reply, 1)
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.requests++
	t.open[t.requests] = answered
	return t.requests, answered
}

func jsonStatements(all []Statement) []jsonStatement {
	said := []jsonStatement{}
	for _, each := range all {
		one := jsonStatement{Text: each.Text, Values: []json.RawMessage{}}
		for _, value := range each.Values {
			one.Values = append(one.Values, valueToJSON(value))
		}
		said = append(said, one)
	}
	return said
}

func ended(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return context.DeadlineExceeded
}

func unknown(cause error) error {
	return &StoreError{Kind: "unknown", Message: "no answer by the deadline: done, or not, or still to be", cause: cause}
}

func rowsOf(r reply) ([]Rows, error) {
	switch r.Outcome {
	case "done":
		var all []Rows
		for _, each := range r.Results {
			all = append(all, Rows{each.Columns, each.Rows, each.Count})
		}
		return all, nil
	case "unknown":
		return nil, unknown(context.DeadlineExceeded)
	case "rejected":
		return nil, &StoreError{Kind: r.Outcome, Message: "certainly not done: " + r.Message}
	}
	return nil, &StoreError{Kind: r.Outcome, SQLState: r.SQLState, Message: r.Message}
}

func valueToJSON(value any) json.RawMessage {
	switch v := value.(type) {
	case nil, bool, int, int32, int64, string:
		return toJSON(v)
	case time.Duration:
		return toJSON(map[string]int64{"interval": int64(v)})
	case StoreTime:
		return toJSON(map[string]int64{"time": int64(v)})
	case *StoreTime:
		if v == nil {
			return toJSON(nil)
		}
		return valueToJSON(*v)
	case *time.Duration:
		if v == nil {
			return toJSON(nil)
		}
		return valueToJSON(*v)
	case Wall:
		panic("a time of the wall clock; t.AsStore(x) gives it to the store as one of its own")
	}
	panic(fmt.Sprintf("a statement takes no %T", value))
}

// Rows are those of a statement.
type Rows struct {
	columns []string
	rows    [][]json.RawMessage
	// Count is how many were read or changed.
	Count int64
}

// Len is how many rows came back.
func (r Rows) Len() int { return len(r.rows) }

// Row is a row; its columns are read by name and type. Each function panics when there is no such column, of that type.
func (r Rows) Row(i int) Row { return Row{r.columns, r.rows[i]} }

type Row struct {
	columns []string
	values  []json.RawMessage
}

func (r Row) IsNull(column string) bool { return string(r.value(column)) == "null" }

func (r Row) Int(column string) int64 {
	var n int64
	r.read(column, &n, "a whole number")
	return n
}

func (r Row) Text(column string) string {
	var s string
	r.read(column, &s, "a text")
	return s
}

func (r Row) Bool(column string) bool {
	var b bool
	r.read(column, &b, "true or false")
	return b
}

func (r Row) Time(column string) StoreTime {
	var v struct{ Time *int64 }
	r.read(column, &v, "a time")
	if v.Time == nil {
		r.wrong(column, "a time")
	}
	return StoreTime(*v.Time)
}

func (r Row) Duration(column string) time.Duration {
	var v struct{ Interval *int64 }
	r.read(column, &v, "an interval")
	if v.Interval == nil {
		r.wrong(column, "an interval")
	}
	return time.Duration(*v.Interval)
}

func (r Row) read(column string, into any, what string) {
	text := r.value(column)
	if string(text) == "null" || json.Unmarshal(text, into) != nil {
		r.wrong(column, what)
	}
}

func (r Row) wrong(column, what string) {
	panic(fmt.Sprintf("the column %q is not %s: it is %s", column, what, r.value(column)))
}

func (r Row) value(column string) json.RawMessage {
	for i, name := range r.columns {
		if name == column {
			return r.values[i]
		}
	}
	panic(fmt.Sprintf("the row has no column %q; it has %s", column, strings.Join(r.columns, ", ")))
}
