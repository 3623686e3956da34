package main

import (
	"fmt"
	"strings"
)

// True time passes in ticks, and only when nothing is left to do at once. Every process has a clock of its own that is off
// by 0, +cJ or -cJ and may be stepped at any point. Stored times are kept relative to the true time, so the space is finite.
// One target, two workers, two lanes, a queue whose visibility and delays follow the true time (SQS), wakes, a sweep.

const (
	cL = 3  // lease
	cK = 1  // tolerated skew
	cG = 2  // grace
	cV = 5  // visibility
	cP = 2  // a pass ends within this
	cQ = 3  // sweep interval
	cO = 1  // overdue
	cR = 2  // retry delay
	cJ = 30 // the step of a clock: ten leases
	cB = 18 // nothing may take longer than this once the clocks agree: V + L + skew + grace + 2 sweeps + overdue
)

type cMsg struct {
	on     bool
	again  bool  // delivered before
	ep     uint8 // a mark's deadline: the epoch of the lease that was marked, plus 1
	vis    int8
	holder uint8
}
type cS struct {
	off                   [3]int8 // worker A, worker B, timers (wake handler and sweep)
	owner, ep             uint8
	until                 int8
	dirty, due            bool
	dueAt, dueSet, dueLen int8
	q                     [2][5]cMsg
	w                     [2]struct {
		pc, ep uint8
		age    int8
		st     int8 // its clock when it began
		read   bool
		at, ln int8
		lane   uint8
	}
	wk [4]struct {
		on        bool
		in, dueAt int8
	}
	sw                                int8
	unread, retry                     bool
	late                              int8
	steals                            uint8 // takeovers from a living holder since the last commit, by messages that are neither redelivered nor a mark's deadline
	slow, overlap, over, long, starve bool
	bU, bT, bC, bStep, bFail, bMid    uint8
}
type cCfg struct {
	name                     string
	off                      [3]int8
	one                      bool // one clock for all (one process)
	back                     bool // steps may also be undone by a further step (right again)
	bU, bT, bC, bStep, bFail uint8
	lease                    int  // 0 tree and text: until < now; 1 also over when farther ahead than lease + skew
	timer                    int  // 0 tree; 1 text without a record ("its own length from now", at every look); 2 written down when first seen
	index                    bool // the sweep's query ends at now + interval, as in the tree
	mag                      int8 // how far a step goes (cJ)
	starve                   bool // checks STARVE
	condOnly                 bool // planted: what is too far ahead counts as over for the worker, but not in acquire's condition
	wakeLen                  bool // the delay of a wake is at most the timer's length
	always                   bool // counts although the clocks differ
	byTime, noEpoch          bool // planted: commit fenced by time; by the owner alone
	wall                     bool // planted: the limit of a pass is measured by the wall clock
	want                     string
	big                      bool
	limit                    int
}

func cl(x int) int8 {
	if x < -70 {
		return -70
	}
	if x > 100 {
		return 100
	}
	return int8(x)
}
func (s *cS) push(l int, ep uint8) {
	for i := range s.q[l] {
		if !s.q[l][i].on {
			s.q[l][i] = cMsg{on: true, ep: ep}
			return
		}
	}
	s.over = true
}

// a deadline that is sent while its item is held and dirty was set by a mark on that very lease
func markOf(s *cS) uint8 {
	if s.dirty && s.owner != 0 {
		return s.ep + 1
	}
	return 0
}
func (s *cS) ack(w uint8) {
	for l := range s.q {
		if s.q[l][0].on && s.q[l][0].holder == w+1 {
			copy(s.q[l][:], s.q[l][1:])
			s.q[l][len(s.q[l])-1] = cMsg{}
		}
	}
}
func (s *cS) agree() bool { return s.off[0] == s.off[1] && s.off[1] == s.off[2] }
func (s *cS) setDue(at, now int) {
	s.due, s.dueAt, s.dueSet, s.dueLen = true, cl(at), cl(now), cl(at-now)
}
func (s *cS) noDue() { s.due, s.dueAt, s.dueSet, s.dueLen = false, 0, 0, 0 }
func (s *cS) wake(in, at int) {
	if in < 0 {
		in = 0
	}
	for i := range s.wk {
		if !s.wk[i].on {
			s.wk[i].on, s.wk[i].in, s.wk[i].dueAt = true, cl(in), cl(at)
			return
		}
	}
	s.over = true
}

func cNext(c *cCfg, s cS, emit func(cS, string)) {
	who := []string{"A", "B", "timers"}
	if s.bU > 0 {
		n := s
		n.bU--
		n.unread, n.late = true, 0
		for w := range n.w {
			n.w[w].read = false
		}
		n.push(0, 0)
		emit(n, "the target changes; its event is sent")
	}
	if s.bT > 0 {
		n := s
		n.bT--
		n.push(1, 0)
		emit(n, "a resync event is sent (other lane)")
	}
	if s.bStep > 0 {
		for p := 0; p < 3; p++ {
			mag := c.mag
			if mag == 0 {
				mag = cJ
			}
			for _, o := range []int8{-mag, 0, mag} {
				if o == s.off[p] || c.one && p > 0 {
					continue
				}
				n := s
				n.bStep--
				n.late = 0
				n.off[p] = o
				if c.one {
					n.off = [3]int8{o, o, o}
				}
				emit(n, fmt.Sprintf("CLOCK of %s is now %+d", who[p], o))
			}
		}
	}
	urgent := false
	// workers
	for l := 0; l < 2; l++ {
		m := s.q[l][0]
		if !m.on || m.vis > 0 {
			continue
		}
		for w := uint8(0); w < 2; w++ {
			if s.w[w].pc != 0 {
				continue
			}
			urgent = true
			n := s
			now := int(s.off[w])
			n.q[l][0].holder, n.q[l][0].vis = w+1, cV
			far := int(s.until) > now+cL+cK
			over := s.owner == 0 || int(s.until) < now || c.lease == 1 && far || c.lease == 2 && far && (m.again || m.ep == s.ep+1)
			if over && s.owner != 0 {
				if h := s.w[s.owner-1]; h.pc == 1 && h.ep == s.ep && !m.again && m.ep == 0 {
					n.steals++
					if n.steals > 2 {
						n.steals = 2
						n.starve = true
					}
				}
			}
			if over && c.condOnly && s.owner != 0 && int(s.until) >= now { // refused, judged over, refused again: left for redelivery
				n.q[l][0].holder = 9
				emit(n, who[w]+" is refused until it gives up")
			} else if over {
				n.owner, n.until, n.dirty = w+1, cl(now+cL), false
				n.ep = (n.ep + 1) & 31
				x := &n.w[w]
				x.pc, x.ep, x.age, x.read, x.lane = 1, n.ep, 0, true, uint8(l)
				if c.wall {
					x.st = s.off[w]
				}
				if n.retry {
					n.retry = false
					n.late = 0
				}
				emit(n, fmt.Sprintf("%s takes the lease (e%d) until %+d", who[w], n.ep, n.until))
			} else {
				u := int(s.until)
				if u > now+cL+cK && c.timer > 0 {
					u = now + cL + cK
				}
				n.dirty = true
				n.setDue(u+cG, now)
				n.ack(w)
				emit(n, fmt.Sprintf("%s finds it held, marks it, deadline %+d", who[w], n.dueAt))
			}
		}
	}
	for w := uint8(0); w < 2; w++ {
		x := s.w[w]
		if x.pc == 0 {
			continue
		}
		now := int(s.off[w])
		if x.pc == 2 {
			urgent = true
			n := s
			d := int(x.at) - now
			if c.wakeLen && d > int(x.ln) {
				d = int(x.ln)
			}
			n.wake(d, int(x.at))
			n.w[w].pc, n.w[w].at, n.w[w].ln = 0, 0, 0
			emit(n, fmt.Sprintf("%s sends the wake, delay %d", who[w], d))
			continue
		}
		age := int(x.age)
		if c.wall {
			age += now - int(x.st)
		}
		if age >= cP {
			urgent = true
		}
		if s.bC > 0 {
			n := s
			n.bC--
			n.late = 0
			n.w[w].pc, n.w[w].ep, n.w[w].age, n.w[w].st, n.w[w].read, n.w[w].lane = 0, 0, 0, 0, false, 0
			for l := range n.q {
				if n.q[l][0].holder == w+1 {
					n.q[l][0].holder = 9
				}
			}
			emit(n, who[w]+" CRASH")
		}
		done := func(n *cS) {
			n.ack(w)
			y := &n.w[w]
			y.pc, y.ep, y.age, y.st, y.read, y.lane = 0, 0, 0, 0, false, 0
		}
		mine := s.owner == w+1 && s.ep == x.ep
		if c.byTime {
			mine = s.owner != 0 && int(x.age) <= cP && now <= int(s.until)
		}
		if c.noEpoch {
			mine = s.owner != 0
		}
		n := s
		switch {
		case !mine:
			done(&n)
			emit(n, who[w]+" has lost the lease: dropped")
		case s.dirty:
			n.dirty = false
			n.w[w].read = true
			if age >= cP {
				n.owner, n.until, n.steals = 0, 0, 0
				n.setDue(now, now)
				done(&n)
				emit(n, who[w]+" dirty: commits with a deadline of now")
			} else {
				emit(n, who[w]+" dirty: runs again")
			}
		default:
			if s.ep != x.ep {
				n.overlap = true
			}
			n.owner, n.until = 0, 0
			n.noDue()
			if x.read {
				n.unread = false
			}
			done(&n)
			n.steals = 0
			emit(n, who[w]+" commits")
			if s.bFail > 0 {
				n := s
				n.bFail--
				n.late = 0
				n.retry = true
				n.steals = 0
				n.owner, n.until = 0, 0
				n.setDue(now+cR, now)
				if x.read {
					n.unread = false
				}
				done(&n)
				n.w[w].pc, n.w[w].at, n.w[w].ln = 2, cl(now+cR), cR
				emit(n, fmt.Sprintf("%s commits a retry, deadline %+d", who[w], n.dueAt))
			}
		}
	}
	// wakes
	nt := int(s.off[2])
	for k := range s.wk {
		if !s.wk[k].on || s.wk[k].in > 0 {
			continue
		}
		urgent = true
		n := s
		at := int(s.wk[k].dueAt)
		n.wk[k].on, n.wk[k].in, n.wk[k].dueAt = false, 0, 0
		switch {
		case !s.due || int(s.dueAt) != at:
			emit(n, "wake: another deadline stands, dropped")
		case nt >= at || c.timer == 2 && int(s.dueSet) > nt+cK:
			n.push(0, markOf(&s))
			emit(n, "wake: sends the deadline's event")
		default:
			d := at - nt
			if c.timer >= 1 && d > int(s.dueLen) {
				d = int(s.dueLen)
			}
			n.wake(d, at)
			emit(n, fmt.Sprintf("wake: early by %d, goes round again for %d", at-nt, d))
		}
	}
	// sweep
	if s.sw <= 0 {
		urgent = true
		n := s
		n.sw = cQ
		at := int(s.dueAt)
		future := s.due && int(s.dueSet) > nt+cK
		if c.timer == 1 && future && at > nt+int(s.dueLen) {
			at = nt + int(s.dueLen) // at every look anew
		}
		switch {
		case !s.due || c.index && int(s.dueAt) > nt+cQ:
			emit(n, "sweep: nothing in its range")
		case at+cO <= nt:
			n.push(0, markOf(&s))
			n.setDue(nt+2*cV, nt)
			emit(n, fmt.Sprintf("sweep: sends the overdue deadline, pushes it to %+d", n.dueAt))
		case c.timer == 2 && future:
			if at > nt+int(s.dueLen) {
				at = nt + int(s.dueLen)
			}
			l := s.dueLen
			n.setDue(at, nt)
			n.dueLen = l
			emit(n, fmt.Sprintf("sweep: a deadline from the future, now %+d", n.dueAt))
		default:
			emit(n, "sweep: nothing due")
		}
	}
	if urgent {
		return
	}
	n := s
	dec := func(x *int8) {
		if *x > -70 {
			*x--
		}
	}
	if n.owner != 0 {
		dec(&n.until)
	}
	if n.due {
		dec(&n.dueAt)
		dec(&n.dueSet)
	}
	for l := range n.q {
		if n.q[l][0].on && n.q[l][0].vis > 0 {
			n.q[l][0].vis--
			if n.q[l][0].vis == 0 {
				n.q[l][0].holder = 0
				n.q[l][0].again = true
			}
		}
	}
	for w := range n.w {
		if n.w[w].pc == 1 {
			n.w[w].age++
			if n.w[w].age > cL {
				n.long = true
			}
		}
	}
	for k := range n.wk {
		if n.wk[k].on {
			n.wk[k].in--
			dec(&n.wk[k].dueAt)
		}
	}
	n.sw--
	if (n.unread || n.retry) && (c.always || s.agree()) {
		n.late++
		if n.late > cB {
			n.late = cB
			n.slow = true
		}
	} else {
		n.late = 0
	}
	emit(n, "a tick")
}

func cCheck(c *cCfg, s cS) []string {
	var out []string
	if s.over {
		out = append(out, "OVERFLOW")
	}
	if s.slow {
		out = append(out, "SLOW (clocks agree, and what is due has not begun within the bound)")
	}
	if s.long {
		out = append(out, "OVERRUN (a pass goes on after its lease has ended in true time)")
	}
	if s.starve && c.starve {
		out = append(out, "STARVE (living holders lose the lease to each other before any commits)")
	}
	if s.overlap {
		out = append(out, "OVERLAP (a pass committed after another had taken over)")
	}
	if !s.due && s.owner == 0 && !s.q[0][0].on && !s.q[1][0].on && s.w[0].pc == 0 && s.w[1].pc == 0 && s.wk == [4]struct {
		on        bool
		in, dueAt int8
	}{} && (s.unread || s.retry) {
		out = append(out, "LOST")
	}
	return out
}
func cShow(s cS) string {
	var b strings.Builder
	fmt.Fprintf(&b, "clocks%v item{own%d e%d until%+d dirty%v", s.off, s.owner, s.ep, s.until, s.dirty)
	if s.due {
		fmt.Fprintf(&b, " due%+d set%+d", s.dueAt, s.dueSet)
	}
	fmt.Fprintf(&b, "} unread%v retry%v late%d ", s.unread, s.retry, s.late)
	for l := range s.q {
		for i := range s.q[l] {
			if s.q[l][i].on {
				fmt.Fprintf(&b, "q%d(vis%d h%d) ", l, s.q[l][i].vis, s.q[l][i].holder)
			}
		}
	}
	for k := range s.wk {
		if s.wk[k].on {
			fmt.Fprintf(&b, "wake(in%d) ", s.wk[k].in)
		}
	}
	return b.String()
}

// ---- the relay's hold: two relays, each with a clock of its own

type hS struct {
	off   [2]int8
	owner uint8
	until int8
	n     uint8 // counts writes of the hold
	r     [2]struct {
		on, holds bool
		t         int8 // ticks until it renews or polls
		seen      uint8
		seenBy    uint8
		same      int8 // its own (monotonic) time since the record last changed
	}
	bC, bStep   uint8
	late, take  int8
	slow, churn bool
}
type hCfg struct {
	name      string
	off       [2]int8
	bC, bStep uint8
	rule      int  // 0 tree: until < now; 1 also over when farther ahead than lease + skew; 2 unchanged for lease + skew of the standby's own time
	most      int8 // so many ticks may pass without a relay that holds; 10 if nothing is said
	giveBack  bool // the hold of a relay that is gone is given back at once
	always    bool
	want      string
	big       bool
}

func hNext(c *hCfg, s hS, emit func(hS, string)) {
	if s.bStep > 0 {
		for p := range s.off {
			for _, o := range []int8{-cJ, 0, cJ} {
				if o != s.off[p] {
					n := s
					n.bStep--
					n.off[p], n.late, n.take = o, 0, 0
					emit(n, fmt.Sprintf("CLOCK of relay%d is now %+d", p+1, o))
				}
			}
		}
	}
	for p := range s.r {
		if s.bC > 0 && s.r[p].on && s.r[1-p].on {
			n := s
			n.bC--
			n.late, n.take = 0, 0
			n.r[p].on, n.r[p].holds, n.r[p].t, n.r[p].seen, n.r[p].seenBy, n.r[p].same = false, false, 0, 0, 0, 0
			emit(n, fmt.Sprintf("relay%d DIES", p+1))
		}
	}
	urgent := false
	if c.giveBack && s.owner != 0 && !s.r[s.owner-1].on {
		urgent = true
		n := s
		n.owner, n.until = 0, 0
		emit(n, "the hold of the dead relay is given back")
	}
	for p := range s.r {
		r := s.r[p]
		if !r.on || r.t > 0 {
			continue
		}
		urgent = true
		n := s
		x := &n.r[p]
		x.t = 1
		now := int(s.off[p])
		me := uint8(p + 1)
		if r.holds {
			if s.owner == me {
				n.until, n.n = cl(now+cL), (s.n+1)&7
				emit(n, fmt.Sprintf("relay%d renews until %+d", p+1, n.until))
			} else {
				x.holds = false
				x.seen, x.seenBy, x.same = s.n, s.owner, 0
				emit(n, fmt.Sprintf("relay%d has lost it: standby", p+1))
			}
			continue
		}
		over := false
		switch c.rule {
		case 0:
			over = int(s.until) < now
		case 1:
			over = int(s.until) < now || int(s.until) > now+cL+cK
		case 2:
			if x.seen != s.n || x.seenBy != s.owner {
				x.seen, x.seenBy, x.same = s.n, s.owner, 0
			}
			over = int(x.same) > cL+cK
		}
		over = over || s.owner == 0
		if !over {
			emit(n, fmt.Sprintf("relay%d waits", p+1))
			continue
		}
		if s.owner != 0 && s.r[s.owner-1].on && s.r[s.owner-1].holds {
			n.take++
			if n.take > 2 {
				n.take = 2
				n.churn = true
			}
		}
		n.owner, n.until, n.n = me, cl(now+cL), (s.n+1)&7
		x.holds, x.seen, x.seenBy, x.same = true, 0, 0, 0
		emit(n, fmt.Sprintf("relay%d TAKES the hold until %+d", p+1, n.until))
	}
	if urgent {
		return
	}
	n := s
	if n.until > -70 {
		n.until--
	}
	for p := range n.r {
		if n.r[p].on {
			n.r[p].t--
			if !n.r[p].holds && n.r[p].same < 20 {
				n.r[p].same++
			}
		}
	}
	if s.owner == 0 || !s.r[s.owner-1].on || !s.r[s.owner-1].holds {
		if c.always || s.off[0] == s.off[1] || !s.r[0].on || !s.r[1].on {
			n.late++
			most := c.most
			if most == 0 {
				most = 10
			}
			if n.late > most {
				n.late = most
				n.slow = true
			}
		}
	} else {
		n.late = 0
	}
	emit(n, "a tick")
}

func clockScenarios() []scenario {
	var out []scenario
	J := int8(cJ)
	list := []cCfg{
		// the tree, and the text read literally
		{name: "clk-a-tree-dead-worker", bU: 1, bC: 1, bStep: 2, index: true, want: "SLOW"},
		{name: "clk-b-tree-retry", bU: 1, bFail: 1, bStep: 2, index: true, want: "SLOW"},
		{name: "clk-c-text-lease", timer: 2, lease: 0, wakeLen: true, bU: 1, bC: 1, bStep: 2, want: "SLOW"},
		{name: "clk-d-text-timer-at-every-look", timer: 1, lease: 1, wakeLen: true, bU: 1, bFail: 1, bStep: 2, want: "SLOW"},
		{name: "clk-e-index-as-now", big: true, timer: 2, lease: 1, wakeLen: true, index: true, bU: 1, bT: 1, bC: 2, bFail: 1, bStep: 2, want: "SLOW"},
		{name: "clk-f-wake-delay-by-the-clock", timer: 2, lease: 1, index: true, bU: 1, bFail: 1, bStep: 2, want: "SLOW"},
		// the repair
		{name: "clk-r1-one-process", timer: 2, lease: 1, wakeLen: true, one: true, bU: 1, bT: 1, bC: 1, bFail: 1, bStep: 2},
		{name: "clk-r2-three-clocks", timer: 2, lease: 1, wakeLen: true, bU: 1, bT: 1, bC: 1, bFail: 1, bStep: 2},
		{name: "clk-r3-three-steps", timer: 2, lease: 1, wakeLen: true, bU: 1, bC: 1, bFail: 1, bStep: 3},
		{name: "clk-r4-two-changes", big: true, timer: 2, lease: 1, wakeLen: true, bU: 2, bT: 1, bC: 1, bStep: 2},
		{name: "clk-r2b-steps-of-4", big: true, mag: 4, timer: 2, lease: 1, wakeLen: true, bU: 1, bT: 1, bC: 1, bFail: 1, bStep: 2},
		{name: "clk-r2c-steps-of-8", big: true, mag: 8, timer: 2, lease: 1, wakeLen: true, bU: 1, bT: 1, bC: 1, bFail: 1, bStep: 2},
		{name: "clk-r2d-steps-of-15", big: true, mag: 15, timer: 2, lease: 1, wakeLen: true, bU: 1, bT: 1, bC: 1, bFail: 1, bStep: 3},
		{name: "clk-r5-B-ahead-for-good", off: [3]int8{0, J, 0}, always: true, timer: 2, lease: 1, wakeLen: true, bU: 2, bT: 1, bC: 1, bFail: 1},
		{name: "clk-r6-B-behind-for-good", off: [3]int8{0, -J, 0}, always: true, timer: 2, lease: 1, wakeLen: true, bU: 2, bT: 1, bC: 1, bFail: 1},
		{name: "clk-r7-timers-ahead-for-good", off: [3]int8{0, 0, J}, always: true, timer: 2, lease: 1, wakeLen: true, bU: 2, bT: 1, bC: 1, bFail: 1},
		{name: "clk-r8-timers-behind-for-good", off: [3]int8{0, 0, -J}, always: true, timer: 2, lease: 1, wakeLen: true, bU: 2, bT: 1, bC: 1, bFail: 1},
		{name: "clk-r9-tree-B-ahead-for-good", off: [3]int8{0, J, 0}, always: true, index: true, bU: 1, bT: 1, bC: 1, want: "SLOW"},
		// planted
		{name: "clk-g-too-far-is-over-one-ahead", starve: true, off: [3]int8{0, J, 0}, always: true, timer: 2, lease: 1, wakeLen: true, bU: 2, bT: 2, want: "STARVE"},
		{name: "clk-s1-one-process", timer: 2, lease: 2, wakeLen: true, one: true, bU: 1, bT: 1, bC: 1, bFail: 1, bStep: 2},
		{name: "clk-s2-three-clocks", big: true, timer: 2, lease: 2, wakeLen: true, bU: 1, bT: 1, bC: 1, bFail: 1, bStep: 2},
		{name: "clk-s3-three-steps", timer: 2, lease: 2, wakeLen: true, bU: 1, bC: 1, bFail: 1, bStep: 3},
		{name: "clk-s4-two-changes", big: true, timer: 2, lease: 2, wakeLen: true, bU: 2, bT: 1, bC: 1, bStep: 2},
		{name: "clk-s5-steps-of-4", big: true, mag: 4, timer: 2, lease: 2, wakeLen: true, bU: 1, bT: 1, bC: 1, bFail: 1, bStep: 2},
		{name: "clk-s5b-steps-of-8", big: true, mag: 8, timer: 2, lease: 2, wakeLen: true, bU: 1, bT: 1, bC: 1, bFail: 1, bStep: 2},
		{name: "clk-s6-B-ahead-for-good", big: true, starve: true, off: [3]int8{0, J, 0}, always: true, timer: 2, lease: 2, wakeLen: true, bU: 2, bT: 2, bC: 1, bFail: 1, want: "SLOW"},
		{name: "clk-s7-B-behind-for-good", big: true, starve: true, off: [3]int8{0, -J, 0}, always: true, timer: 2, lease: 2, wakeLen: true, bU: 2, bT: 2, bC: 1, bFail: 1, want: "STARVE"},
		{name: "clk-s8-timers-ahead-for-good", off: [3]int8{0, 0, J}, always: true, timer: 2, lease: 2, wakeLen: true, bU: 2, bT: 1, bC: 1, bFail: 1},
		{name: "clk-s9-timers-behind-for-good", off: [3]int8{0, 0, -J}, always: true, timer: 2, lease: 2, wakeLen: true, bU: 2, bT: 1, bC: 1, bFail: 1},
		{name: "clk-p1-commit-fenced-by-time", timer: 2, lease: 1, wakeLen: true, byTime: true, bU: 1, bT: 1, bStep: 1, want: "OVERLAP"},
		{name: "clk-p4-judged-but-not-in-the-condition", timer: 2, lease: 1, condOnly: true, wakeLen: true, bU: 1, bC: 1, bStep: 2, want: "SLOW"},
		{name: "clk-p3-limit-by-the-wall-clock", big: true, timer: 2, lease: 1, wakeLen: true, wall: true, bU: 1, bStep: 1, want: "OVERRUN"},
		{name: "clk-p2-commit-without-epoch", timer: 2, lease: 1, wakeLen: true, noEpoch: true, bU: 1, bT: 1, bStep: 1, want: "OVERLAP"},
	}
	for _, c := range list {
		var s cS
		s.off = c.off
		s.sw = cQ
		s.bU, s.bT, s.bC, s.bStep, s.bFail = c.bU, c.bT, c.bC, c.bStep, c.bFail
		out = append(out, &model[cS]{name: c.name, init: s, next: func(s cS, e func(cS, string)) { cNext(&c, s, e) }, check: func(s cS) []string { return cCheck(&c, s) },
			show: cShow, max: c.limit, want: c.want, big: c.big})
	}
	holds := []hCfg{
		{name: "hold-a-tree-dead-relay", rule: 0, bC: 1, bStep: 2, want: "SLOW"},
		{name: "hold-b-too-far-is-over", rule: 1, off: [2]int8{J, 0}, want: "CHURN"},
		{name: "hold-c-too-far-clocks-agree", rule: 1, bC: 1, bStep: 0},
		{name: "hold-r1-unchanged-for-a-lease", rule: 2, always: true, bC: 1, bStep: 3},
		{name: "hold-r2-one-ahead", rule: 2, always: true, off: [2]int8{J, 0}, bC: 1, bStep: 2},
		{name: "hold-r3-one-behind", rule: 2, always: true, off: [2]int8{-J, 0}, bC: 1, bStep: 2},
		{name: "hold-r4-given-back", rule: 2, always: true, giveBack: true, most: 1, bC: 1, bStep: 3},
		{name: "hold-p1-not-given-back", rule: 2, always: true, most: 1, bC: 1, want: "SLOW"},
	}
	for _, c := range holds {
		var s hS
		s.off = c.off
		s.owner, s.until = 1, cl(int(c.off[0])+cL)
		s.r[0].on, s.r[0].holds, s.r[0].t = true, true, 1
		s.r[1].on, s.r[1].t = true, 1
		s.bC, s.bStep = c.bC, c.bStep
		out = append(out, &model[hS]{name: c.name, init: s, next: func(s hS, e func(hS, string)) { hNext(&c, s, e) }, check: func(s hS) []string {
			var out []string
			if s.slow {
				out = append(out, "SLOW (nobody relays although a relay stands by)")
			}
			if s.churn {
				out = append(out, "CHURN (living relays take the hold from each other)")
			}
			return out
		}, show: func(s hS) string {
			return fmt.Sprintf("clocks%v hold{own%d until%+d n%d} r1{%v %v} r2{%v %v same%d}", s.off, s.owner, s.until, s.n, s.r[0].on, s.r[0].holds, s.r[1].on, s.r[1].holds, s.r[1].same)
		}, want: c.want, big: c.big})
	}
	return out
}
