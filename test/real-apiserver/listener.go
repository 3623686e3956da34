package main

import (
	"fmt"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// replaceProcess starts this program again in this very process, on a listening socket that never closes in between:
// no other process can take the port, and who connects meanwhile waits. It only returns if that failed.
//
// To clients, to etcd's files and to everything in memory it is a crash: nothing is flushed, drained or said goodbye to.
func replaceProcess(listener net.Listener, arguments []string) error {
	socket, err := listener.(*net.TCPListener).File()
	if err != nil {
		return err
	}
	descriptor := int(socket.Fd())
	if _, err := unix.FcntlInt(uintptr(descriptor), unix.F_SETFD, 0); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	arguments = append([]string{program, fmt.Sprintf("-listener-fd=%d", descriptor)}, arguments...)
	return syscall.Exec(program, arguments, os.Environ())
}

// inheritListener takes over the socket that replaceProcess left open.
func inheritListener(descriptor int) (net.Listener, error) {
	socket := os.NewFile(uintptr(descriptor), "listener")
	if socket == nil {
		return nil, fmt.Errorf("no open file %d to listen on", descriptor)
	}
	defer socket.Close()
	return net.FileListener(socket)
}
