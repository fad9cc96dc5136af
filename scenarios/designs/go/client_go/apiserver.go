package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path"
	"strconv"
	"syscall"

	coordination "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"tenure"
)

// What is behind the API server: objects as JSON, each with the version that its next update has to name.
const schema = `
	CREATE TABLE objects (
	  name text PRIMARY KEY,
	  version bigint NOT NULL,
	  object text NOT NULL
	)`

const (
	get    = "SELECT version, object FROM objects WHERE name = $1"
	create = "INSERT INTO objects (name, version, object) VALUES ($1, 1, $2)"
	update = "UPDATE objects SET version = version + 1, object = $3 WHERE name = $1 AND version = $2"
)

// apiServer is where client-go's requests end: what Kubernetes' API server does with a Lease, on the simulator's
// store. All above it is the library's, down to the HTTP client, which takes this for its connection.
type apiServer struct{ t *tenure.T }

func (s apiServer) RoundTrip(request *http.Request) (*http.Response, error) {
	lease, err := s.serve(request)
	var failed *tenure.StoreError
	if errors.As(err, &failed) {
		switch {
		case failed.Kind == "unknown":
			<-request.Context().Done() // the store's deadline is this one
			return nil, request.Context().Err()
		case failed.Kind == "rejected":
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
		}
		err = apierrors.NewInternalError(failed)
	}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		said := status.Status()
		return answer(request, int(said.Code), &said)
	}
	if err != nil {
		return nil, err
	}
	return answer(request, http.StatusOK, lease)
}

func (s apiServer) serve(request *http.Request) (*coordination.Lease, error) {
	lease := &coordination.Lease{}
	if request.Method == http.MethodGet {
		return s.get(request, path.Base(request.URL.Path))
	}
	text, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, lease); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	lease.Kind, lease.APIVersion = "Lease", coordination.SchemeGroupVersion.String()
	switch request.Method {
	case http.MethodPost:
		return s.create(request, lease)
	case http.MethodPut:
		return s.update(request, lease)
	}
	return nil, fmt.Errorf("this API server does not do %s %s", request.Method, request.URL)
}

func (s apiServer) get(request *http.Request, name string) (*coordination.Lease, error) {
	rows, err := s.t.SQL(request.Context(), get, name)
	if err != nil {
		return nil, err
	}
	if rows.Len() == 0 {
		return nil, apierrors.NewNotFound(coordination.Resource("leases"), name)
	}
	lease := &coordination.Lease{}
	if err := json.Unmarshal([]byte(rows.Row(0).Text("object")), lease); err != nil {
		return nil, err
	}
	return at(rows.Row(0).Int("version"), lease), nil
}

func (s apiServer) create(request *http.Request, lease *coordination.Lease) (*coordination.Lease, error) {
	text, err := json.Marshal(lease)
	if err != nil {
		return nil, err
	}
	_, err = s.t.SQL(request.Context(), create, lease.Name, string(text))
	var failed *tenure.StoreError
	if errors.As(err, &failed) && failed.SQLState == "23505" {
		return nil, apierrors.NewAlreadyExists(coordination.Resource("leases"), lease.Name)
	}
	return at(1, lease), err
}

func (s apiServer) update(request *http.Request, lease *coordination.Lease) (*coordination.Lease, error) {
	version, err := strconv.ParseInt(lease.ResourceVersion, 10, 64)
	if err != nil {
		return nil, apierrors.NewBadRequest("a Lease is updated at a version")
	}
	text, err := json.Marshal(lease)
	if err != nil {
		return nil, err
	}
	rows, err := s.t.SQL(request.Context(), update, lease.Name, version, string(text))
	if err == nil && rows.Count == 0 {
		return nil, apierrors.NewConflict(
			coordination.Resource("leases"), lease.Name, errors.New("the object has been modified"))
	}
	return at(version+1, lease), err
}

func at(version int64, lease *coordination.Lease) *coordination.Lease {
	lease.ResourceVersion = strconv.FormatInt(version, 10)
	return lease
}

func answer(request *http.Request, code int, said any) (*http.Response, error) {
	text, err := json.Marshal(said)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: request,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   io.NopCloser(bytes.NewReader(text)), ContentLength: int64(len(text)),
	}, nil
}
