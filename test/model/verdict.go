package main

import (
	"fmt"
	"strings"
)

// A scenario is one configuration of a model, and what is expected of it.
type scenario interface {
	title() string
	onlyWithAll() bool // takes too long or too much memory for every run
	run(options) verdict
}

type options struct {
	all    bool
	traces bool
}

// Above this number of states a search ends: some 2 GB.
const defaultLimit = 8000000

func (o options) limit(own int) int {
	if own == 0 || own > defaultLimit {
		return defaultLimit
	}
	return own
}

type verdict struct {
	name                 string
	ok                   bool
	text                 string
	found                []string
	states, trans, depth int
	seconds              float64
	notes                []string
}

// judge compares what a search found with what is expected. A search that ended at its limit proves nothing about what lies
// beyond: only scenarios marked as big may do so.
func judge(name, want string, found []string, capped, big bool) verdict {
	v := verdict{name: name, found: found}
	switch {
	case want != "":
		v.text = "NOT CAUGHT: expected " + want
		for _, p := range found {
			if strings.HasPrefix(p, want) {
				v.ok, v.text = true, "fails as it must"
			}
		}
	case len(found) > 0:
		v.text = "UNEXPECTED"
	case capped && !big:
		v.text = "UNEXPECTED: more states than the limit"
	case capped:
		v.ok, v.text = true, "holds as far as the limit"
	default:
		v.ok, v.text = true, "holds"
	}
	return v
}

func (v verdict) String() string {
	found := "no violation"
	if len(v.found) > 0 {
		found = strings.Join(v.found, "; ")
	}
	mark := "ok  "
	if !v.ok {
		mark = "FAIL"
	}
	return fmt.Sprintf("%s %-42s states=%d trans=%d depth=%d %.1fs | %s | %s", mark, v.name, v.states, v.trans, v.depth, v.seconds, found, v.text)
}
