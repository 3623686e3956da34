package main

import "fmt"

// A model of its own for polled objects: one unwatched object D (version, or absent), two readers, one poll item, one or two pollers.
// A reader's passes are serial (the lease), messages are a set of versions or absent-marks still queued for it.
// Property: when nothing is left to do (besides polls that find nothing new) every reader that uses D has read it after its last change.

const unk, absent = 0, 1 // version in the poll item: unknown, absent; versions from 2

type pMsg struct{ v, tag uint8 } // v = version, or absent with the poll's tag
type pRd struct {
	uses         bool // what the reader's spec says now
	edge         bool
	rec          uint8 // committed: version recorded (0: does not use D)
	pc, v        uint8
	puses, isNew bool // of the pass: the spec it read; the edge is new
	runs         bool // an unconditional wake is pending (spec changed)
	msgs         [4]pMsg
	nm           uint8
	ded          uint16 // deduplication: versions and tags sent
	cause        pMsg
	regs         uint8
}
type pPoll struct {
	pc, ver, regs, got, mask, tag uint8
}
type pState struct {
	ver, next uint8 // D: version or absent; next version
	p         struct {
		ex        bool
		ver, regs uint8
	}
	r                     [2]pRd
	k                     [2]pPoll
	tick                  uint8
	bD, bU, bC, bPC, over uint8
}
type pCfg struct {
	name            string
	nr, nk          int
	abs0            bool
	bD, bU, bC, bPC uint8
	resetBefore     bool // register (and reset) before the read only
	baseline        bool // first poll with unknown version sets the baseline silently
	regOnlyNew      bool // register only when the edge is new (the text), never reset later
	putVersion      bool // registration puts the version read, if absent, after the read
	noCounter       bool // writes of poller not conditional on the counter
	delUncond       bool // deletion of the poll item not conditional on the counter
	absId           bool // absent message's id without the tick
	pollFirst       bool // poller moves the version before it sends
	want            string
	big             bool
}

func (s *pState) send(c *pCfg, i int, m pMsg) {
	r := &s.r[i]
	bit := uint16(1) << m.v
	if m.v == absent {
		if c.absId {
			bit = 1 << absent
		} else {
			bit = 1 << (9 + m.tag%7)
		}
	}
	if r.ded&bit != 0 {
		return
	}
	r.ded |= bit
	if int(r.nm) == len(r.msgs) {
		s.over = 1
		return
	}
	r.msgs[r.nm] = m
	r.nm++
}

func pNext(c *pCfg, s pState, emit func(pState, string)) {
	if s.bD > 0 {
		n := s
		n.bD--
		n.ver = n.next
		n.next++
		emit(n, fmt.Sprintf("D is now v%d", n.ver))
		if s.ver != absent {
			n := s
			n.bD--
			n.ver = absent
			emit(n, "D deleted")
		}
	}
	for i := 0; i < c.nr; i++ {
		r := s.r[i]
		if s.bU > 0 {
			n := s
			n.bU--
			n.r[i].uses = !r.uses
			n.r[i].runs = true
			emit(n, fmt.Sprintf("reader%d: spec uses D=%v", i+1, n.r[i].uses))
		}
		if r.pc != 0 && s.bC > 0 {
			n := s
			n.bC--
			x := &n.r[i]
			x.pc, x.v, x.puses, x.isNew, x.cause = 0, 0, false, false, pMsg{}
			x.runs = true // its message comes back
			emit(n, fmt.Sprintf("reader%d CRASH", i+1))
		}
		switch r.pc {
		case 0:
			start := func(n *pState) {
				x := &n.r[i]
				x.puses = x.uses
				x.isNew = x.rec == 0
				if !x.puses {
					x.pc = 5
				} else if x.isNew {
					x.pc = 1
				} else {
					x.pc = 3
				}
			}
			if r.runs {
				n := s
				n.r[i].runs = false
				start(&n)
				emit(n, fmt.Sprintf("reader%d starts a pass", i+1))
			} else if r.nm > 0 {
				n := s
				x := &n.r[i]
				m := x.msgs[0]
				copy(x.msgs[:], x.msgs[1:])
				x.msgs[3] = pMsg{}
				x.nm--
				if m.v != absent && r.rec >= 2 && r.rec >= m.v {
					emit(n, fmt.Sprintf("reader%d: message v%d covered", i+1, m.v))
				} else {
					start(&n)
					x.cause = m
					emit(n, fmt.Sprintf("reader%d starts a pass for v%d", i+1, m.v))
				}
			}
		case 1:
			n := s
			n.r[i].edge = true
			n.r[i].pc = 2
			if !c.resetBefore && !c.regOnlyNew {
				n.r[i].pc = 3
			}
			if c.putVersion {
				n.r[i].pc = 3
			}
			emit(n, fmt.Sprintf("reader%d puts the edge", i+1))
		case 2: // registration before the read
			n := s
			if !n.p.ex {
				n.p.ex, n.p.ver = true, unk
			} else if c.resetBefore {
				n.p.ver = unk
			}
			if c.resetBefore {
				n.p.regs = (n.p.regs + 1) % 8
			}
			n.r[i].pc = 3
			emit(n, fmt.Sprintf("reader%d registers the poll item", i+1))
		case 3:
			n := s
			x := &n.r[i]
			x.v = s.ver
			x.pc = 5
			if !c.resetBefore && !c.regOnlyNew && x.v != x.rec || c.putVersion && x.isNew {
				x.pc = 4
			}
			emit(n, fmt.Sprintf("reader%d reads D v%d", i+1, x.v))
		case 4: // the version is one its last pass did not record
			n := s
			if c.putVersion {
				if !n.p.ex {
					n.p.ex, n.p.ver = true, n.r[i].v
				}
			} else {
				n.p.ex, n.p.ver = true, unk
				n.p.regs = (n.p.regs + 1) % 8
			}
			n.r[i].pc = 5
			emit(n, fmt.Sprintf("reader%d marks the poll item", i+1))
		case 5:
			n := s
			x := &n.r[i]
			if r.puses {
				x.rec, x.pc = r.v, 0
			} else {
				x.rec = 0
				x.pc = 0
				if r.edge {
					x.pc = 6
				}
			}
			x.v, x.puses, x.isNew, x.cause = 0, false, false, pMsg{}
			emit(n, fmt.Sprintf("reader%d commits (recorded %d)", i+1, x.rec))
		case 6:
			n := s
			n.r[i].edge, n.r[i].pc = false, 0
			emit(n, fmt.Sprintf("reader%d deletes its edge", i+1))
		}
	}
	for j := 0; j < c.nk; j++ {
		k := s.k[j]
		if k.pc != 0 && s.bPC > 0 {
			n := s
			n.bPC--
			n.k[j] = pPoll{}
			emit(n, fmt.Sprintf("poller%d CRASH", j+1))
		}
		switch k.pc {
		case 0:
			if s.p.ex {
				n := s
				n.k[j] = pPoll{pc: 1, ver: s.p.ver, regs: s.p.regs}
				emit(n, fmt.Sprintf("poller%d reads the item (v%d regs%d)", j+1, s.p.ver, s.p.regs))
			}
		case 1:
			n := s
			n.k[j].got = s.ver
			if s.ver == k.ver || c.baseline && k.ver == unk {
				n.k[j].pc = 5
				if c.baseline && k.ver == unk {
					n.k[j].pc = 4
				}
			} else {
				n.k[j].pc = 2
				if c.pollFirst {
					n.k[j].pc = 4
				}
			}
			emit(n, fmt.Sprintf("poller%d GETs D v%d", j+1, s.ver))
		case 2:
			n := s
			m := uint8(0)
			for i := 0; i < c.nr; i++ {
				if s.r[i].edge {
					m |= 1 << i
				}
			}
			n.k[j].mask, n.k[j].pc = m, 3
			if k.got == absent {
				n.tick = (n.tick + 1) % 7
				n.k[j].tag = n.tick
			}
			emit(n, fmt.Sprintf("poller%d queries edges=%b", j+1, m))
		case 3:
			n := s
			if k.mask == 0 {
				n.k[j].pc = 4
				if c.pollFirst {
					n.k[j].pc = 5
				}
				emit(n, fmt.Sprintf("poller%d has sent", j+1))
				break
			}
			for i := 0; i < c.nr; i++ {
				if k.mask&(1<<i) != 0 {
					n.k[j].mask &^= 1 << i
					n.send(c, i, pMsg{k.got, k.tag})
					break
				}
			}
			emit(n, fmt.Sprintf("poller%d sends v%d", j+1, k.got))
		case 4:
			n := s
			if s.p.ex && s.p.ver == k.ver && (c.noCounter || s.p.regs == k.regs) {
				n.p.ver = k.got
			}
			n.k[j].pc = 5
			if c.pollFirst {
				n.k[j].pc = 2
			}
			emit(n, fmt.Sprintf("poller%d writes the version", j+1))
		case 5: // no reader left? (strongly consistent)
			n := s
			some := false
			for i := 0; i < c.nr; i++ {
				some = some || s.r[i].edge
			}
			n.k[j].pc = 6
			if some {
				n.k[j] = pPoll{}
			}
			emit(n, fmt.Sprintf("poller%d looks for readers: %v", j+1, some))
		case 6:
			n := s
			if s.p.ex && (c.delUncond || s.p.regs == k.regs) {
				n.p.ex, n.p.ver = false, 0
			}
			n.k[j] = pPoll{}
			emit(n, fmt.Sprintf("poller%d deletes the item: %v", j+1, !n.p.ex))
		}
	}
}

// bad: no further step of a reader or of a message is possible, a poll would find nothing new, and yet a reader is stale
func pBad(c *pCfg, s *pState) bool {
	for i := 0; i < c.nr; i++ {
		if s.r[i].pc != 0 || s.r[i].nm != 0 || s.r[i].runs {
			return false
		}
	}
	for j := 0; j < c.nk; j++ {
		if s.k[j].pc != 0 {
			return false
		}
	}
	if s.p.ex && s.p.ver != s.ver && !(c.baseline && s.p.ver == unk) {
		return false // the next poll sends
	}
	for i := 0; i < c.nr; i++ {
		if s.r[i].uses && s.r[i].rec != s.ver {
			return true
		}
	}
	return false
}

func pollScenarios() []scenario {
	list := []pCfg{ // p: the text or a planted fault; f: repaired
		{name: "poll-p1-text-deletion-race", want: "LOST", nr: 1, nk: 1, bD: 1, bU: 3, regOnlyNew: true, noCounter: true, delUncond: true},
		{name: "poll-p1a-text-no-deletion-race-1-use", want: "LOST", nr: 1, nk: 1, bD: 2, bU: 1, abs0: true, regOnlyNew: true, noCounter: true, delUncond: true},
		{name: "poll-p1b-text-D-present-1-use-2-readers", nr: 2, nk: 1, bD: 1, bU: 2, regOnlyNew: true, noCounter: true, delUncond: true},
		{name: "poll-p2-baseline-set-silently", want: "LOST", nr: 1, nk: 1, bD: 1, bU: 1, regOnlyNew: true, baseline: true},
		{name: "poll-p3-put-with-the-version-read", want: "LOST", nr: 2, nk: 1, bD: 1, bU: 2, putVersion: true},
		{name: "poll-p4-reset-before-the-read", want: "LOST", nr: 1, nk: 1, bD: 2, bU: 1, abs0: true, resetBefore: true},
		{name: "poll-p5-reset-after-no-counter", want: "LOST", nr: 1, nk: 1, bD: 2, bU: 1, abs0: true, noCounter: true},
		{name: "poll-p6-absent-id-without-a-tick", want: "LOST", nr: 1, nk: 1, bD: 4, bU: 1, absId: true},
		{name: "poll-p7-version-moved-before-the-sends", want: "LOST", nr: 1, nk: 1, bD: 1, bU: 1, bPC: 1, pollFirst: true},
		{name: "poll-p8-deletion-without-the-counter", want: "LOST", nr: 1, nk: 1, bD: 1, bU: 3, delUncond: true},
		{name: "poll-f1-fixed-1-reader", big: true, nr: 1, nk: 1, bD: 3, bU: 3, bC: 1, bPC: 1},
		{name: "poll-f2-fixed-1-reader-absent-first", big: true, nr: 1, nk: 1, bD: 4, bU: 2, bC: 1, bPC: 1, abs0: true},
		{name: "poll-f3-fixed-2-readers", big: true, nr: 2, nk: 1, bD: 2, bU: 2, bC: 1},
		{name: "poll-f4-fixed-2-pollers", big: true, nr: 1, nk: 2, bD: 2, bU: 2, bC: 1, bPC: 1},
		{name: "poll-f5-fixed-2-readers-absent-first", big: true, nr: 2, nk: 1, bD: 2, bU: 3, abs0: true},
		{name: "poll-f6-fixed-2-pollers-absent-first", big: true, nr: 1, nk: 2, bD: 3, bU: 1, abs0: true},
	}
	var out []scenario
	for _, c := range list {
		var s pState
		s.ver, s.next = 2, 3
		if c.abs0 {
			s.ver, s.next = absent, 2
		}
		s.bD, s.bU, s.bC, s.bPC = c.bD, c.bU, c.bC, c.bPC
		out = append(out, &model[pState]{name: c.name, init: s, next: func(s pState, emit func(pState, string)) {
			pNext(&c, s, func(n pState, label string) {
				if n.over == 0 { // a reader's queue of this model is full: not followed
					emit(n, label)
				}
			})
		}, check: func(s pState) []string {
			if pBad(&c, &s) {
				return []string{"LOST"}
			}
			return nil
		}, show: pShow, want: c.want, big: c.big})
	}
	return out
}

func pShow(s pState) string {
	return fmt.Sprintf("D=%d P{%v v%d regs%d} r1{edge %v rec%d} r2{edge %v rec%d}", s.ver, s.p.ex, s.p.ver, s.p.regs, s.r[0].edge, s.r[0].rec, s.r[1].edge, s.r[1].rec)
}
