// For process_bench: as many steps as there are milliseconds.
package main

import (
	"time"

	"tenure"
)

func main() {
	tenure.Main(tenure.Design{Name: "ticks", Node: func(t *tenure.T) error {
		for {
			time.Sleep(time.Millisecond)
		}
	}})
}
