module bench

go 1.19

require tenure v0.0.0

replace tenure => ../adapters/process/shims/go/tenure
