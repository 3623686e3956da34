package main

import (
	"fmt"
	"strings"
)

// One UID, which lives (or lived) at address A. Own events (watch, list, deletion: the API server's word about the object
// itself) carry A. Events derived from somebody's owner reference carry whatever stands there: A or a forged B, where nothing (or
// another UID) is found. Two lanes, two workers, crashes, a lease that ends under its owner, deletion and restore.

const (
	adA = 1
	adB = 2
)
const (
	srcOwn = 1 + iota
	srcDel
	srcRef
	srcDue
)

var srcName = []string{"", "own", "deleted", "owner-ref", "due"}

type aMsg struct{ src, addr, ver, holder uint8 }
type aWk struct {
	pc, src, addr, ver, epoch, at, seen uint8
	began, live                         bool
	got                                 uint8
}
type aS struct {
	ex    bool
	cont  uint8 // content now
	nextC uint8
	it    struct {
		ex, exp, dirty, due, state bool
		addr, owner, epoch, obs    uint8
	}
	ep                         uint8 // epochs are never used twice
	q                          [2][7]aMsg
	qn                         [2]uint8
	w                          [2]aWk
	bE, bDel, bF, bC, bX, bErr uint8
	bRest                      uint8
	pend                       [2]uint8 // changes of children that the relay has not handled
	drop, over                 bool
}
type aCfg struct {
	name                              string
	known                             bool // starts with a committed item; else the created event is still under way
	bE, bDel, bF, bC, bX, bErr, bRest uint8
	rule                              int  // 0 tree: the event's address is recorded and read; 1 text; 2 repaired
	onlyKnown                         bool // owner-derived events are sent only where an item exists
	staleKnown                        bool // planted: the lookup may miss an item that is there
	stamp                             bool // the relay stamps the recorded address on owner-derived events
	markNoAddr, rerunOld, uncond      bool // planted
	keepShell, ownKeeps, coverRelease bool
	all                               bool
	limit                             int
	want                              string
	big                               bool
}

func (s *aS) push(l int, m aMsg) {
	if s.qn[l] == 7 {
		s.over = true
		return
	}
	s.q[l][s.qn[l]] = m
	s.qn[l]++
}
func (s *aS) del(l, i int) {
	copy(s.q[l][i:], s.q[l][i+1:])
	s.q[l][6] = aMsg{}
	s.qn[l]--
}
func (s *aS) ack(w int) {
	for l := range s.q {
		for i := 0; i < int(s.qn[l]); i++ {
			if s.q[l][i].holder == uint8(w+1) {
				s.del(l, i)
				break
			}
		}
	}
	s.w[w] = aWk{}
}
func (s *aS) nack(w int) {
	for l := range s.q {
		for i := 0; i < int(s.qn[l]); i++ {
			if s.q[l][i].holder == uint8(w+1) {
				s.q[l][i].holder = 9
			}
		}
	}
	s.w[w] = aWk{}
}

func aNext(c *aCfg, s aS, emit func(aS, string)) {
	if s.ex && s.bE > 0 {
		n := s
		n.bE--
		n.nextC++
		n.cont = n.nextC
		n.push(0, aMsg{src: srcOwn, addr: adA, ver: n.cont})
		emit(n, "object edited; its own event is sent")
	}
	if s.ex && s.bDel > 0 {
		n := s
		n.bDel--
		n.ex = false
		n.push(0, aMsg{src: srcDel, addr: adA})
		emit(n, "object deleted; its own event is sent")
	}
	if !s.ex && s.bRest > 0 {
		n := s
		n.bRest--
		n.ex = true
		n.nextC++
		n.cont = n.nextC
		n.push(1, aMsg{src: srcOwn, addr: adA, ver: n.cont})
		emit(n, "RESTORED: the same UID lives again; the list's event is sent")
	}
	if s.bF > 0 {
		for a := uint8(adA); a <= adB; a++ {
			n := s
			n.bF--
			n.pend[a-1]++
			l := "a copy of a child appears, which names the owner at B"
			if a == adA {
				l = "a child changes"
				if s.ex { // what the owner has to read
					n.nextC++
					n.cont = n.nextC
				}
			}
			emit(n, l)
		}
	}
	for a := uint8(adA); a <= adB; a++ {
		if s.pend[a-1] == 0 {
			continue
		}
		for l := 0; l < 2; l++ {
			n := s
			n.pend[a-1]--
			m := aMsg{src: srcRef, addr: a}
			if c.onlyKnown && (!s.it.ex || c.staleKnown) {
				emit(n, "relay: the owner has no item, nothing is sent")
				if !s.it.ex {
					break
				}
			}
			if c.stamp && s.it.ex {
				m.addr = s.it.addr
			}
			n.push(l, m)
			emit(n, fmt.Sprintf("relay: owner-derived event with address %c, sent with %c, lane %d", 64+a, 64+m.addr, l))
		}
	}
	if s.it.ex && s.it.due && (s.it.owner == 0 || s.it.exp) {
		n := s
		n.it.due = false
		n.push(0, aMsg{src: srcDue, addr: s.it.addr})
		emit(n, "the deadline's event is sent")
	}
	if s.it.ex && s.it.owner != 0 && !s.it.exp {
		o := s.w[s.it.owner-1]
		alive := o.pc >= 2 && o.epoch == s.it.epoch
		if !alive || s.bX > 0 {
			n := s
			n.it.exp = true
			l := "the dead owner's lease ends"
			if alive {
				n.bX--
				l = "THE LEASE ENDS UNDER ITS OWNER"
			}
			emit(n, l)
		}
	}
	for l := range s.q {
		if s.qn[l] == 0 {
			continue
		}
		m := s.q[l][0]
		if m.holder == 9 {
			n := s
			n.q[l][0].holder = 0
			emit(n, fmt.Sprintf("lane %d: the message is visible again", l))
		}
		if m.holder == 0 {
			for w := range s.w {
				if s.w[w].pc == 0 {
					n := s
					n.q[l][0].holder = uint8(w + 1)
					n.w[w] = aWk{pc: 1, src: m.src, addr: m.addr, ver: m.ver}
					emit(n, fmt.Sprintf("W%d receives %s (%c)", w+1, srcName[m.src], 64+m.addr))
					break
				}
			}
		}
	}
	for w := range s.w {
		x := s.w[w]
		if x.pc == 0 {
			continue
		}
		nm := fmt.Sprintf("W%d", w+1)
		me := uint8(w + 1)
		if s.bC > 0 {
			n := s
			n.bC--
			n.nack(w)
			emit(n, nm+" CRASH")
		}
		own := x.src == srcOwn || x.src == srcDel
		mine := s.it.ex && s.it.owner == me && s.it.epoch == x.epoch
		again := func(n *aS) {
			n.it.dirty = false
			y := &n.w[w]
			y.pc = 2
			if c.rule != 0 && !c.rerunOld {
				y.at = n.it.addr
			}
		}
		switch x.pc {
		case 1: // acquire; refused: the answer is the item found
			n := s
			y := &n.w[w]
			if x.src == srcDue && !s.it.ex {
				n.ack(w)
				emit(n, nm+" a deadline of a forgotten item: covered")
				break
			}
			if x.src == srcOwn && s.it.ex && s.it.state && s.it.obs >= x.ver {
				n.ack(w)
				emit(n, nm+" covered")
				break
			}
			if s.it.ex && s.it.owner != 0 && !s.it.exp {
				y.pc, y.seen = 5, s.it.epoch
				emit(n, nm+" held")
				break
			}
			n.ep++
			if n.ep > 12 {
				n.over = true
			}
			y.began = !s.it.ex
			n.it.ex, n.it.owner, n.it.exp, n.it.dirty, n.it.epoch = true, me, false, false, n.ep
			switch c.rule {
			case 0:
				n.it.addr = x.addr
			case 1:
				if !s.it.ex {
					n.it.addr = x.addr
				}
			case 2:
				if !s.it.ex || own && !c.ownKeeps {
					n.it.addr = x.addr
				}
			}
			y.epoch, y.at, y.pc = n.ep, n.it.addr, 2
			emit(n, fmt.Sprintf("%s acquires e%d, will read at %c (recorded %c)", nm, n.ep, 64+y.at, 64+n.it.addr))
		case 2:
			n := s
			y := &n.w[w]
			y.live = s.ex
			if s.bErr > 0 && x.at == adB {
				n := s
				n.bErr--
				n.w[w].pc, n.w[w].got = 3, 0
				emit(n, nm+" the read is refused (403): retry")
			}
			if s.ex && x.at == adA {
				y.pc, y.got = 3, s.cont
				emit(n, nm+" finds the object")
			} else {
				y.pc = 4
				emit(n, fmt.Sprintf("%s finds nothing at %c", nm, 64+x.at))
			}
		case 3: // commit
			n := s
			if !mine {
				n.nack(w)
				emit(n, nm+" lease lost")
				break
			}
			if s.it.dirty {
				again(&n)
				emit(n, nm+" dirty: again")
				break
			}
			n.it.owner, n.it.exp, n.it.due = 0, false, false
			if x.got != 0 {
				n.it.state, n.it.obs = true, x.got
			} else {
				n.it.due = true
			}
			n.ack(w)
			emit(n, fmt.Sprintf("%s commits (content %d)", nm, x.got))
		case 4: // nothing there
			n := s
			if !mine {
				n.nack(w)
				emit(n, nm+" lease lost")
				break
			}
			if s.it.dirty && !c.uncond {
				again(&n)
				emit(n, nm+" dirty: again")
				break
			}
			release := c.rule == 1 && (x.src == srcRef && x.began || own && !c.coverRelease && s.it.addr != x.addr) || c.keepShell && !s.it.state
			if release {
				n.it.owner, n.it.exp, n.it.dirty = 0, false, false
				n.ack(w)
				emit(n, nm+" ends as covered; the item stays")
				break
			}
			if s.it.state && x.live {
				n.drop = true
			}
			n.it.ex, n.it.exp, n.it.dirty, n.it.due, n.it.state = false, false, false, false, false
			n.it.addr, n.it.owner, n.it.epoch, n.it.obs = 0, 0, 0, 0
			n.ack(w)
			emit(n, nm+" FORGETS the item")
		case 5: // mark the holder's item
			n := s
			if !(s.it.ex && s.it.owner != 0 && s.it.epoch == x.seen) {
				n.w[w].pc = 1
				emit(n, nm+" mark refused: acquires again")
				break
			}
			n.it.dirty, n.it.due = true, true
			if c.rule == 2 && own && !c.markNoAddr {
				n.it.addr = x.addr
			}
			n.ack(w)
			emit(n, nm+" marks it dirty and acknowledges")
		}
	}
}

func aCheck(c *aCfg, s aS) []string {
	var out []string
	if s.over {
		out = append(out, "OVERFLOW")
	}
	if s.drop {
		out = append(out, "DROP (state of a live object was forgotten)")
	}
	if s.qn[0]+s.qn[1] != 0 || s.pend != [2]uint8{} || s.w[0].pc != 0 || s.w[1].pc != 0 || s.it.due || s.it.ex && s.it.owner != 0 {
		return out
	}
	if s.ex && !(s.it.ex && s.it.state && s.it.obs == s.cont) {
		out = append(out, "LOST (the live object's newest content was not read)")
	}
	if !s.ex && s.it.ex {
		out = append(out, "LEAK (an object that is gone keeps its item)")
	}
	return out
}

func aShow(s aS) string {
	var b strings.Builder
	fmt.Fprintf(&b, "object{%v c%d} ", s.ex, s.cont)
	if s.it.ex {
		fmt.Fprintf(&b, "item{at %c own%d e%d dirty%v state%v obs%d due%v} ", 64+s.it.addr, s.it.owner, s.it.epoch, s.it.dirty, s.it.state, s.it.obs, s.it.due)
	}
	for l := range s.q {
		for i := 0; i < int(s.qn[l]); i++ {
			m := s.q[l][i]
			fmt.Fprintf(&b, "q%d(%s %c) ", l, srcName[m.src], 64+m.addr)
		}
	}
	return b.String()
}

func addressScenarios() []scenario {
	var out []scenario
	list := []aCfg{
		{name: "adr-a-tree", rule: 0, known: true, bF: 1, want: "DROP"},
		{name: "adr-b-relay-stamps-only", rule: 0, stamp: true, bF: 1, want: "DROP"},
		{name: "adr-c-text-forged-first", rule: 1, stamp: true, bF: 1, want: "LOST"},
		{name: "adr-c2-text-forged-first-forgets", rule: 1, coverRelease: true, stamp: true, bF: 1, want: "LOST"},
		{name: "adr-d-text-unknown-owner", rule: 1, stamp: true, known: true, bF: 1, bDel: 1, want: "LEAK"},
		{name: "adr-e-text-known", rule: 1, stamp: true, known: true, bE: 1, bF: 2, bC: 1, limit: 6000000},
		{name: "adr-r1-forged-first", rule: 2, bE: 1, bF: 2, bC: 1, limit: 8000000},
		{name: "adr-r2-known", rule: 2, known: true, bE: 1, bF: 2, bC: 1, bX: 1, limit: 8000000},
		{name: "adr-r3-delete", big: true, rule: 2, known: true, bE: 1, bDel: 1, bF: 2, bC: 1, bX: 1, limit: 8000000},
		{name: "adr-r4-forged-first-delete-restore", big: true, rule: 2, bDel: 1, bRest: 1, bF: 2, bC: 1, limit: 8000000},
		{name: "adr-r5-refused-reads", big: true, rule: 2, bE: 1, bDel: 1, bF: 2, bErr: 2, bC: 1, limit: 8000000},
		{name: "adr-r6-lease-ends-early", big: true, rule: 2, bE: 1, bDel: 1, bF: 2, bX: 2, limit: 8000000},
		{name: "adr-r7-only-where-known", big: true, rule: 2, onlyKnown: true, stamp: true, bE: 1, bDel: 1, bRest: 1, bF: 2, bC: 1, limit: 16000000},
		{name: "adr-r8-stamped", big: true, rule: 2, stamp: true, bDel: 1, bRest: 1, bF: 2, bC: 1, limit: 16000000},
		{name: "adr-p1-mark-without-address", rule: 2, markNoAddr: true, bF: 1, want: "LOST"},
		{name: "adr-p2-again-at-the-first-address", rule: 2, rerunOld: true, bF: 1, want: "LOST"},
		{name: "adr-p3-forget-although-dirty", rule: 2, uncond: true, bF: 1, want: "LOST"},
		{name: "adr-p4-shell-stays", rule: 2, keepShell: true, known: true, bDel: 1, bF: 1, want: "LEAK"},
		{name: "adr-p6-known-looked-up-eventually", rule: 2, onlyKnown: true, staleKnown: true, known: true, bF: 1, want: "LOST"},
		{name: "adr-p5-own-event-keeps-the-address", rule: 2, ownKeeps: true, bF: 1, bErr: 1, want: "LOST"},
	}
	for _, c := range list {
		var s aS
		s.ex, s.cont, s.nextC = true, 1, 1
		if c.known {
			s.ep = 1
			s.it.ex, s.it.state, s.it.addr, s.it.epoch, s.it.obs = true, true, adA, 1, 1
		} else {
			s.push(0, aMsg{src: srcOwn, addr: adA, ver: 1})
		}
		s.bE, s.bDel, s.bF, s.bC, s.bX, s.bErr, s.bRest = c.bE, c.bDel, c.bF, c.bC, c.bX, c.bErr, c.bRest
		out = append(out, &model[aS]{name: c.name, init: s, next: func(s aS, e func(aS, string)) { aNext(&c, s, e) }, check: func(s aS) []string { return aCheck(&c, s) },
			show: aShow, max: c.limit, want: c.want, goOn: c.all, big: c.big})
	}
	return out
}
