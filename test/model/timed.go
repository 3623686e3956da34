package main

import "time"

// The inequalities between a pass's time limit, lease, grace, visibility timeout and clock skew, by enumeration over a grid of
// whole ticks. Each must be exact: what it allows never goes wrong, and what it forbids does for some clocks.
type inequality struct {
	name  string
	exact func() (states int, holds bool)
}

func inequalities() []scenario {
	return []scenario{
		&inequality{"time-no-overlap-if-lease-at-least-limit-request-skew", func() (int, bool) {
			n, exact := 0, true
			for lease := 0; lease < 20; lease++ {
				for limit := 0; limit < 7; limit++ {
					for skew := 0; skew < 4; skew++ {
						for request := 0; request < 4; request++ {
							n++
							exact = exact && overlap(lease, limit, skew, request) == (lease < limit+request+skew)
						}
					}
				}
			}
			return n, exact
		}},
		&inequality{"time-due-finds-lease-free-if-grace-above-skew", func() (int, bool) {
			n, exact := 0, true
			for grace := 0; grace < 7; grace++ {
				for skew := 0; skew < 5; skew++ {
					n++
					exact = exact && dueFindsItHeld(5, grace, skew) == (grace <= skew)
				}
			}
			return n, exact
		}},
		&inequality{"time-redelivery-finds-lease-free-if-visibility-above-all", func() (int, bool) {
			n, exact := 0, true
			for visibility := 0; visibility < 20; visibility++ {
				for lease := 0; lease < 7; lease++ {
					for skew := 0; skew < 4; skew++ {
						for delay := 0; delay < 4; delay++ {
							n++
							exact = exact && redeliveryFindsItHeld(visibility, lease, skew, delay) == (visibility <= lease+skew+delay)
						}
					}
				}
			}
			return n, exact
		}},
	}
}

// The holder acquires at true time 0, until holder+lease by its clock. It stops at its limit; a request may still take effect
// later. Another worker acquires at the first true time at which its own clock is past the end.
func overlap(lease, limit, skew, request int) bool {
	for holder := 0; holder <= skew; holder++ {
		for other := 0; other <= skew; other++ {
			if max(0, holder+lease-other+1) <= limit+request {
				return true
			}
		}
	}
	return false
}

// The sweep sends when its clock shows the deadline, and the message arrives at once.
func dueFindsItHeld(lease, grace, skew int) bool {
	for holder := 0; holder <= skew; holder++ {
		for worker := 0; worker <= skew; worker++ {
			for sweep := 0; sweep <= skew; sweep++ {
				if max(0, holder+lease+grace-sweep)+worker <= holder+lease {
					return true
				}
			}
		}
	}
	return false
}

// The message was received earlier than its lease was taken, by at most the delay.
func redeliveryFindsItHeld(visibility, lease, skew, delay int) bool {
	for holder := 0; holder <= skew; holder++ {
		for worker := 0; worker <= skew; worker++ {
			if visibility-delay+worker <= holder+lease {
				return true
			}
		}
	}
	return false
}

func (i *inequality) title() string     { return i.name }
func (i *inequality) onlyWithAll() bool { return false }
func (i *inequality) run(options) verdict {
	start := time.Now()
	n, exact := i.exact()
	var found []string
	if !exact {
		found = []string{"INEXACT"}
	}
	v := judge(i.name, "", found, false, false)
	v.states, v.seconds = n, time.Since(start).Seconds()
	return v
}
