// One instance: the election of etcd's client, again and again, at the servers that are its arguments. It prints when it
// leads and when it steps down, by the machine's monotonic clock.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
	"unsafe"

	"go.etcd.io/etcd/clientv3"
	"go.etcd.io/etcd/clientv3/concurrency"
)

func say(leads bool) {
	var now syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, 1, uintptr(unsafe.Pointer(&now)), 0) // CLOCK_MONOTONIC
	fmt.Printf("{\"leads\":%v,\"at\":%d.%09d}\n", leads, now.Sec, now.Nsec)
}

// A session of 5 s, from the campaign to its end. False: the process is to stop.
func lead(client *clientv3.Client, stop <-chan os.Signal) bool {
	session, err := concurrency.NewSession(client, concurrency.WithTTL(5))
	if err != nil {
		return true
	}
	defer session.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	elected := make(chan error, 1)
	go func() { elected <- concurrency.NewElection(session, "leader").Campaign(ctx, "") }()
	select {
	case <-stop:
		return false
	case <-session.Done():
		return true
	case err := <-elected:
		if err != nil {
			return true
		}
	}
	say(true)
	defer say(false)
	select {
	case <-stop:
		return false
	case <-session.Done():
		return true
	}
}

func main() {
	client, err := clientv3.New(clientv3.Config{Endpoints: os.Args[1:], DialTimeout: 5 * time.Second})
	if err != nil {
		panic(err)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	for lead(client, stop) {
		time.Sleep(time.Second)
	}
}
