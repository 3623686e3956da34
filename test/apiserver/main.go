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
	KubeconfigFile  string `json:"kubeconfigFile"`
	AuditLogFile    string `json:"auditLogFile"`
	Version         string `json:"version"`
	ProcessID       int    `json:"pid"`
	StartupDuration int64  `json:"startupMs"`
}

func main() {
	directory := flag.String("directory", "", "where all state and every generated file goes (required; created if missing)")
	port := flag.Int("port", 0, "port of the API server on 127.0.0.1; 0 takes a free one")
	restoreFrom := flag.String("restore-from", "", "snapshot file whose content replaces the stored one")
	listenerFD := flag.Int("listener-fd", 0, "listening socket kept across a restart; set by the process itself")
	flag.Parse()

	// Whatever the embedded servers print must not end up among our messages.
	messages := json.NewEncoder(os.Stdout)
	os.Stdout = os.Stderr

	if err := run(*directory, *port, *restoreFrom, *listenerFD, messages); err != nil {
		fmt.Fprintln(os.Stderr, "apiserver:", err)
		os.Exit(1)
	}
}

func run(directory string, port int, restoreFrom string, listenerFD int, messages *json.Encoder) error {
	started := time.Now()
	if directory == "" {
		return fmt.Errorf("-directory is missing: name a directory for the control plane's state")
	}
	directory, err := filepath.Abs(directory)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return err
	}
	if restoreFrom != "" {
		if restoreFrom, err = filepath.Abs(restoreFrom); err != nil {
			return err
		}
	}
	// etcd's socket paths are relative, since a socket's path may only have about 100 characters.
	if err := os.Chdir(directory); err != nil {
		return err
	}

	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()

	listener, err := openListener(port, listenerFD)
	if err != nil {
		return err
	}
	access, err := prepareAccess(directory, listener.Addr().String())
	if err != nil {
		return err
	}
	if restoreFrom != "" {
		if err := restoreEtcd(restoreFrom); err != nil {
			return fmt.Errorf("restoring %s: %w", restoreFrom, err)
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
		KubeconfigFile:  access.adminKubeconfigFile,
		AuditLogFile:    access.auditLogFile,
		Version:         version.Get().GitVersion,
		ProcessID:       os.Getpid(),
		StartupDuration: time.Since(started).Milliseconds(),
	}); err != nil {
		return err
	}

	commands := commandLoop{etcd: etcd, listener: listener, directory: directory, messages: messages}
	go func() {
		commands.serve(stop, os.Stdin)
		cancel()
	}()

	select {
	case err := <-ended:
		return fmt.Errorf("a server ended by itself: %w", err)
	case <-stop.Done():
		// Not drained: clients see connections close, and what is stored is as safe as in a crash, which is safe.
		return nil
	}
}

func openListener(port, inherited int) (net.Listener, error) {
	if inherited != 0 {
		return inheritListener(inherited)
	}
	return net.Listen("tcp4", net.JoinHostPort("127.0.0.1", fmt.Sprint(port)))
}
