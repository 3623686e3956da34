// Command apiserver runs a real Kubernetes control plane for tests in one process: an embedded etcd, the upstream
// kube-apiserver, and the few controllers of the upstream kube-controller-manager without which deletion never ends.
//
// It keeps everything in one directory, listens on loopback only, and says on standard output, one JSON object a line,
// when it is ready and what became of each command that it read, one JSON object a line, from standard input. It ends
// on SIGTERM, on SIGINT and when standard input closes, so that it never outlives the process that started it.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"k8s.io/component-base/version"
)

const readyTimeout = 90 * time.Second

// readyMessage is the line that says the control plane answers requests.
type readyMessage struct {
	Event           string `json:"event"`
	URL             string `json:"url"`
	CAFile          string `json:"caFile"`
	AdminToken      string `json:"adminToken"`
	KubeconfigPath  string `json:"kubeconfigPath"`
	AuditLogFile    string `json:"auditLogFile"`
	Version         string `json:"version"`
	ProcessID       int    `json:"pid"`
	StartupDuration int64  `json:"startupMs"`
}

type settings struct {
	directory   string
	temporary   bool
	port        int
	restoreFrom string
	listenerFD  int
}

func main() {
	var s settings
	flag.StringVar(&s.directory, "directory", "", "where all state and every generated file goes (required; created if missing)")
	flag.BoolVar(&s.temporary, "temporary", false, "remove the directory when told to end")
	flag.IntVar(&s.port, "port", 0, "port of the API server on 127.0.0.1; 0 takes a free one")
	flag.StringVar(&s.restoreFrom, "restore-from", "", "snapshot file whose content replaces the stored one")
	flag.IntVar(&s.listenerFD, "listener-fd", 0, "listening socket kept across a restart; set by the process itself")
	flag.Parse()

	// Whatever the embedded servers print must not end up among our messages.
	messages := json.NewEncoder(os.Stdout)
	os.Stdout = os.Stderr

	if err := run(s, messages); err != nil {
		fmt.Fprintln(os.Stderr, "apiserver:", err)
		os.Exit(1)
	}
}

func run(s settings, messages *json.Encoder) error {
	started := time.Now()
	if err := s.enterDirectory(); err != nil {
		return err
	}
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()

	listener, err := openListener(s.port, s.listenerFD)
	if err != nil {
		return err
	}
	access, err := prepareAccess(s.directory, listener.Addr().String())
	if err != nil {
		return err
	}
	if s.restoreFrom != "" {
		if err := restoreEtcd(s.restoreFrom); err != nil {
			return fmt.Errorf("restoring %s: %w", s.restoreFrom, err)
		}
	}
	etcd, err := startEtcd()
	if err != nil {
		return fmt.Errorf("starting etcd: %w", err)
	}

	ended := make(chan error, 2)
	go func() { ended <- runAPIServer(stop, access, listener) }()
	if err := awaitReady(stop, access, ended); err != nil {
		return err
	}
	go func() { ended <- runControllerManager(stop, access) }()

	if err := messages.Encode(readyMessage{
		Event:           "ready",
		URL:             access.url,
		CAFile:          access.caFile,
		AdminToken:      access.adminToken,
		KubeconfigPath:  access.adminKubeconfigFile,
		AuditLogFile:    access.auditLogFile,
		Version:         version.Get().GitVersion,
		ProcessID:       os.Getpid(),
		StartupDuration: time.Since(started).Milliseconds(),
	}); err != nil {
		return err
	}

	commands := commandLoop{settings: s, etcd: etcd, listener: listener, messages: messages}
	go func() {
		commands.serve(stop, os.Stdin)
		cancel()
	}()

	select {
	case err := <-ended:
		return fmt.Errorf("a server ended by itself: %w", err)
	case <-stop.Done():
		// Not drained: clients see connections close, and what is stored is as safe as in a crash, which is safe.
	}
	if s.temporary {
		// What the servers still write may make this fail. Whoever started us may try again.
		os.RemoveAll(s.directory)
	}
	return nil
}

// enterDirectory makes the paths absolute and the directory the working directory: etcd's socket paths are relative to
// it, since a socket's path may only have about 100 characters.
func (s *settings) enterDirectory() error {
	if s.directory == "" {
		return fmt.Errorf("-directory is missing: name a directory for the control plane's state")
	}
	var err error
	if s.directory, err = filepath.Abs(s.directory); err != nil {
		return err
	}
	if s.restoreFrom != "" {
		if s.restoreFrom, err = filepath.Abs(s.restoreFrom); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(s.directory, 0o700); err != nil {
		return err
	}
	return os.Chdir(s.directory)
}

func openListener(port, inherited int) (net.Listener, error) {
	if inherited != 0 {
		return inheritListener(inherited)
	}
	return net.Listen("tcp4", net.JoinHostPort("127.0.0.1", fmt.Sprint(port)))
}
