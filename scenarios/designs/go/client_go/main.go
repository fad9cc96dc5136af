// The leader election of Kubernetes' Go client: not a model of it but the library itself, unmodified. What is ours is
// what a program around it says: the settings, what it does while it leads, and the server that it asks.
package main

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"tenure"
)

func main() {
	const least = time.Millisecond
	tenure.Main(tenure.Design{
		Name:    "client-go-itself",
		Summary: "the leader election of Kubernetes' Go client, v0.20.2, unmodified",
		// As in the model of it, sim/protocols/client_go.
		Parameters: []tenure.Parameter{
			{Name: "lease_duration", Default: 15 * time.Second, Min: least,
				Doc: "how long the record must stand still before a candidate takes it"},
			{Name: "renew_deadline", Default: 10 * time.Second, Min: least,
				Doc: "how long a leader polls without a success before it gives up"},
			{Name: "retry_period", Default: 2 * time.Second, Min: least, Doc: "the period of every poll"},
			{Name: "request_timeout", Default: 5 * time.Second, Min: least, Doc: "the client's: how long a request may hang"},
			{Name: "release_on_cancel", Default: false,
				Doc: "empty the record when asked to stop, or when giving up"},
			{Name: "requests_per_second", Default: 5, Min: 0, Max: 1_000_000,
				Doc: "how many requests the client sends, after a burst of ten; 0: as many as it is asked for"},
		},
		Schema: schema,
		Claims: []tenure.Claim{
			{Name: "one-believer", Passes: true,
				Assumes: []string{"rates-equal", "no-pause", "prompt-store", "no-lost-commits", "no-mono-freeze"}},
			{Name: "acts-within-belief"},
			{Name: "leader-elected", Assumes: []string{"prompt-at-rest"}},
		},
		Validate: validate,
		Node:     node,
	})
}

// The library judges its settings itself.
func validate(p tenure.Values) []tenure.Complaint {
	config := settings(p)
	config.Lock = &resourcelock.LeaseLock{}
	config.Callbacks = leaderelection.LeaderCallbacks{
		OnStartedLeading: func(context.Context) {},
		OnStoppedLeading: func() {},
	}
	if _, err := leaderelection.NewLeaderElector(config); err != nil {
		return []tenure.Complaint{{Parameter: "lease_duration", Text: err.Error()}}
	}
	return nil
}

func settings(p tenure.Values) leaderelection.LeaderElectionConfig {
	return leaderelection.LeaderElectionConfig{
		LeaseDuration:   p.Duration("lease_duration"),
		RenewDeadline:   p.Duration("renew_deadline"),
		RetryPeriod:     p.Duration("retry_period"),
		ReleaseOnCancel: p.Bool("release_on_cancel"),
	}
}

// A program that runs the elector again when it has lost.
func node(t *tenure.T) error {
	limit := float32(t.P.Int("requests_per_second"))
	if limit == 0 {
		limit = -1 // 0 is the library's default
	}
	client, err := coordinationv1.NewForConfig(&rest.Config{
		Host: "http://apiserver", Transport: apiServer{t}, Timeout: t.P.Duration("request_timeout"), QPS: limit,
	})
	if err != nil {
		return err
	}
	config := settings(t.P)
	config.Lock = &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: "kube-system", Name: "controller"},
		Client:     client,
		LockConfig: resourcelock.ResourceLockConfig{Identity: t.Identity},
	}
	config.Callbacks = leaderelection.LeaderCallbacks{
		// It runs beside the elector. Before the next term begins there is a request, and this has ended by then.
		OnStartedLeading: func(leading context.Context) {
			if leading.Err() != nil {
				return
			}
			t.Believe(tenure.Open)
			<-leading.Done()
			t.StepDown("its context is done")
		},
		OnStoppedLeading: func() {},
	}
	elector, err := leaderelection.NewLeaderElector(config)
	if err != nil {
		return err
	}

	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			elector.Run(ctx)
		}
	}()
	t.OnStop(func() {
		cancel()
		t.StepDown("asked to stop")
		<-ended
	})
	return nil
}
