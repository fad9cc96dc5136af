package tenure

import (
	"fmt"
	"time"
)

// Mono is an instant of this machine's monotonic clock: t.Mono().
type Mono int64

// Wall is an instant of this machine's wall clock: t.Wall().
type Wall int64

// StoreTime is an instant of a store's clock: what a statement gives for a timestamptz.
type StoreTime int64

func (m Mono) Add(d time.Duration) Mono               { return m + Mono(d) }
func (m Mono) Sub(other Mono) time.Duration           { return time.Duration(m - other) }
func (w Wall) Add(d time.Duration) Wall               { return w + Wall(d) }
func (w Wall) Sub(other Wall) time.Duration           { return time.Duration(w - other) }
func (s StoreTime) Add(d time.Duration) StoreTime     { return s + StoreTime(d) }
func (s StoreTime) Sub(other StoreTime) time.Duration { return time.Duration(s - other) }

// Time is the instant as time.Now() would give it, without a monotonic reading.
func (w Wall) Time() time.Time { return time.Unix(0, int64(w)) }

// Until is when a belief ends: a Mono, a Wall or Open.
type Until interface{ until(*belief) }

// Open is the end of a belief that lasts until it steps down.
var Open Until = open{}

type open struct{}

func (m Mono) until(b *belief) { b.UntilMono = (*int64)(&m) }
func (w Wall) until(b *belief) { b.UntilWall = (*int64)(&w) }
func (open) until(b *belief)   { b.Open = true }

// As the protocol has durations: in the largest unit of which it is a whole number.
func durationText(d time.Duration) string {
	for _, unit := range []struct {
		name   string
		length time.Duration
	}{{"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}, {"ms", time.Millisecond}, {"us", time.Microsecond}} {
		if d%unit.length == 0 {
			return fmt.Sprintf("%d%s", d/unit.length, unit.name)
		}
	}
	return fmt.Sprintf("%dns", int64(d))
}
