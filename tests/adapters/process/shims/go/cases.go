// What shim_test.py has programs in Go do: the parameter `case` says which.
package main

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"

	"tenure"
)

// Before main, as packages do.
var (
	begun           = time.Now()
	pid             = os.Getpid()
	host, hostError = os.Hostname()
	drawn           = rand.New(rand.NewSource(time.Now().UnixNano())).Int63()
)

func main() {
	tenure.Main(tenure.Design{
		Name: "mine",
		Parameters: []tenure.Parameter{
			{Name: "case", Default: names()[0], Choices: names()},
			{Name: "period", Default: 1500 * time.Millisecond, Min: time.Nanosecond, Max: 2 * time.Hour, Doc: "x"},
			{Name: "kept", Default: "168h", NoRecovery: true},
			{Name: "tries", Default: 2},
			{Name: "eager", Default: true},
		},
		Claims: []tenure.Claim{{Name: "leader-elected"}, {Name: "one-believer", Assumes: []string{"no-crash"}, Passes: true}},
		Tokens: true,
		Validate: func(p tenure.Values) []tenure.Complaint {
			if p.Choice("case") == "panics" {
				panic("cannot judge")
			}
			if p.Duration("period") > time.Minute {
				return []tenure.Complaint{{Parameter: "period", Text: "too long"}}
			}
			return nil
		},
		Node: func(t *tenure.T) error { return cases()[t.P.Choice("case")](t) },
	})
}

func names() []string {
	var all []string
	for name := range cases() {
		all = append(all, name)
	}
	sort.Strings(all)
	return all
}

func log(t *tenure.T, values ...any) { t.Log(strings.TrimSuffix(fmt.Sprintln(values...), "\n")) }

// ctx ends after so long.
func within(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), d)
}

func cases() map[string]func(*tenure.T) error {
	return map[string]func(*tenure.T) error{
		"sleeps": func(t *tenure.T) error {
			time.Sleep(1_000_000_001)
			time.Sleep(2)
			time.Sleep(100 * time.Millisecond)
			return nil
		},
		"many-sleeps": func(t *tenure.T) error {
			for i := 0; i < 300; i++ {
				time.Sleep(100 * time.Millisecond)
			}
			return nil
		},
		"stopped-timer": func(t *tenure.T) error {
			time.AfterFunc(time.Second, func() { log(t, "never") }).Stop()
			ctx, cancel := within(2 * time.Second)
			_ = ctx
			cancel()
			time.Sleep(3 * time.Second)
			log(t, "woken")
			return nil
		},
		"clocks": func(t *tenure.T) error {
			now, mono, wall := time.Now(), t.Mono(), t.Wall()
			log(t, now.Sub(begun), now.UnixNano() == int64(wall), wall.Time().Equal(now), now.Location())
			time.Sleep(5 * time.Second)
			log(t, time.Since(now), t.Mono().Sub(mono), t.Wall().Sub(wall), time.Now().UnixNano()-now.UnixNano())
			return nil
		},
		"wall-steps": func(t *tenure.T) error {
			now := time.Now()
			time.Sleep(time.Second)
			log(t, time.Since(now), time.Now().UnixNano()-now.UnixNano())
			return nil
		},
		"concurrency": concurrency,
		"everything":  everything,
		"draws": func(t *tenure.T) error {
			bytes := make([]byte, 8)
			_, err := crand.Read(bytes)
			order := ""
			for key := range map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true} {
				order += fmt.Sprint(key)
			}
			log(t, rand.Int63(), bytes, err, order, drawn)
			return nil
		},
		"machine": func(t *tenure.T) error {
			name, err := os.Hostname()
			log(t, pid, host, hostError)
			log(t, name, err, os.Getpid(), runtime.NumCPU(), runtime.GOMAXPROCS(8), runtime.GOMAXPROCS(0))
			runtime.LockOSThread()
			runtime.GC()
			time.Sleep(time.Second)
			threads, err := os.ReadDir("/proc/self/task")
			log(t, len(threads), err)
			return nil
		},
		"socket":  func(t *tenure.T) error { _, err := net.Dial("tcp", "127.0.0.1:1"); return err },
		"listens": func(t *tenure.T) error { _, err := net.Listen("tcp", "127.0.0.1:0"); return err },
		"program": func(t *tenure.T) error { return exec.Command("/bin/true").Run() },
		"signals": func(t *tenure.T) error {
			came := make(chan os.Signal, 1)
			signal.Notify(came, os.Interrupt)
			time.Sleep(time.Second)
			log(t, len(came))
			return nil
		},
		"stdin": func(t *tenure.T) error {
			all, err := io.ReadAll(os.Stdin)
			log(t, len(all), err)
			return nil
		},
		"prints": func(t *tenure.T) error {
			fmt.Println("hello")
			print("there\n")
			log(t, "said")
			return nil
		},
		"panics":       func(t *tenure.T) error { time.Sleep(time.Second); boom(); return nil },
		"panics-apart": func(t *tenure.T) error { go func() { time.Sleep(time.Second); boom() }(); return nil },
		"fails":        func(t *tenure.T) error { return errors.New("out of ideas") },
		"exits":        func(t *tenure.T) error { os.Exit(3); return nil },
		"waits":        func(t *tenure.T) error { select {} },
		"parameters": func(t *tenure.T) error {
			log(t, t.Me, t.Number, t.Nodes, t.Identity)
			log(t, t.P.Duration("period"), t.P.Int("tries"), t.P.Bool("eager"), t.P.Duration("kept"))
			return nil
		},
		"no-parameter": func(t *tenure.T) error { t.P.Int("perod"); return nil },
		"no-such-type": func(t *tenure.T) error { t.P.Int("case"); return nil },
		"sql":          sql,
		"gives-up":     givesUp,
		"within": func(t *tenure.T) error {
			_, err := t.SQL(tenure.Within(context.Background(), 2*time.Second), "A")
			log(t, err)
			short, cancel := within(time.Second)
			defer cancel()
			_, err = t.SQL(tenure.Within(short, 2*time.Second), "B")
			log(t, err)
			return nil
		},
		"no-column": func(t *tenure.T) error {
			rows, _ := t.SQL(context.Background(), "SELECT")
			rows.Row(0).Int("m")
			return nil
		},
		"no-such-value":  func(t *tenure.T) error { _, err := t.SQL(context.Background(), "SELECT $1", 1.5); return err },
		"a-wall-time":    func(t *tenure.T) error { _, err := t.SQL(context.Background(), "SELECT $1", t.Wall()); return err },
		"no-token":       func(t *tenure.T) error { t.Believe(tenure.Open); return nil },
		"no-node":        func(t *tenure.T) error { t.Send(4, "x"); return nil },
		"half-character": func(t *tenure.T) error { log(t, "\xff €"); return nil },
		"messages": func(t *tenure.T) error {
			for m := range t.Messages() {
				log(t, m.From, m.Kind, m.Words)
			}
			return nil
		},
		"sends": func(t *tenure.T) error {
			t.Send(2, "beat", 4, -5)
			t.Send(3, "alive")
			return nil
		},
		"beliefs": beliefs,
		"leading": leading,
		"stop": func(t *tenure.T) error {
			t.OnStop(func() {
				time.Sleep(time.Second)
				log(t, "bye")
			})
			return nil
		},
	}
}

func boom() { panic("gone") }

func concurrency(t *tenure.T) error {
	began := t.Mono()
	results := make(chan int)
	for _, n := range []int{3, 1, 2} {
		n := n
		go func() { time.Sleep(time.Duration(n) * time.Second); results <- n }()
	}
	log(t, <-results, <-results, <-results, t.Mono().Sub(began))
	ctx, cancel := within(2 * time.Second)
	defer cancel()
	select {
	case <-time.After(5 * time.Second):
	case <-ctx.Done():
		log(t, ctx.Err(), t.Mono().Sub(began))
	}
	ticker := time.NewTicker(time.Second)
	<-ticker.C
	time.Sleep(2500 * time.Millisecond) // two ticks are missed, and one waits
	<-ticker.C
	<-ticker.C
	ticker.Stop()
	log(t, t.Mono().Sub(began))
	var group sync.WaitGroup
	var mutex sync.Mutex
	sum := 0
	for i := 0; i < 100; i++ {
		i := i
		group.Add(1)
		go func() {
			defer group.Done()
			time.Sleep(time.Duration(i%7) * time.Millisecond)
			mutex.Lock()
			defer mutex.Unlock()
			sum += i
			runtime.Gosched()
		}()
	}
	group.Wait()
	log(t, sum, t.Mono().Sub(began))
	return nil
}

// Whatever could differ from run to run: whom a select takes, the order of maps and of goroutines, collections of
// garbage, finalizers, draws, threads.
func everything(t *tenure.T) error {
	runtime.GOMAXPROCS(4)
	channels := make([]chan string, 8)
	for i := range channels {
		channels[i] = make(chan string)
	}
	hash := uint64(14695981039346656037)
	note := func(text string) {
		for i := 0; i < len(text); i++ {
			hash = (hash ^ uint64(text[i])) * 1099511628211
		}
	}
	for i := range channels {
		i := i
		go func() {
			if i == 0 {
				runtime.LockOSThread()
			}
			garbage := map[*[64]byte]int{}
			for round := 0; ; round++ {
				for k := 0; k < 200; k++ {
					one := new([64]byte)
					garbage[one] = k
					runtime.SetFinalizer(one, func(*[64]byte) { note("gone") })
				}
				for _, k := range garbage {
					note(fmt.Sprint(k))
				}
				if round%10 == 9 {
					garbage = map[*[64]byte]int{}
				}
				if round%25 == 24 {
					runtime.GC()
				}
				if rand.Intn(3) == 0 {
					time.Sleep(time.Duration(rand.Intn(5)) * time.Millisecond)
				}
				channels[i] <- fmt.Sprint(i, round)
			}
		}()
	}
	for k := 0; k < 3000; k++ {
		select {
		case text := <-channels[0]:
			note(text)
		case text := <-channels[1]:
			note(text)
		case text := <-channels[2]:
			note(text)
		case text := <-channels[3]:
			note(text)
		case text := <-channels[4]:
			note(text)
		case text := <-channels[5]:
			note(text)
		case text := <-channels[6]:
			note(text)
		case text := <-channels[7]:
			note(text)
		}
		if k%100 == 0 {
			log(t, hash)
		}
	}
	log(t, hash, runtime.NumGoroutine())
	return nil
}

func sql(t *tenure.T) error {
	ctx, cancel := within(4 * time.Second)
	rows, err := t.SQL(ctx, "SELECT $1", 5, nil, true, 2*time.Second, tenure.StoreTime(7000), "x")
	cancel()
	row := rows.Row(0)
	log(t, row.Int("n"), int64(row.Time("at")), row.Duration("for"), row.IsNull("no"), rows.Count, rows.Len(), err)
	for i := 0; i < 3; i++ {
		_, err := t.Transaction(context.Background(), tenure.Query("A"), tenure.Query("B", "x"))
		var failed *tenure.StoreError
		log(t, errors.As(err, &failed), failed.Kind, failed.SQLState, errors.Is(err, context.DeadlineExceeded))
	}
	return nil
}

func givesUp(t *tenure.T) error {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(time.Second, cancel)
	_, err := t.SQL(ctx, "A")
	log(t, err, errors.Is(err, context.Canceled))
	_, err = t.SQL(ctx, "B")
	log(t, err.(*tenure.StoreError).Kind)
	return nil
}

func beliefs(t *tenure.T) error {
	t.StepDown("leads not") // says nothing
	t.Believe(t.Mono().Add(5*time.Second), 3)
	t.Believe(t.AsWall(tenure.StoreTime(9)), 3)
	t.Believe(tenure.Open, 4)
	t.StepDown("test")
	return nil
}

func leading(t *tenure.T) error {
	began := t.Mono()
	passed := func() time.Duration { return t.Mono().Sub(began) }
	wait := func() {
		ctx, cancel := t.WhileLeading(context.Background())
		defer cancel()
		<-ctx.Done()
		log(t, t.Leads(), passed())
	}
	wait()
	t.Believe(t.Mono().Add(3*time.Second), 1)
	log(t, t.Leads())
	wait()
	t.Believe(tenure.Open, 1)
	time.AfterFunc(2*time.Second, func() { t.StepDown("test") })
	wait()
	t.Believe(t.Mono().Add(time.Second), 1)
	time.AfterFunc(500*time.Millisecond, func() { t.Believe(t.Wall().Add(3*time.Second), 1) })
	wait()
	return nil
}
