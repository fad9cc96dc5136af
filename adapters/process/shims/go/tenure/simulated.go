//go:build faketime

package tenure

import "syscall"

// What overlay/ adds to the standard library.

func firstLine() []byte           { return syscall.TenureLine() }
func setClocks(mono, wall int64)  { syscall.TenureSetClocks(mono, wall) }
func untilAllWait() (int64, bool) { return syscall.TenureIdle() }
