package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"time"
)

const commandTimeout = 60 * time.Second

// command is one line of standard input.
type command struct {
	// Name is compact, snapshot or restart.
	Name string `json:"cmd"`
	// File is where snapshot writes, and what restart restores; restart without it keeps the stored content.
	File string `json:"file"`
}

// reply is the line that answers a command. A restart that works is answered by the next ready line instead.
type reply struct {
	Event    string `json:"event"`
	Command  string `json:"cmd"`
	Revision int64  `json:"revision,omitempty"`
	Error    string `json:"error,omitempty"`
}

type commandLoop struct {
	settings settings
	etcd     *etcdServer
	listener net.Listener
	messages *json.Encoder
}

// serve carries out one command after another until the input closes.
func (l *commandLoop) serve(ctx context.Context, input io.Reader) {
	lines := bufio.NewScanner(input)
	for lines.Scan() {
		var c command
		answer := reply{Event: "done"}
		err := json.Unmarshal(lines.Bytes(), &c)
		if err == nil {
			answer.Command = c.Name
			answer.Revision, err = l.execute(ctx, c)
		}
		if err != nil {
			answer.Event, answer.Error = "failed", err.Error()
		}
		if err := l.messages.Encode(answer); err != nil {
			return
		}
	}
}

// execute returns the etcd revision that the command's effect refers to.
func (l *commandLoop) execute(ctx context.Context, c command) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	switch c.Name {
	case "compact":
		return l.etcd.compact(ctx)
	case "snapshot":
		return l.etcd.snapshot(ctx, c.File)
	case "restart":
		return 0, l.restart(c.File)
	default:
		return 0, fmt.Errorf("unknown command %q: compact, snapshot and restart are known", c.Name)
	}
}

func (l *commandLoop) restart(restoreFrom string) error {
	arguments := []string{"-directory=" + l.settings.directory, fmt.Sprintf("-temporary=%t", l.settings.temporary)}
	if restoreFrom != "" {
		if _, err := os.Stat(restoreFrom); err != nil {
			return fmt.Errorf("nothing to restore: %w", err)
		}
		arguments = append(arguments, "-restore-from="+restoreFrom)
	}
	return replaceProcess(l.listener, arguments)
}
