package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/etcdutl/v3/snapshot"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
	"go.uber.org/zap"
	"google.golang.org/grpc"
)

// Relative to the working directory, which is the control plane's directory.
const (
	etcdDirectory = "etcd"
	etcdClientURL = "unix://etcd-client.sock"
	etcdPeerURL   = "unix://etcd-peer.sock"
	etcdName      = "default"
	// compactionKey is written to move the revision; it lies outside what the API server reads.
	compactionKey = "/evenkeel/compaction"
)

type etcdServer struct {
	client *clientv3.Client
	gate   *watchGate
}

func startEtcd() (*etcdServer, error) {
	client, err := url.Parse(etcdClientURL)
	if err != nil {
		return nil, err
	}
	peer, err := url.Parse(etcdPeerURL)
	if err != nil {
		return nil, err
	}
	gate := newWatchGate()

	config := embed.NewConfig()
	config.Name = etcdName
	config.Dir = etcdDirectory
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{*client}, []url.URL{*client}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{*peer}, []url.URL{*peer}
	config.InitialCluster = etcdName + "=" + etcdPeerURL
	config.LogLevel = "error"
	config.LogOutputs = []string{embed.StdErrLogOutput}
	config.EnableGRPCGateway = false
	// Waiting for the disk would take most of a write's time. What was written survives the process all the same
	// (the operating system has it), only not the machine, and no test outlives the machine.
	config.UnsafeNoFsync = true
	config.GRPCAdditionalServerOptions = []grpc.ServerOption{grpc.ChainStreamInterceptor(gate.intercept)}

	server, err := embed.StartEtcd(config)
	if err != nil {
		return nil, err
	}
	select {
	case <-server.Server.ReadyNotify():
	case err := <-server.Err():
		return nil, err
	}
	return &etcdServer{client: v3client.New(server.Server), gate: gate}, nil
}

// compact forgets every revision before the current one, and makes the API server forget them too.
//
// The API server answers watches from its own history, which an etcd compaction does not touch; on a live cluster the
// two drift apart by minutes. Here each of its watches is cut, the compaction passes by what it last saw, and when the
// watch resumes etcd refuses it: the API server reads everything anew and from then on answers older versions with
// 410 Gone. Open client watches end, as they do on a live cluster. Returns the oldest revision still known.
func (e *etcdServer) compact(ctx context.Context) (int64, error) {
	cut := e.gate.shut()
	revision, err := e.compactPastWatches(ctx)
	e.gate.reopen()
	if err != nil {
		return 0, err
	}
	return revision, e.gate.awaitWatches(ctx, cut, revision)
}

func (e *etcdServer) compactPastWatches(ctx context.Context) (int64, error) {
	var revision int64
	// A watch that saw revision r resumes at r+1, which etcd refuses only below the compacted revision: r+2.
	for range 2 {
		written, err := e.client.Put(ctx, compactionKey, "")
		if err != nil {
			return 0, err
		}
		revision = written.Header.Revision
	}
	_, err := e.client.Compact(ctx, revision, clientv3.WithCompactPhysical())
	return revision, err
}

// snapshot writes all stored content to a new file and returns its revision.
func (e *etcdServer) snapshot(ctx context.Context, file string) (revision int64, err error) {
	if file == "" {
		return 0, fmt.Errorf("snapshot needs a file to write to")
	}
	current, err := e.client.Get(ctx, compactionKey)
	if err != nil {
		return 0, err
	}
	content, err := e.client.Snapshot(ctx)
	if err != nil {
		return 0, err
	}
	defer content.Close()
	target, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	if _, err := io.Copy(target, content); err != nil {
		target.Close()
		return 0, err
	}
	return current.Header.Revision, target.Close()
}

// restoreEtcd replaces the stored content by a snapshot's. Revisions go back to those of the snapshot, as after a
// restore from backup that was not told to avoid it.
func restoreEtcd(file string) error {
	if err := os.RemoveAll(etcdDirectory); err != nil {
		return err
	}
	return snapshot.NewV3(zap.NewNop()).Restore(snapshot.RestoreConfig{
		SnapshotPath:        file,
		Name:                etcdName,
		OutputDataDir:       etcdDirectory,
		PeerURLs:            []string{etcdPeerURL},
		InitialCluster:      etcdName + "=" + etcdPeerURL,
		InitialClusterToken: "restored",
	})
}
