package tenure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"syscall"
)

// What the simulator says: one of these, and the clocks.
type told struct {
	Mono, Wall int64
	Describe   *struct{}
	Validate   *struct{ Parameters map[string]json.RawMessage }
	// What a client sends for a schedule.
	PutSchedule    *Schedule `json:"put_schedule"`
	DeleteSchedule *Schedule `json:"delete_schedule"`
	Start          *start
	Message        *Message
	Reply          *reply
	Ran            *reply // these two have a Result, and Synced has nothing
	Written        *reply
	Synced         *reply
	Stop           *struct{}
	Leadership     *leadership // of a scheduler's election; nil: it does not lead
}

type leadership struct {
	UntilMono *int64 `json:"until_mono"`
	Open      bool
	Token     Token
}

type start struct {
	Me, Identity  string
	Number, Nodes int
	Seed          int64
	Parameters    map[string]json.RawMessage
	Disk          map[string]string
}

type reply struct {
	ID                int64
	Outcome           string
	Results           []result
	SQLState, Message string
	Result            string
}

type result struct {
	Columns []string
	Rows    [][]json.RawMessage
	Count   int64
}

// The simulator's two pipes.
type wire struct {
	in, out int
	buffer  []byte
}

// Our own two. What the program prints goes to standard error, which the simulator keeps in its trace.
func takePipes() *wire {
	w := &wire{in: duplicate(0), out: duplicate(1)}
	nothing, err := syscall.Open(os.DevNull, syscall.O_RDONLY, 0)
	must(err)
	must(syscall.Dup3(nothing, 0, 0))
	must(syscall.Close(nothing))
	must(syscall.Dup3(2, 1, 0))
	return w
}

func duplicate(fd int) int {
	copied, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_DUPFD_CLOEXEC, 10)
	if errno != 0 {
		must(errno)
	}
	return int(copied)
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("the pipes of the node protocol: %v", err))
	}
}

// The next line. Ends the process when there is none.
func (w *wire) read() told {
	for {
		if end := bytes.IndexByte(w.buffer, '\n'); end >= 0 {
			line := w.buffer[:end]
			w.buffer = w.buffer[end+1:]
			return read(line)
		}
		more := make([]byte, 65536)
		count, err := syscall.Read(w.in, more)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || count == 0 {
			os.Exit(0)
		}
		w.buffer = append(w.buffer, more[:count]...)
	}
}

func read(line []byte) told {
	var t told
	if err := json.Unmarshal(line, &t); err != nil {
		panic(fmt.Sprintf("not a line of the node protocol: %v: %s", err, line))
	}
	return t
}

func (w *wire) write(line []byte) {
	line = append(line, '\n')
	for len(line) > 0 {
		count, err := syscall.Write(w.out, line)
		if err != nil && err != syscall.EINTR {
			os.Exit(0) // nobody listens any more
		}
		if count > 0 {
			line = line[count:]
		}
	}
}

func toJSON(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

func sortedKeys(values map[string]json.RawMessage) []string {
	var keys []string
	for key := range values {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
