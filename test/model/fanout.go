package main

import (
	"fmt"
	"math/bits"
	"strings"
)

// One object D with more readers than N; its readers are paged through one by one (page size 1, key order = index).
// Readers' passes are serial (the lease); a message that meets a running pass waits (held and run again: model.go).
//
// scheme: text  "if none was pending, one message": the marker is pending from the relay's write to the handler's end
//         sent  as text, but pending counts only once the relay has confirmed that its message was accepted
//         round the marker counts rounds; the relay always sends, under the id incarnation:round; a round begins by adding 1

const (
	fText = iota
	fSent
	fRound
)
const fK = 3 // readers at most

type fMsg struct{ inc, ver, round, cur, holder, tok uint8 } // holder: 0 visible, 1.. handler, 9 dead; tok: of the delayed message that it came from
type fHd struct{ pc, inc, ver, round, cur, first, tok, next uint8 }
type fRel struct{ on, pos, pc, inc, broken, send, mode uint8 }
type fRd struct {
	edge, uses        bool
	rec, recInc, recC uint8
	pc, v, vc, pinc   uint8
	puses, runs       bool
	msgs              uint16 // bit inc*8+ver: fan-out lane
	dmsgs             uint16 // direct lane
	ded, dded         uint16
}
type fEv struct{ ver, inc uint8 }
type fS struct {
	ver, inc, tl, cont, nextC uint8 // tl: timeline of the cluster; inc: incarnation in the table
	snapV, snapC              uint8
	log                       [5]fEv
	n, ck, ckInc              uint8
	m                         struct {
		ex, pend, sent       bool
		inc, ver, round, tok uint8
		po, poR              uint8 // the delayed message that stands for the next round, and the round it was recorded at
	}
	fq                           [8]fMsg
	nf                           uint8
	fded                         uint64
	h                            [2]fHd
	rl                           [2]fRel
	r                            [fK]fRd
	dlq, over                    bool
	bD, bU, bC, bRel, bTwo, bVis uint8
	bRest, bDlq, bWin, bH        uint8
	bEarly, wk                   uint8 // a round may be put off; delayed messages under way, by token where the marker names one
	dlqVer                       uint8 // the version whose message is in the dead-letter queue
}
type fCfg struct {
	name                                                string
	scheme                                              int
	nr, nh                                              int
	bD, bU, bC, bRel, bTwo, bVis, bRest, bDlq, bWin, bH uint8
	mix                                                 bool // below the threshold now and then: sent to each reader directly
	cont                                                bool // one page an invocation, the next by a continuation message
	lag                                                 bool // a round starts only when the readers' messages of the last one are gone
	bound                                               int  // messages a reader may have waiting
	// planted
	ckFirst   bool // checkpoint before marker
	verId     bool // the message's id names the version: swallowed when a round of that version was sent before
	delUncond bool // the handler ends a round without comparing the version
	midVer    bool // later pages take the marker's newer version, and the end compares with that
	fixOnEnd  bool // the round is counted at its end instead of its start
	readFirst bool // the marker is read before the round is counted
	newRound0 bool // the marker is deleted after a round and a new one counts from 0
	noInc     bool // the marker and ids do not name the incarnation
	last2     bool // an older version overwrites
	contNew   bool // continuation without the round in its id
	noReplay  bool // equal version: nothing sent
	evEdge    bool // page read eventually consistent
	bEarly    uint8
	dlqSoon   bool // planted: dead before the deduplication window is over
	wkId      bool // what was put off comes back under the id it had
	join      bool // the marker names the delayed message of the next round: other messages end while it is under way
	joinFirst bool // planted: it is recorded before it is sent
	joinAny   bool // planted: the message itself ends too
	joinDead  bool // planted: others end although it is not under way any more
	ackFirst  bool // acknowledged before it is put off
	all       bool
	limit     int
	want      string
	big       bool
}

func fbit(inc, ver uint8) uint16 { return 1 << ((inc&1)*8 + ver) }

func (s *fS) fsend(c *fCfg, m fMsg, random bool) bool {
	if !random {
		inc := m.inc
		if c.noInc {
			inc = 0
		}
		r := m.round
		if c.verId {
			r = m.ver
		}
		if c.contNew && m.cur > 0 {
			r = 0
		}
		bit := uint64(1) << ((inc&1)*32 + (r&7)*4 + m.cur)
		if s.fded&bit != 0 {
			return false
		}
		s.fded |= bit
	}
	if int(s.nf) == len(s.fq) {
		s.over = true
		return true
	}
	s.fq[s.nf] = m
	s.nf++
	return true
}
func (s *fS) fdel(i int) {
	copy(s.fq[i:], s.fq[i+1:])
	s.fq[len(s.fq)-1] = fMsg{}
	s.nf--
}
func (s *fS) fack(h int) {
	for i := 0; i < int(s.nf); i++ {
		if s.fq[i].holder == uint8(h+1) {
			s.fdel(i)
			return
		}
	}
}
func (s *fS) outstanding(c *fCfg) int {
	k := 0
	for i := 0; i < c.nr; i++ {
		k += bits.OnesCount16(s.r[i].msgs)
		if s.r[i].pc != 0 {
			k++
		}
	}
	return k
}

func fNext(c *fCfg, s fS, emit func(fS, string)) {
	edit := func(n *fS) {
		n.ver++
		n.nextC++
		n.cont = n.nextC
		if n.n == 5 || n.ver > 7 {
			n.over = true
			return
		}
		n.log[n.n] = fEv{n.ver, n.tl}
		n.n++
	}
	if s.bD > 0 {
		n := s
		n.bD--
		edit(&n)
		emit(n, fmt.Sprintf("D is now v%d", n.ver))
	}
	if s.bRest > 0 && s.ver > s.snapV {
		n := s
		n.bRest--
		n.ver, n.cont = s.snapV, s.snapC
		n.tl++
		n.log, n.n = [5]fEv{}, 0
		for k := range n.rl {
			if n.rl[k].on == 1 {
				n.rl[k].broken = 1
			}
		}
		emit(n, "CLUSTER RESTORED to the snapshot")
	}
	if s.bWin > 0 && (s.fded != 0) {
		n := s
		n.bWin--
		n.fded = 0
		for i := range n.r {
			n.r[i].ded, n.r[i].dded = 0, 0
		}
		emit(n, "deduplication window over")
	}
	for i := 0; i < c.nr; i++ {
		r := s.r[i]
		nm := fmt.Sprintf("reader%d", i)
		if s.bU > 0 {
			n := s
			n.bU--
			n.r[i].uses, n.r[i].runs = !r.uses, true
			emit(n, fmt.Sprintf("%s: spec uses D=%v", nm, n.r[i].uses))
		}
		if r.pc != 0 && s.bC > 0 {
			n := s
			n.bC--
			x := &n.r[i]
			x.pc, x.v, x.vc, x.pinc, x.puses, x.runs = 0, 0, 0, 0, false, true
			emit(n, nm+" CRASH (its message comes back)")
		}
		start := func(n *fS, inc uint8) {
			x := &n.r[i]
			x.puses, x.pinc = x.uses, inc
			x.pc = 3
			if x.puses {
				x.pc = 1
				if x.rec != 0 && x.edge && x.recInc == inc {
					x.pc = 2
				}
			}
		}
		switch r.pc {
		case 0:
			if r.runs {
				n := s
				n.r[i].runs = false
				start(&n, s.inc)
				emit(n, nm+" starts a pass")
			}
			for lane := 0; lane < 2; lane++ {
				q := r.msgs
				if lane == 1 {
					q = r.dmsgs
				}
				if q == 0 {
					continue
				}
				b := uint16(1) << bits.TrailingZeros16(q)
				inc, ver := uint8(bits.TrailingZeros16(q)/8), uint8(bits.TrailingZeros16(q)%8)
				n := s
				if lane == 0 {
					n.r[i].msgs &^= b
				} else {
					n.r[i].dmsgs &^= b
				}
				if r.rec != 0 && r.recInc&1 == inc && r.rec >= ver {
					emit(n, fmt.Sprintf("%s: event inc%d v%d covered", nm, inc, ver))
				} else {
					start(&n, inc)
					emit(n, fmt.Sprintf("%s starts a pass for inc%d v%d", nm, inc, ver))
				}
			}
		case 1:
			n := s
			n.r[i].edge, n.r[i].pc = true, 2
			emit(n, nm+" puts its edge")
		case 2:
			n := s
			n.r[i].v, n.r[i].vc, n.r[i].pc = s.ver, s.cont, 3
			emit(n, fmt.Sprintf("%s reads D v%d", nm, s.ver))
		case 3:
			n := s
			x := &n.r[i]
			x.rec, x.recInc, x.recC, x.pc = 0, 0, 0, 0
			if r.puses {
				x.rec, x.recInc, x.recC = r.v, r.pinc&1, r.vc
			} else if r.edge {
				x.pc = 4
			}
			x.v, x.vc, x.puses, x.pinc = 0, 0, false, 0
			emit(n, fmt.Sprintf("%s commits (recorded v%d inc%d)", nm, x.rec, x.recInc))
		case 4:
			n := s
			n.r[i].edge, n.r[i].pc = false, 0
			emit(n, nm+" deletes its edge")
		}
	}
	// ---- relays
	for k := 0; k < 2; k++ {
		r := s.rl[k]
		if r.on == 0 {
			continue
		}
		nm := fmt.Sprintf("relay%d", k+1)
		switch {
		case r.pc == 0 && r.broken == 1: // reconnect: notices the restore, begins an incarnation, lists
			n := s
			x := &n.rl[k]
			if n.inc < n.tl {
				n.inc = n.tl
				n.ck, n.ckInc = 0, n.inc
			}
			x.inc = n.inc
			// what it lists stands in the log as an event of the list
			if n.n == 5 {
				n.over = true
				break
			}
			copy(n.log[1:], n.log[:4])
			n.log[0] = fEv{s.snapV, n.tl}
			n.n++
			for j := range n.rl {
				if n.rl[j].on == 1 && j != k && n.rl[j].broken == 0 {
					n.rl[j].pos++
				}
			}
			if k == 1 || s.rl[1].on == 0 {
			}
			x.broken, x.pos = 0, 0
			emit(n, fmt.Sprintf("%s lists under incarnation %d", nm, n.inc))
		case r.pc == 0 && r.pos < s.n && r.inc == s.log[r.pos].inc:
			e := s.log[r.pos]
			if c.ckFirst && s.ck <= r.pos {
				n := s
				n.ck = r.pos + 1
				emit(n, fmt.Sprintf("%s checkpoint %d (FIRST)", nm, n.ck))
				break
			}
			n := s
			x := &n.rl[k]
			old := s.m
			newer := !old.ex || old.inc < r.inc && !c.noInc || (old.inc == r.inc || c.noInc) && old.ver <= e.ver || c.last2
			need := false
			if newer {
				n.m.ex, n.m.inc, n.m.ver = true, r.inc, e.ver
				switch c.scheme {
				case fText:
					need = !old.ex || !old.pend
					n.m.pend = true
				case fSent:
					need = !old.ex || !old.sent
					if !old.ex {
						n.m.tok = (s.m.tok + 1) & 7
					}
					n.m.pend = true
				case fRound:
					need = !(c.noReplay && old.ex && old.inc == r.inc && old.ver == e.ver)
				}
			}
			x.send = n.m.round<<1 | b2(need)
			x.mode = n.m.tok
			x.pc = 1
			if !need {
				x.pc = 2
			}
			emit(n, fmt.Sprintf("%s writes the marker for v%d inc%d (taken %v, message needed %v)", nm, e.ver, r.inc, newer, need))
			if c.mix { // below the threshold: one consistent query, sent to each
				n := s
				for i := 0; i < c.nr; i++ {
					if n.r[i].edge && n.r[i].dded&fbit(r.inc, e.ver) == 0 {
						n.r[i].dded |= fbit(r.inc, e.ver)
						n.r[i].dmsgs |= fbit(r.inc, e.ver)
					}
				}
				n.rl[k].pc = 2
				emit(n, fmt.Sprintf("%s sends v%d to each reader directly", nm, e.ver))
			}
		case r.pc == 1:
			n := s
			x := &n.rl[k]
			ok := n.fsend(c, fMsg{inc: r.inc, ver: s.logVer(k), round: r.send >> 1}, c.scheme != fRound && !c.verId)
			x.pc = 2
			if c.scheme == fSent {
				x.pc = 3
			}
			x.send = 0
			emit(n, fmt.Sprintf("%s sends the fan-out message (round %d, accepted %v)", nm, r.send>>1, ok))
		case r.pc == 3: // confirm that it was accepted
			n := s
			if n.m.ex && n.m.tok == r.mode {
				n.m.sent = true
			}
			n.rl[k].pc, n.rl[k].mode = 2, 0
			emit(n, nm+" confirms the message on the marker")
		case r.pc == 2:
			n := s
			x := &n.rl[k]
			x.pc, x.mode, x.send = 0, 0, 0
			if r.broken == 1 || r.inc != s.inc {
				emit(n, nm+" drops the checkpoint of the old incarnation")
				break
			}
			if k == 0 && s.rl[1].on == 1 {
				n.rl[0] = fRel{}
				emit(n, nm+" checkpoint refused: ends")
				break
			}
			x.pos++
			if n.ck < x.pos {
				n.ck = x.pos
			}
			emit(n, fmt.Sprintf("%s checkpoint %d", nm, n.ck))
		}
		if s.bRel > 0 && (r.pc != 0 || c.ckFirst) {
			n := s
			n.bRel--
			x := &n.rl[k]
			x.pc, x.send, x.mode = 0, 0, 0
			x.pos = s.ck
			if s.inc != r.inc || s.inc < s.tl {
				x.broken = 1
			}
			emit(n, nm+" CRASH, resumes from the checkpoint")
		}
		if k == 0 && s.bTwo > 0 {
			n := s
			n.bTwo--
			n.rl[1] = fRel{on: 1, pos: s.ck, inc: s.inc, broken: r.broken}
			emit(n, "SECOND RELAY takes over (first still runs)")
		}
	}
	for t := uint8(0); c.join && t < 8; t++ { // as below, by token
		if s.wk&(1<<t) == 0 {
			continue
		}
		n := s
		n.wk &^= 1 << t
		n.fsend(c, fMsg{inc: s.m.inc, ver: s.m.ver, round: s.m.round, tok: t}, true)
		emit(n, fmt.Sprintf("what was put off is sent (token %d)", t))
		if s.bWk() {
			n := s
			n.bH--
			n.fsend(c, fMsg{inc: s.m.inc, ver: s.m.ver, round: s.m.round, tok: t}, true)
			emit(n, fmt.Sprintf("what was put off is sent (token %d), CRASH before it is deleted", t))
		}
	}
	if !c.join && s.wk > 0 { // a delayed message arrives; it is sent before it is deleted
		n := s
		n.wk--
		ok := n.fsend(c, fMsg{inc: s.m.inc, ver: s.m.ver, round: s.m.round}, !c.wkId)
		emit(n, fmt.Sprintf("what was put off is sent (accepted %v)", ok))
		if s.bWk() {
			n := s
			n.bH--
			n.fsend(c, fMsg{inc: s.m.inc, ver: s.m.ver, round: s.m.round}, !c.wkId)
			emit(n, "what was put off is sent, CRASH before it is deleted")
		}
	}
	// ---- fan-out queue (one group) and handlers
	blocked := false
	for i := 0; i < int(s.nf) && !blocked; i++ {
		m := s.fq[i]
		blocked = true
		if m.holder == 9 || m.holder != 0 && s.bVis > 0 {
			n := s
			n.fq[i].holder = 0
			l := "message of a dead handler visible again"
			if m.holder != 9 {
				n.bVis--
				l = "MESSAGE VISIBLE AGAIN while its handler runs"
			}
			emit(n, l)
		}
		if m.holder == 9 && s.bDlq > 0 {
			n := s
			n.bDlq--
			n.fdel(i)
			n.dlq, n.dlqVer = true, s.m.ver
			if !c.dlqSoon { // all its receives take longer than the deduplication window
				n.fded &^= 1 << ((m.inc&1)*32 + (m.round&7)*4 + m.cur)
			}
			emit(n, "message goes to the DEAD-LETTER QUEUE")
		}
		if m.holder != 0 {
			continue
		}
		if c.lag && m.cur == 0 && s.outstanding(c) > 0 {
			continue // put off until the readers have caught up
		}
		for j := 0; j < c.nh; j++ {
			if s.h[j].pc == 0 {
				n := s
				n.fq[i].holder = uint8(j + 1)
				n.h[j] = fHd{pc: 1, inc: m.inc, ver: m.ver, round: m.round, cur: m.cur, first: m.cur, tok: m.tok}
				if m.cur > 0 {
					n.h[j].pc = 2
				}
				emit(n, fmt.Sprintf("handler%d receives the message (round %d page %d)", j+1, m.round, m.cur))
				break
			}
		}
	}
	for j := 0; j < c.nh; j++ {
		h := s.h[j]
		if h.pc == 0 {
			continue
		}
		nm := fmt.Sprintf("handler%d", j+1)
		if s.bH > 0 {
			n := s
			n.bH--
			n.h[j] = fHd{}
			for i := range n.fq {
				if n.fq[i].holder == uint8(j+1) {
					n.fq[i].holder = 9
				}
			}
			emit(n, nm+" CRASH")
		}
		switch h.pc {
		case 1:
			n := s
			x := &n.h[j]
			if !s.m.ex {
				x.pc = 5
				emit(n, nm+" finds no marker")
				break
			}
			if s.joins(c, h) {
				x.pc = 5
				emit(n, nm+" leaves the round to the delayed message that is under way")
				break
			}
			if s.bEarly > 0 { // the pause is not over, or the lane is long: put off
				n := s
				n.bEarly--
				n.h[j].pc = 9
				if c.join {
					n.h[j].round, n.h[j].next = s.m.round, s.freeTok()
				}
				if c.ackFirst {
					n.fack(j)
				}
				emit(n, nm+" finds it too early")
			}
			x.inc, x.ver, x.cur, x.pc = s.m.inc, s.m.ver, 0, 2
			if c.scheme == fRound {
				x.round = s.m.round
				if c.readFirst {
					x.pc = 7
				} else if !c.fixOnEnd {
					n.m.round++
					if n.m.round > 7 {
						n.over = true
					}
				}
			}
			emit(n, fmt.Sprintf("%s begins a round of v%d inc%d", nm, s.m.ver, s.m.inc))
		case 7: // planted: counted after the read
			n := s
			n.m.round++
			n.h[j].pc = 2
			emit(n, nm+" counts the round")
		case 2: // one page: consistent query and its sends are separate steps
			n := s
			x := &n.h[j]
			if int(h.cur) >= c.nr {
				x.pc = 4
				emit(n, nm+" is through")
				break
			}
			if c.midVer && s.m.ex {
				x.inc, x.ver = s.m.inc, s.m.ver
			}
			if c.cont && h.cur > h.first {
				x.pc = 6
				emit(n, nm+" has done its page")
				break
			}
			x.pc = 3
			if !s.r[h.cur].edge {
				x.pc, x.cur = 2, h.cur+1
			}
			emit(n, fmt.Sprintf("%s queries page %d: edge %v", nm, h.cur, s.r[h.cur].edge))
			if c.evEdge && s.r[h.cur].edge && s.r[h.cur].rec == 0 {
				n := s
				n.h[j].cur++
				emit(n, fmt.Sprintf("%s queries page %d: a new edge MISSED", nm, h.cur))
			}
		case 3:
			n := s
			x := &n.h[j]
			b := fbit(h.inc, h.ver)
			if c.noInc {
				b = fbit(h.inc, h.ver) // the event still names its incarnation
			}
			got := false
			if n.r[h.cur].ded&b == 0 {
				n.r[h.cur].ded |= b
				n.r[h.cur].msgs |= b
				got = true
			}
			x.pc, x.cur = 2, h.cur+1
			emit(n, fmt.Sprintf("%s sends v%d inc%d to reader%d (accepted %v)", nm, h.ver, h.inc, h.cur, got))
		case 6: // continuation, then acknowledge
			n := s
			ok := n.fsend(c, fMsg{inc: h.inc, ver: h.ver, round: h.round, cur: h.cur}, false)
			n.h[j].pc = 5
			emit(n, fmt.Sprintf("%s sends the continuation (page %d, accepted %v)", nm, h.cur, ok))
		case 4:
			n := s
			x := &n.h[j]
			x.pc = 5
			switch {
			case c.scheme == fRound:
				if c.newRound0 && s.m.ex && s.m.ver == h.ver && s.m.inc == h.inc && s.m.round == h.round+1 {
					n.m.ex, n.m.inc, n.m.ver, n.m.round = false, 0, 0, 0
				}
				if c.fixOnEnd {
					n.m.round++
				}
				emit(n, nm+" ends the round")
			case s.m.ex && (s.m.ver == h.ver && s.m.inc == h.inc || c.delUncond):
				n.m.ex, n.m.pend, n.m.sent, n.m.inc, n.m.ver = false, false, false, 0, 0
				emit(n, nm+" ends the round: marker removed")
			case s.m.ex:
				x.pc, x.first = 1, 0
				if c.lag {
					x.pc = 8
				}
				emit(n, nm+" ends the round: the marker moved on, again")
			default:
				emit(n, nm+" ends the round: no marker")
			}
		case 8:
			if s.outstanding(c) == 0 {
				n := s
				n.h[j].pc = 1
				emit(n, nm+" the readers have caught up")
			}
		case 9:
			n := s
			x := &n.h[j]
			x.pc = 5
			switch {
			case c.joinFirst:
				n.record(h)
				x.pc = 10
				emit(n, nm+" records the delayed message (FIRST)")
			case c.join:
				n.wk |= 1 << h.next
				x.pc = 10
				emit(n, fmt.Sprintf("%s sends the delayed message (token %d)", nm, h.next))
			default:
				n.wk++
				emit(n, nm+" sends the delayed message")
			}
		case 10:
			n := s
			n.h[j].pc = 5
			if c.joinFirst {
				n.wk |= 1 << h.next
				emit(n, nm+" sends the delayed message")
				break
			}
			n.record(h)
			emit(n, fmt.Sprintf("%s records it on the marker (token %d)", nm, n.m.po))
		case 5:
			n := s
			n.fack(j)
			n.h[j] = fHd{}
			emit(n, nm+" acknowledges")
		}
	}
}
func (s *fS) bWk() bool { return s.bH > 0 }

// The delayed message that the marker names does what this one asks for. It was sent before it was recorded, and its time has
// not come: it is under way.
func (s *fS) joins(c *fCfg, h fHd) bool {
	if !c.join || s.m.po == 0 || s.m.poR != s.m.round {
		return false
	}
	if c.joinAny {
		return true
	}
	// A time says nothing of whether it was sent.
	return h.tok != s.m.po && (c.joinDead || c.joinFirst || s.wk&(1<<s.m.po) != 0)
}

// Refused when a round has begun since the marker was read.
func (s *fS) record(h fHd) {
	if s.m.round == h.round {
		s.m.po, s.m.poR = h.next, s.m.round
	}
}

// A token that names nothing else.
func (s *fS) freeTok() uint8 {
	used := s.wk | 1<<s.m.po | 1
	for i := 0; i < int(s.nf); i++ {
		used |= 1 << s.fq[i].tok
	}
	for j := range s.h {
		used |= 1<<s.h[j].tok | 1<<s.h[j].next
	}
	for t := uint8(1); t < 8; t++ {
		if used&(1<<t) == 0 {
			return t
		}
	}
	s.over = true
	return 0
}
func (s *fS) logVer(k int) uint8 {
	if s.rl[k].pos < s.n {
		return s.log[s.rl[k].pos].ver
	}
	return 0
}
func b2(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

func fCheck(c *fCfg, s fS) []string {
	var out []string
	if s.over {
		out = append(out, "OVERFLOW")
	}
	if c.bound > 0 {
		for i := 0; i < c.nr; i++ {
			if bits.OnesCount16(s.r[i].msgs) > c.bound {
				out = append(out, "BACKLOG (more waiting for a reader than the bound)")
				break
			}
		}
		k := 0
		for i := 0; i < int(s.nf); i++ {
			k++
		}
		if k > 2+int(c.bH)+int(c.bVis) {
			out = append(out, "FANQ (more fan-out messages than two and one for each death of a handler)")
		}
	}
	for k := range s.rl {
		r := s.rl[k]
		if r.on == 1 && (r.pc != 0 || r.broken != 0 || r.pos < s.n) {
			return out
		}
	}
	if s.nf != 0 || s.wk != 0 || s.inc != s.tl {
		return out
	}
	for j := range s.h {
		if s.h[j].pc != 0 {
			return out
		}
	}
	for i := 0; i < c.nr; i++ {
		r := s.r[i]
		if r.pc != 0 || r.runs || r.msgs != 0 || r.dmsgs != 0 {
			return out
		}
	}
	if c.scheme != fRound && s.m.ex && s.m.pend && (c.scheme != fSent || s.m.sent) {
		out = append(out, "STUCK (marker pending, nobody will handle it)")
	}
	for i := 0; i < c.nr; i++ {
		if s.r[i].uses && s.r[i].recC != s.cont {
			if s.dlq && s.dlqVer == s.ver {
				continue // I12: it ended in the dead-letter queue, and nothing changed after it
			}
			out = append(out, "LOST (a reader has not read the newest version)")
			break
		}
	}
	return out
}

func fShow(c *fCfg, s fS) string {
	var b strings.Builder
	fmt.Fprintf(&b, "D{v%d inc%d} log%d ck%d ", s.ver, s.inc, s.n, s.ck)
	if s.m.ex {
		fmt.Fprintf(&b, "marker{v%d inc%d round%d pend%v sent%v} ", s.m.ver, s.m.inc, s.m.round, s.m.pend, s.m.sent)
	}
	for i := 0; i < int(s.nf); i++ {
		fmt.Fprintf(&b, "fan(r%d p%d h%d) ", s.fq[i].round, s.fq[i].cur, s.fq[i].holder)
	}
	for i := 0; i < c.nr; i++ {
		r := s.r[i]
		fmt.Fprintf(&b, "R%d{edge%d v%d/inc%d msgs%b} ", i, b2(r.edge), r.rec, r.recInc, r.msgs)
	}
	return b.String()
}

func fanoutScenarios() []scenario {
	var out []scenario
	R := fRound
	list := []fCfg{
		// the text read literally
		{name: "fan-a-text-relay-crash", scheme: fText, nr: 2, nh: 1, bD: 2, bRel: 1, want: "STUCK"},
		{name: "fan-b-text-dead-letter", scheme: fText, nr: 2, nh: 1, bD: 2, bH: 1, bDlq: 1, want: "STUCK"},
		{name: "fan-c-text-id-of-the-version", scheme: fText, verId: true, nr: 2, nh: 1, bD: 2, bRel: 1, want: "STUCK"},
		{name: "fan-d-text-nocrash", big: true, scheme: fText, nr: 2, nh: 2, bD: 3, bU: 1, bVis: 1},
		{name: "fan-e-text-backlog", scheme: fText, nr: 2, nh: 1, bD: 3, bound: 1, want: "BACKLOG"},
		// the message confirmed on the marker
		{name: "fan-f-sent-relay-crash", big: true, scheme: fSent, nr: 2, nh: 1, bD: 2, bRel: 1, bTwo: 1, bH: 1, limit: 12000000},
		{name: "fan-g-sent-dead-letter", scheme: fSent, nr: 2, nh: 1, bD: 2, bH: 1, bDlq: 1, want: "STUCK"},
		// rounds: the repair
		{name: "fan-r1-round-relay", big: true, scheme: R, nr: 2, nh: 1, bD: 2, bU: 1, bRel: 2, bTwo: 1},
		{name: "fan-r2-round-handler", big: true, scheme: R, nr: 2, nh: 2, bD: 2, bU: 1, bH: 1, bVis: 1, limit: 16000000},
		{name: "fan-r2b-round-handler-3-edits", scheme: R, nr: 2, nh: 1, bD: 3, bH: 2, limit: 16000000},
		{name: "fan-r3-round-all", big: true, scheme: R, nr: 2, nh: 1, bD: 2, bU: 1, bRel: 1, bH: 1, bTwo: 1, limit: 16000000},
		{name: "fan-r3b-round-reader-crash", big: true, scheme: R, nr: 2, nh: 2, bD: 1, bU: 1, bC: 1, bRel: 1, bH: 1, bVis: 1, limit: 16000000},
		{name: "fan-r4-round-3-readers", big: true, scheme: R, nr: 3, nh: 1, bD: 1, bU: 2, bRel: 1, bH: 1, limit: 16000000},
		{name: "fan-r4b-round-3-readers-2-edits", scheme: R, nr: 3, nh: 1, bD: 2, bU: 1, limit: 16000000},
		{name: "fan-r5-round-restore", big: true, scheme: R, nr: 2, nh: 1, bD: 2, bRest: 1, bRel: 1, bH: 1, limit: 16000000},
		{name: "fan-r6-round-restore-two", big: true, scheme: R, nr: 1, nh: 1, bD: 2, bRest: 1, bTwo: 1, bRel: 1, limit: 16000000},
		{name: "fan-r6b-round-restore-3-edits", big: true, scheme: R, nr: 1, nh: 2, bD: 2, bU: 1, bRest: 1, bH: 1, bVis: 1, limit: 16000000},
		{name: "fan-r7-round-mix", big: true, scheme: R, mix: true, nr: 2, nh: 1, bD: 2, bU: 1, bRel: 1, bH: 1, limit: 16000000},
		{name: "fan-r8-round-window", big: true, scheme: R, nr: 2, nh: 1, bD: 2, bU: 1, bWin: 1, bRel: 1, bH: 1, limit: 16000000},
		{name: "fan-r9-round-dead-letter", big: true, scheme: R, nr: 2, nh: 1, bD: 3, bH: 2, bDlq: 1, bRel: 1, limit: 16000000},
		{name: "fan-r10-round-continuations", scheme: R, cont: true, nr: 3, nh: 2, bD: 1, bH: 1, bVis: 1, limit: 12000000},
		{name: "fan-r10b-continuations-new-edge", big: true, scheme: R, cont: true, nr: 2, nh: 1, bD: 2, bU: 1, bRel: 1, bH: 1, limit: 16000000},
		{name: "fan-r11-round-continuations-restore", big: true, scheme: R, cont: true, nr: 2, nh: 1, bD: 2, bRest: 1, bH: 1, limit: 12000000},
		{name: "fan-r12-round-lag-bound", big: true, scheme: R, lag: true, bound: 1, nr: 2, nh: 1, bD: 4, bU: 1, bH: 1, limit: 16000000},
		{name: "fan-r12b-lag-3-readers", big: true, scheme: R, lag: true, bound: 1, nr: 3, nh: 1, bD: 4, bRel: 1, limit: 16000000},
		{name: "fan-r15-put-off", big: true, scheme: R, nr: 2, nh: 1, bD: 2, bU: 1, bH: 1, bRel: 1, bEarly: 2, limit: 16000000},
		{name: "fan-r16-put-off-restore", big: true, scheme: R, nr: 1, nh: 1, bD: 2, bU: 1, bH: 1, bRest: 1, bEarly: 2, limit: 16000000},
		{name: "fan-r17-joins-what-is-put-off", big: true, scheme: R, join: true, nr: 1, nh: 1, bD: 2, bU: 1, bH: 1, bRel: 1, bEarly: 2, limit: 16000000},
		{name: "fan-r18-joins-two-handlers", big: true, scheme: R, join: true, nr: 1, nh: 2, bD: 2, bH: 1, bRel: 1, bVis: 1, bEarly: 3, limit: 16000000},
		{name: "fan-r19-joins-restore", big: true, scheme: R, join: true, nr: 1, nh: 1, bD: 2, bH: 1, bRest: 1, bEarly: 2, limit: 16000000},
		{name: "fan-r20-joins-dead-letter", scheme: R, join: true, nr: 1, nh: 1, bD: 2, bH: 1, bDlq: 1, bEarly: 2, limit: 16000000},
		{name: "fan-r21-joins-window", scheme: R, join: true, nr: 1, nh: 1, bD: 3, bWin: 1, bEarly: 3, limit: 16000000},
		{name: "fan-r13-no-lag-backlog", scheme: R, bound: 1, nr: 2, nh: 1, bD: 3, want: "BACKLOG"},
		{name: "fan-r14-no-lag-backlog-of-2", scheme: R, bound: 2, nr: 2, nh: 1, bD: 3, want: "BACKLOG"},
		// planted
		{name: "fan-p1-checkpoint-first", scheme: R, ckFirst: true, nr: 2, nh: 1, bD: 1, bRel: 1, want: "LOST"},
		{name: "fan-p2-end-unconditional", scheme: fText, delUncond: true, nr: 2, nh: 1, bD: 2, want: "LOST"},
		{name: "fan-p3-version-of-the-last-page", scheme: fText, midVer: true, nr: 2, nh: 1, bD: 2, want: "LOST"},
		{name: "fan-p4-round-counted-at-the-end", scheme: R, fixOnEnd: true, nr: 2, nh: 1, bD: 2, want: "LOST"},
		{name: "fan-p5-marker-read-before-counted", scheme: R, readFirst: true, nr: 2, nh: 1, bD: 2, bU: 1, want: "LOST"},
		{name: "fan-p6-rounds-begin-at-0-again", scheme: R, newRound0: true, nr: 2, nh: 1, bD: 2, want: "LOST"},
		{name: "fan-p7-no-incarnation", scheme: R, noInc: true, nr: 2, nh: 1, bD: 3, bRest: 1, want: "LOST"},
		{name: "fan-p8-older-overwrites", scheme: R, last2: true, nr: 2, nh: 1, bD: 2, bTwo: 1, all: true, want: "LOST"},
		{name: "fan-p9-equal-version-sends-nothing", scheme: R, noReplay: true, nr: 2, nh: 1, bD: 1, bRel: 1, want: "LOST"},
		{name: "fan-p10-continuation-without-round", scheme: R, cont: true, contNew: true, nr: 2, nh: 1, bD: 2, want: "LOST"},
		{name: "fan-p12-put-off-under-the-same-id", scheme: R, wkId: true, nr: 2, nh: 1, bD: 1, bEarly: 1, want: "LOST"},
		{name: "fan-p13-acknowledged-before-put-off", scheme: R, ackFirst: true, nr: 2, nh: 1, bD: 1, bEarly: 1, bH: 1, want: "LOST"},
		{name: "fan-p15-joins-what-is-not-sent-yet", scheme: R, join: true, joinFirst: true, nr: 1, nh: 1, bD: 2, bH: 1, bEarly: 1, want: "LOST"},
		{name: "fan-p16-what-is-joined-ends-too", scheme: R, join: true, joinAny: true, nr: 1, nh: 1, bD: 1, bEarly: 1, want: "LOST"},
		{name: "fan-p17-joins-what-is-dead", scheme: R, join: true, joinDead: true, nr: 1, nh: 1, bD: 2, bH: 1, bDlq: 1, bWin: 1, bEarly: 1, want: "LOST"},
		{name: "fan-p14-dead-letter-inside-the-window", scheme: R, dlqSoon: true, nr: 2, nh: 1, bD: 2, bH: 1, bDlq: 1, want: "LOST"},
		{name: "fan-p11-eventual-page", scheme: R, evEdge: true, nr: 1, nh: 1, bD: 1, bU: 2, want: "LOST"},
	}
	for _, c := range list {
		var s fS
		s.ver, s.inc, s.tl, s.ckInc = 1, 0, 0, 0
		s.snapV = 1
		s.cont, s.nextC = 1, 1
		s.snapC = 1
		for i := 0; i < c.nr; i++ {
			s.r[i].uses, s.r[i].edge, s.r[i].rec, s.r[i].recC = true, true, 1, 1
		}
		if c.bU > 0 { // the last reader does not use D at first: its edge appears behind or before the page
			s.r[0] = fRd{}
		}
		s.rl[0] = fRel{on: 1}
		s.bD, s.bU, s.bC, s.bRel, s.bTwo, s.bVis, s.bRest, s.bDlq, s.bWin, s.bH = c.bD, c.bU, c.bC, c.bRel, c.bTwo, c.bVis, c.bRest, c.bDlq, c.bWin, c.bH
		s.bEarly = c.bEarly
		out = append(out, &model[fS]{name: c.name, init: s, next: func(s fS, e func(fS, string)) { fNext(&c, s, e) }, check: func(s fS) []string { return fCheck(&c, s) },
			show: func(s fS) string { return fShow(&c, s) }, max: c.limit, want: c.want, goOn: c.all, big: c.big})
	}
	return out
}
