package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const watchMethod = "/etcdserverpb.Watch/Watch"

// watchGate stands before etcd's watch service. Shut, it has ended every watch and lets none begin; open, it knows
// which keys the API server's watch caches watch, and from which revision.
type watchGate struct {
	mu sync.Mutex
	// opened is closed while watches may begin.
	opened  chan struct{}
	current *gateSession
	// changed is closed and replaced whenever a session's watches change.
	changed chan struct{}
}

// gateSession is the time from one opening of the gate to the next shutting.
type gateSession struct {
	ctx     context.Context
	end     context.CancelFunc
	streams sync.WaitGroup
	// from holds the start revision of the newest watch of each key.
	from map[string]int64
}

func newWatchGate() *watchGate {
	g := &watchGate{opened: make(chan struct{}), changed: make(chan struct{})}
	g.reopen()
	return g
}

// shut returns once no watch is left that could still report anything, with the keys that were watched.
func (g *watchGate) shut() []string {
	g.mu.Lock()
	g.opened = make(chan struct{})
	session := g.current
	session.end()
	keys := make([]string, 0, len(session.from))
	for key := range session.from {
		keys = append(keys, key)
	}
	g.mu.Unlock()
	session.streams.Wait()
	return keys
}

func (g *watchGate) reopen() {
	ctx, end := context.WithCancel(context.Background())
	g.mu.Lock()
	defer g.mu.Unlock()
	g.current = &gateSession{ctx: ctx, end: end, from: map[string]int64{}}
	close(g.opened)
}

// awaitWatches returns once every key is watched from a revision after the given one.
func (g *watchGate) awaitWatches(ctx context.Context, keys []string, after int64) error {
	for {
		g.mu.Lock()
		behind := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return g.current.from[key] > after })
		changed := g.changed
		g.mu.Unlock()
		if len(behind) == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("the API server did not read again: %s (%w)", strings.Join(behind, ", "), ctx.Err())
		}
	}
}

// enter waits for the gate to be open and counts the stream in; the caller counts it out.
func (g *watchGate) enter(ctx context.Context) (*gateSession, error) {
	for {
		g.mu.Lock()
		opened, session := g.opened, g.current
		if session.ctx.Err() == nil {
			session.streams.Add(1)
			g.mu.Unlock()
			return session, nil
		}
		g.mu.Unlock()
		select {
		case <-opened:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (g *watchGate) intercept(server any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
	if info.FullMethod != watchMethod {
		return handle(server, stream)
	}
	session, err := g.enter(stream.Context())
	if err != nil {
		return err
	}
	defer session.streams.Done()
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	defer context.AfterFunc(session.ctx, cancel)()

	gated := &gatedStream{ServerStream: stream, ctx: ctx, gate: g, session: session}
	gated.watches = map[int64]*etcdserverpb.WatchCreateRequest{}
	err = handle(server, gated)
	if session.ctx.Err() != nil {
		// The one answer after which etcd's client resumes its watches by itself.
		return status.Error(codes.Unavailable, "watch gate shut")
	}
	return err
}

// gatedStream reads along in one client's stream of watches.
type gatedStream struct {
	grpc.ServerStream
	ctx     context.Context
	gate    *watchGate
	session *gateSession

	mu sync.Mutex
	// asked are creations not yet answered, oldest first.
	asked   []*etcdserverpb.WatchCreateRequest
	watches map[int64]*etcdserverpb.WatchCreateRequest
}

func (s *gatedStream) Context() context.Context { return s.ctx }

func (s *gatedStream) RecvMsg(message any) error {
	if err := s.ServerStream.RecvMsg(message); err != nil {
		return err
	}
	if request, ok := message.(*etcdserverpb.WatchRequest); ok {
		if create := request.GetCreateRequest(); create != nil {
			s.mu.Lock()
			s.asked = append(s.asked, create)
			s.mu.Unlock()
		}
	}
	return nil
}

func (s *gatedStream) SendMsg(message any) error {
	if response, ok := message.(*etcdserverpb.WatchResponse); ok {
		s.note(response)
	}
	return s.ServerStream.SendMsg(message)
}

func (s *gatedStream) note(response *etcdserverpb.WatchResponse) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if response.Created && len(s.asked) > 0 {
		create := s.asked[0]
		s.asked = s.asked[1:]
		// Only watch caches ask for progress notes. A client's own watch, passed through to etcd, may never come back.
		if create.ProgressNotify {
			s.watches[response.WatchId] = create
			s.gate.record(s.session, string(create.Key), create.StartRevision)
		}
	}
	if create, known := s.watches[response.WatchId]; known && response.Canceled {
		delete(s.watches, response.WatchId)
		s.gate.forget(s.session, string(create.Key), create.StartRevision)
	}
}

func (g *watchGate) record(session *gateSession, key string, revision int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	session.from[key] = revision
	close(g.changed)
	g.changed = make(chan struct{})
}

// forget leaves alone the newer watch of the same key that may have replaced the one that ended.
func (g *watchGate) forget(session *gateSession, key string, revision int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if session.from[key] == revision {
		delete(session.from, key)
	}
}
