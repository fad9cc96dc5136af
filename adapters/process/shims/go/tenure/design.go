// Package tenure runs programs in Go under Tenure's simulator, on the simulator's clock (docs/node-protocol.md,
// docs/designs.md).
//
// A program has a Design, and hands it to Main:
//
//	func main() {
//		tenure.Main(tenure.Design{Name: "my-lease", Node: node})
//	}
//
// Goroutines, select, timers, tickers and contexts are Go's own. run.sh builds the program.
package tenure

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Design is what a program is. Its fields mean what the keys of a design in Lua mean (docs/designs.md).
type Design struct {
	Name    string
	Summary string
	// Role is Elector, Scheduler or Both; an Elector if it is left out.
	Role       Role
	Parameters []Parameter
	Schema     string
	Claims     []Claim
	Tokens     bool
	GoesRound  bool
	// Writes says that it calls t.Write: the checkers go by that.
	Writes bool
	// PutSchedule is a scheduler's: what a client sends to the store for a schedule. DeleteSchedule is asked for one that
	// the scenario deletes.
	PutSchedule    func(s Schedule) []Statement
	DeleteSchedule func(s Schedule) []Statement
	// Validate judges the parameters together.
	Validate func(p Values) []Complaint
	// Node is the process. Its goroutines go on when it has returned nil; an error is a finding, and ends the life.
	Node func(t *T) error
}

// Role is what a program does: it elects, it schedules on somebody's election, or both.
type Role string

const (
	Elector   Role = "elector"
	Scheduler Role = "scheduler"
	Both      Role = "both"
)

// Parameter is a key of [election], or of [scheduling]. Its type is that of Default: a time.Duration, an int, a bool, or a string: one of
// Choices, or a duration such as "5s".
type Parameter struct {
	Name     string
	Default  any
	Min, Max any
	Choices  []string
	Doc      string
	// NoRecovery says of a duration that no recovery waits for it.
	NoRecovery bool
}

// Claim is what must hold, unless an assumption is broken.
type Claim struct {
	Name    string
	Assumes []string
	// Passes says that a breach excuses for one recovery after it is over, and no longer.
	Passes bool
}

// Complaint is an error of the scenario: what is wrong with a parameter.
type Complaint struct{ Parameter, Text string }

// Values are those of the parameters. Each function panics when there is no such parameter, of that type.
type Values struct{ values map[string]json.RawMessage }

func (p Values) Duration(name string) time.Duration {
	var d int64
	p.read(name, &d, "a duration")
	return time.Duration(d)
}

func (p Values) Int(name string) int64 {
	var n int64
	p.read(name, &n, "a whole number")
	return n
}

func (p Values) Bool(name string) bool {
	var b bool
	p.read(name, &b, "true or false")
	return b
}

func (p Values) Choice(name string) string {
	var s string
	p.read(name, &s, "a choice")
	return s
}

func (p Values) read(name string, into any, what string) {
	text, known := p.values[name]
	if !known {
		panic(fmt.Sprintf("there is no parameter %q; there is %s", name, orNone(sortedKeys(p.values))))
	}
	if json.Unmarshal(text, into) != nil {
		panic(fmt.Sprintf("the parameter %q is not %s: it is %s", name, what, text))
	}
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

const version = 1

// The answer to "what are you?"; or what is wrong with the design.
func (d Design) description(copiesItself bool) (said map[string]any, problem string) {
	if d.Node == nil {
		return nil, "the design has no Node, the process"
	}
	said = map[string]any{
		"tenure": version, "name": d.Name, "validates": d.Validate != nil, "copies_itself": copiesItself,
		"tokens": d.Tokens, "goes_round": d.GoesRound, "writes": d.Writes,
	}
	if d.Role != "" {
		said["role"] = d.Role
	}
	schedules := d.Role == Scheduler || d.Role == Both
	if schedules && d.PutSchedule == nil {
		return nil, "a scheduler needs PutSchedule: func(s tenure.Schedule) []tenure.Statement"
	}
	if !schedules && (d.PutSchedule != nil || d.DeleteSchedule != nil) {
		return nil, "PutSchedule and DeleteSchedule are for a scheduler: Role: tenure.Scheduler, or tenure.Both"
	}
	if d.Summary != "" {
		said["summary"] = d.Summary
	}
	if d.Schema != "" {
		said["schema"] = d.Schema
	}
	parameters := map[string]any{}
	for _, p := range d.Parameters {
		if parameters[p.Name], problem = p.description(); problem != "" {
			return nil, problem
		}
	}
	said["parameters"] = parameters
	claims := map[string]any{}
	for _, c := range d.Claims {
		claims[c.Name] = map[string]any{"assumes": append([]string{}, c.Assumes...), "passes": c.Passes}
	}
	said["claims"] = claims
	return said, ""
}

func (p Parameter) description() (row map[string]any, problem string) {
	row = map[string]any{}
	for key, value := range map[string]any{"default": p.Default, "min": p.Min, "max": p.Max} {
		switch v := value.(type) {
		case nil:
		case time.Duration:
			row[key] = durationText(v)
		case int, int32, int64, bool, string:
			row[key] = v
		default:
			return nil, fmt.Sprintf("the parameter %q: its %s is a time.Duration, an int, a bool or a string, and not a %T",
				p.Name, key, v)
		}
	}
	if p.Choices != nil {
		row["choices"] = p.Choices
	}
	if p.Doc != "" {
		row["doc"] = p.Doc
	}
	if p.NoRecovery {
		row["recovery"] = false
	}
	return row, ""
}

// What a client sends for a schedule; f is PutSchedule or DeleteSchedule.
func (d Design) edit(name string, f func(s Schedule) []Statement, s *Schedule) (said map[string]any) {
	defer func() {
		if why := recover(); why != nil {
			said = map[string]any{"error": fmt.Sprintf("%s%v", placeOfPanic(), why)}
		}
	}()
	if f == nil {
		return map[string]any{"error": "the scenario deletes a schedule, and the program has no " + name}
	}
	return map[string]any{"statements": jsonStatements(f(*s))}
}

func (d Design) validation(values Values) (said map[string]any) {
	defer func() {
		if why := recover(); why != nil {
			said = map[string]any{"error": fmt.Sprintf("%s%v", placeOfPanic(), why)}
		}
	}()
	complaints := [][2]string{}
	for _, c := range d.Validate(values) {
		complaints = append(complaints, [2]string{c.Parameter, c.Text})
	}
	return map[string]any{"complaints": complaints}
}

// The line of the program that a panic came from.
func placeOfPanic() string {
	callers := make([]uintptr, 50)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		if strings.HasPrefix(frame.Function, "main.") {
			return fmt.Sprintf("%s:%d: ", filepath.Base(frame.File), frame.Line)
		}
		if !more {
			return ""
		}
	}
}
