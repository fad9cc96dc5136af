package tenure

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// T is what a node has of the simulator. What it does not have is Go's own: `go`, time.Sleep, tickers, contexts,
// channels, math/rand and crypto/rand run on the simulator's clock and draw from its seed. All goroutines may use it.
type T struct {
	// Me is this instance's name ("n1"), Number its number from 1, Nodes how many there are.
	Me            string
	Number, Nodes int
	// Identity is a name that each life has for itself: "n1#2".
	Identity string
	// P has the parameters.
	P Values

	// Disk is a small store of the machine's own.
	Disk *Disk

	life   *life
	tokens bool
	writes bool
	role   Role

	mutex    sync.Mutex
	belief   *belief       // nil: none
	token    Token         // that it leads with
	changed  chan struct{} // closed when the belief is another
	requests int64
	open     map[int64]chan reply
	queue    []Message
	come     chan struct{} // has something when a message has come
	messages chan Message
	onStop   func()
}

// Message is one of another node's: who sent it, its kind, its numbers.
type Message struct {
	From  int
	Kind  string
	Words []int64
}

func newT(d Design, l *life, s *start) *T {
	t := &T{
		Me: s.Me, Number: s.Number, Nodes: s.Nodes, Identity: s.Identity, P: Values{s.Parameters},
		life: l, tokens: d.Tokens, writes: d.Writes, role: d.Role, changed: make(chan struct{}), open: map[int64]chan reply{},
		come: make(chan struct{}, 1), messages: make(chan Message),
	}
	t.Disk = newDisk(t, s.Disk)
	go t.handOver()
	return t
}

// Mono is the instant now on this machine's monotonic clock.
func (t *T) Mono() Mono {
	mono, _ := t.life.clocks()
	return Mono(mono)
}

// Wall is the instant now on this machine's wall clock.
func (t *T) Wall() Wall {
	_, wall := t.life.clocks()
	return Wall(wall)
}

// AsWall takes a store's time for one of this machine's wall clock: two clocks that need not agree.
func (t *T) AsWall(s StoreTime) Wall { return Wall(s) }

// AsStore takes a time of the wall clock for the store's.
func (t *T) AsStore(w Wall) StoreTime { return StoreTime(w) }

// Log is a remark for the trace.
func (t *T) Log(text string, value ...int64) {
	said := map[string]any{"text": text}
	if len(value) > 0 {
		said["value"] = value[0]
	}
	t.life.act("log", said)
}

// ---- belief ----

// Believe says that from now on this instance acts as the leader: until a Mono, until a Wall, or Open. A design with
// Tokens has a token in each belief, and only then.
func (t *T) Believe(until Until, token ...int64) {
	if len(token) > 1 || (len(token) == 1) != t.tokens || (len(token) == 1 && token[0] < 1) {
		panic("t.Believe: a token, a whole number above 0, belongs to the beliefs of a design with Tokens, and to no other")
	}
	t.notOfSchedulers("t.Believe")
	b := &belief{}
	until.until(b)
	var shown Token
	if t.tokens {
		b.Token = &token[0]
		shown = TokenOf(token[0])
	}
	t.life.act("believe", b)
	t.setBelief(b, shown)
}

// StepDown says that it does so no more.
func (t *T) StepDown(why string) {
	t.notOfSchedulers("t.StepDown")
	t.mutex.Lock()
	led := t.belief != nil
	t.mutex.Unlock()
	if led {
		t.life.act("step_down", why)
		t.setBelief(nil, Token{})
	}
}

func (t *T) notOfSchedulers(what string) {
	if t.role == Scheduler {
		panic(what + " is its election's business, and this program is a scheduler")
	}
}

func (t *T) setBelief(b *belief, token Token) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.belief, t.token = b, token
	close(t.changed)
	t.changed = make(chan struct{})
}

// Leads says whether it believes so now; of a scheduler, whether its election does.
func (t *T) Leads() bool {
	leads := t.believes()
	// A program that works checks before it acts: the moment at which classic zombie writes begin.
	if works := t.role == Scheduler || t.role == Both; leads && (works || t.writes) {
		t.life.act("checked", struct{}{})
	}
	return leads
}

func (t *T) believes() bool {
	left, ends, _ := t.beliefLeft()
	return !ends || left > 0
}

// Token is what this instance leads with; the zero Token if it has none.
func (t *T) Token() Token {
	if !t.believes() {
		return Token{}
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.token
}

// Of a scheduler's election, as each line has it.
func (t *T) hear(said told) {
	if t.role != Scheduler {
		return
	}
	var b *belief
	var token Token
	if of := said.Leadership; of != nil {
		b, token = &belief{UntilMono: of.UntilMono, Open: of.Open}, of.Token
	}
	t.mutex.Lock()
	same := token == t.token && (b == nil) == (t.belief == nil) &&
		(b == nil || b.Open == t.belief.Open && (b.Open || *b.UntilMono == *t.belief.UntilMono))
	t.mutex.Unlock()
	if !same {
		t.setBelief(b, token)
	}
}

// How long belief lasts, unless it is open; and what is closed when it is another.
func (t *T) beliefLeft() (left time.Duration, ends bool, changed <-chan struct{}) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	mono, wall := t.life.clocks()
	switch b := t.belief; {
	case b == nil:
		return 0, true, t.changed
	case b.UntilMono != nil:
		return time.Duration(*b.UntilMono - mono), true, t.changed
	case b.UntilWall != nil:
		return time.Duration(*b.UntilWall - wall), true, t.changed
	}
	return 0, false, t.changed
}

// WhileLeading returns a context that ends when this instance believes no more. Call the function when the work is
// done.
func (t *T) WhileLeading(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	if !t.believes() {
		cancel()
	}
	go func() {
		defer cancel()
		for {
			left, ends, changed := t.beliefLeft()
			if ends && left <= 0 {
				return
			}
			end := time.NewTimer(left)
			if !ends {
				end.Stop()
			}
			select {
			case <-end.C:
			case <-changed:
			case <-ctx.Done():
			}
			end.Stop()
			if ctx.Err() != nil {
				return
			}
		}
	}()
	return ctx, cancel
}

// ---- messages ----

// Send sends a message with whole numbers to node `to`; it may be lost, late, or come twice.
func (t *T) Send(to int, kind string, words ...int64) {
	t.notOfSchedulers("t.Send")
	if to < 1 || to > t.Nodes {
		panic(fmt.Sprintf("t.Send: there is no node %d", to))
	}
	if words == nil {
		words = []int64{}
	}
	t.life.act("send", letter{to, kind, words})
}

// Messages has what others send, in the order in which it comes. What nobody receives waits.
func (t *T) Messages() <-chan Message {
	t.notOfSchedulers("t.Messages")
	return t.messages
}

func (t *T) handOver() {
	for range t.come {
		for {
			t.mutex.Lock()
			if len(t.queue) == 0 {
				t.mutex.Unlock()
				break
			}
			first := t.queue[0]
			t.queue = t.queue[1:]
			t.mutex.Unlock()
			t.messages <- first
		}
	}
}

// ---- the end ----

// OnStop has f run when the process is asked to stop; it has stopped when f returns. Without it, it stops at once.
func (t *T) OnStop(f func()) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.onStop = f
}

func (t *T) stop() {
	t.mutex.Lock()
	f := t.onStop
	t.mutex.Unlock()
	if f == nil {
		t.life.act("stopped", struct{}{})
		return
	}
	go func() {
		f()
		t.life.act("stopped", struct{}{})
	}()
}

// ---- what the simulator tells ----

func (t *T) take(said told) {
	t.hear(said)
	for _, answer := range []*reply{said.Reply, said.Ran, said.Written, said.Synced} {
		if answer == nil {
			continue
		}
		t.mutex.Lock()
		waiting := t.open[answer.ID]
		delete(t.open, answer.ID)
		t.mutex.Unlock()
		waiting <- *answer
	}
	switch {
	case said.Message != nil:
		t.mutex.Lock()
		t.queue = append(t.queue, *said.Message)
		t.mutex.Unlock()
		select {
		case t.come <- struct{}{}:
		default:
		}
	case said.Stop != nil:
		t.stop()
	}
}
