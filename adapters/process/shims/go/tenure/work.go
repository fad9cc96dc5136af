package tenure

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Token is what a leader shows with what it does; a resource that has seen a newer one refuses. The zero Token is none.
type Token struct{ text string }

// TokenOf is the token of a program that counts its own, from 1.
func TokenOf(number int64) Token { return Token{fmt.Sprintf("1.%d.0", number)} }

func (t Token) String() string { return t.text }

// UnmarshalJSON reads what the simulator gives.
func (t *Token) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &t.text) }

// Schedule is what PutSchedule and DeleteSchedule are given. Of a schedule that is deleted: ID, Name and Now.
type Schedule struct {
	ID     int64
	Name   string
	Now    StoreTime
	First  *StoreTime // its first slot from now on; nil: there is none
	Period *time.Duration
	Paused bool
}

// Work is that of a slot.
type Work struct {
	Schedule int64     // the ID that PutSchedule was given
	Slot     StoreTime // in whole microseconds, like a row's next_run
	// Token is shown to the resource; if it is left out, that of the leadership.
	Token Token
	// Once says that the event's id is an idempotency key: the resource begins it once.
	Once bool
}

// Run does the work of a slot, and waits for its end: "done", "stopped", "failed", "fenced"; with Once also "duplicate"
// and "running". The error is that of the context, if that ends before: then the work goes on.
func (t *T) Run(ctx context.Context, w Work) (result string, err error) {
	if t.role != Scheduler && t.role != Both {
		panic("t.Run is for a scheduler: Role: tenure.Scheduler, or tenure.Both")
	}
	asked := shown(w.Token)
	asked["schedule"], asked["slot"], asked["once"] = w.Schedule, int64(w.Slot), w.Once
	return t.ask(ctx, "run", asked)
}

// Write writes to the outside resource as the leader: "done", or "fenced": it has seen a newer token. The error is that
// of the context, if that ends before: then it may be done, or still be done. It shows the token that the leadership
// has, or another one.
func (t *T) Write(ctx context.Context, token ...Token) (result string, err error) {
	if t.role == Scheduler {
		panic("t.Write is an election's own; t.Run does the work of a slot")
	}
	if !t.writes {
		panic("t.Write is for a design with Writes: the checkers go by that")
	}
	var other Token
	if len(token) > 0 {
		other = token[0]
	}
	return t.ask(ctx, "write", shown(other))
}

func shown(token Token) map[string]any {
	if token == (Token{}) {
		return map[string]any{}
	}
	return map[string]any{"token": token.text}
}

func (t *T) ask(ctx context.Context, what string, asked map[string]any) (string, error) {
	id, answered := t.newRequest()
	asked["id"] = id
	t.life.act(what, asked)
	var over <-chan time.Time // of a context by Within, which has no timer
	if deadline, has := ctx.Deadline(); has {
		timer := time.NewTimer(time.Until(deadline))
		defer timer.Stop()
		over = timer.C
	}
	select {
	case r := <-answered:
		return r.Result, nil
	case <-ctx.Done():
		return "", ctx.Err()
	case <-over:
		return "", context.DeadlineExceeded
	}
}

// Disk is a small store of the machine's own, of 1 MB. A crash keeps what was synced, and of what was put later the
// first few puts, or none, or all of them. Who stops in order loses nothing.
type Disk struct {
	t        *T
	contents map[string]string
}

func newDisk(t *T, contents map[string]string) *Disk {
	if contents == nil {
		contents = map[string]string{}
	}
	return &Disk{t, contents}
}

// Put writes; what is not synced may be lost in a crash.
func (d *Disk) Put(key, value string) {
	d.t.life.act("put", map[string]string{"key": key, "value": value})
	d.t.mutex.Lock()
	defer d.t.mutex.Unlock()
	d.contents[key] = value
}

// Get reads what was put last, synced or not.
func (d *Disk) Get(key string) (value string, found bool) {
	d.t.mutex.Lock()
	defer d.t.mutex.Unlock()
	value, found = d.contents[key]
	return value, found
}

// Sync waits until what was put before is safe. The error is that of the context, if that ends before.
func (d *Disk) Sync(ctx context.Context) error {
	_, err := d.t.ask(ctx, "sync", map[string]any{})
	return err
}
