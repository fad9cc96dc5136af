package tenure

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"sync"
)

// One life: what it wants done, and what it has been told. Its goroutines run while nobody else does (one thread), and
// each step ends when all of them wait.
type life struct {
	wire *wire

	mutex sync.Mutex // that `go vet` and the race detector see what one thread makes sure of
	acts  [][]byte
	over  bool
	now   told // the clocks
}

// Main is what main() calls: it says what the program is, or leads a life of it.
func Main(d Design) {
	first := read(firstLine())
	w := takePipes()
	switch {
	case first.Describe != nil:
		forks := os.Getenv("TENURE_FORKS")
		said, problem := d.description(forks != "")
		if problem != "" {
			fmt.Fprintln(os.Stderr, problem)
			os.Exit(1)
		}
		w.write(toJSON(said))
		if forks != "" {
			fd, err := strconv.Atoi(forks)
			must(err)
			serveLives(d.Name, fd)
		}
	case first.Validate != nil:
		w.write(toJSON(d.validation(Values{first.Validate.Parameters})))
	case first.PutSchedule != nil:
		w.write(toJSON(d.edit("PutSchedule", d.PutSchedule, first.PutSchedule)))
	case first.DeleteSchedule != nil:
		w.write(toJSON(d.edit("DeleteSchedule", d.DeleteSchedule, first.DeleteSchedule)))
	case first.Start != nil:
		lead(d, w, first)
	}
	w.read() // ends the process
}

func lead(d Design, w *wire, first told) {
	l := &life{wire: w, now: first}
	rand.Seed(first.Start.Seed) // as each process has its own, from Go 1.20 on
	t := newT(d, l, first.Start)
	t.hear(first)
	go func() {
		if err := d.Node(t); err != nil {
			l.act("error", err.Error())
		}
	}()
	for {
		wake, wakes := untilAllWait()
		w.write(l.answer(wake, wakes))
		next := w.read()
		setClocks(next.Mono, next.Wall)
		l.mutex.Lock()
		l.now = next
		l.mutex.Unlock()
		t.take(next)
	}
}

// Asks for something; it is done when the step ends. Nothing is after an error, or when it has stopped.
func (l *life) act(what string, value any) {
	text := toJSON(map[string]any{what: value})
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.over {
		return
	}
	l.acts = append(l.acts, text)
	l.over = what == "error" || what == "stopped"
}

func (l *life) answer(wake int64, wakes bool) []byte {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	line := []byte{'{'}
	if len(l.acts) > 0 {
		line = append(line, `"do":[`...)
		for i, act := range l.acts {
			if i > 0 {
				line = append(line, ',')
			}
			line = append(line, act...)
		}
		line = append(line, ']')
		l.acts = nil
	}
	if wakes {
		if len(line) > 1 {
			line = append(line, ',')
		}
		line = strconv.AppendInt(append(line, `"wake":`...), wake, 10)
	}
	return append(line, '}')
}

func (l *life) clocks() (mono, wall int64) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.now.Mono, l.now.Wall
}

// What a belief and a message look like on the wire.
type belief struct {
	UntilMono *int64 `json:"until_mono,omitempty"`
	UntilWall *int64 `json:"until_wall,omitempty"`
	Open      bool   `json:"open,omitempty"`
	Token     *int64 `json:"token,omitempty"`
}

type letter struct {
	To    int     `json:"to"`
	Kind  string  `json:"kind"`
	Words []int64 `json:"words"`
}

type statements struct {
	ID         int64           `json:"id"`
	Deadline   int64           `json:"deadline"`
	Statements []jsonStatement `json:"statements"`
	On         string          `json:"on,omitempty"`
}

type jsonStatement struct {
	Text   string            `json:"text"`
	Values []json.RawMessage `json:"values"`
}
