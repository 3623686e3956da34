package main

// The main model. Everything in State is one byte, so that it hashes cheaply.

const (
	IDLE = iota
	ACQ
	RB
	MARK
	READT
	EDGE
	READD
	READD2
	APPLY
	STAT
	STAT2
	COMMIT
	COMMIT2
	CLRD
	CLEAN
	DEL
	FG1
	FG2
	EXPQ
	EXPS
	NACK
	PRECLEAN
	WAKE
	DEFER
	BUMP
	PREREAD
	LOOK
)

var pcName = []string{"idle", "acquire", "readback", "mark", "readT", "edge", "readD", "readD2", "apply", "status", "status-retry", "commit", "commit-retry", "cleardirty", "clean", "ack", "forget-edges", "forget-item", "expand-query", "expand-send", "nack", "preclean", "send-wake", "defer", "bump-incarnation", "preread-D", "look at the clock again"}

const ( // causes
	cWATCH = 1 + iota
	cDELETED
	cDEP
	cDUE
	cRESYNC
	cDEV  // raw dependency event (group D)
	cSELF // a dependency event about T itself: it is in a list that it read
)

var causeName = []string{"", "watch", "deleted", "dep", "due", "resync", "Devent", "dep on itself"}

const ( // dueAt codes: kind*16+epoch
	dR = 16 // retry backoff
	dL = 32 // leaseUntil+grace
	dN = 48 // now (dirty commit)
	dP = 64 // pushed by the sweep (> dedupe window away)
)
const ORPHAN = 9 // its worker gave it up, or died
const GONE = 10  // and the workers after it: it was received by a process that is gone
const QN = 8

type Msg struct{ cause, grp, rv, aux, ep, holder, rc, inc, lst uint8 }
type Wk struct{ on, t, due, ep, pc, sep uint8 } // delayed message; pc 1 = checked, not yet sent
type Relay struct {
	on, posT, posD, pc, send, inc, broken uint8
	rl, lTe, lTu, lTr, lDe, lDr, lV       uint8 // relist under way: what the list held, its version
	pw                                    uint8 // checkpoint write pending: 1 T, 2 D
	clT, clD                              uint8 // versions up to which everything was sent, not yet written
}
type Ev struct{ del, uid, rv uint8 }
type Item struct {
	ex, owner, epoch, expired, dirty, obs, depIn, depVer, due uint8
	drop                                                      uint8 // fix: edges to drop, known to the item
	dT, dD, dAny, dI                                          uint8 // what made it dirty: highest version of T, of D, anything else; incarnation
	inc, cEp, fail, far                                       uint8
	gTr, gDr, gOut, gUsed                                     uint8 // ghosts of the last commit
	kept                                                      uint8 // the epoch of a forgotten item
	gone                                                      uint8 // its lease is of a process that is gone; 2: planted, one that was given back
}
type Edge struct{ ex, epoch, fresh, told uint8 }
type Worker struct {
	pc, cause, grp, rv, aux, mep           uint8
	amb, epoch, lastDep, seen              uint8
	tRv, spec, status, dVer, dVal, dF, dEx uint8
	used, edgeMine, obs, out, send, drop   uint8
	tRd, dRd                               uint8 // ghosts: API clock at the reads
	minc, lst, reput, why, wkDue           uint8
	cache, next                            uint8
	named, clock                           uint8 // the kept epoch that it has read; the clock when its message came
	oldDec, known                          uint8 // known: the target's version recorded when the lease was taken
}

// A request of a process that is gone, on its way to the API server
type Late struct{ on, t, rv, want, spec, tRd, dRd uint8 }
type State struct {
	rv                                              uint8
	tEx, tUid, tRv, tSpec, tStatus, tSpecRv         uint8
	dEx, dRv, dVal, dF, dValRv                      uint8
	logT                                            [9]Ev
	nT, ckT                                         uint8
	logD                                            [6]Ev
	nD, ckD                                         uint8
	r                                               [2]Relay
	inc, ckIncT, ckIncD, clk, tl                    uint8
	mxE                                             [2]uint8
	wk                                              [3]Wk
	q                                               [2][QN]Msg
	qn                                              [2]uint8
	dlq                                             [3]uint8
	dedRv                                           [2][2]uint32 // by incarnation (if the id names it), by queue
	dedDep                                          [2][2]uint32
	dedDepL                                         [2][2]uint32
	dedDue                                          [12]uint16
	it                                              [2]Item
	ed                                              [2]Edge
	w                                               [3]Worker
	swPc, swT, swVal, swEp, pushK                   uint8
	rsPc, rsEx, rsUid, rsRv                         uint8
	bT, bD, bDdel, bTdel, bF                        uint8 // user budgets
	bCrash, bVis, bExp, bRel, bSw, bAmb, bFail      uint8 // fault budgets
	bRs, bGap, bTick                                uint8
	bWk, bFar, bOver, bRest, bTwo                   uint8
	snTe, snTs, snTst, snTr, snDe, snDr, snDv, snRv uint8
	bFroz, bLate                                    uint8
	late                                            Late
	viol                                            uint16
}

type Cfg struct {
	name                                                                                   string
	nw                                                                                     int
	spec0                                                                                  uint8
	fresh                                                                                  bool // start with nothing known instead of converged
	d0abs                                                                                  bool
	bT, bD, bDdel, bTdel, bF, bCrash, bVis, bExp, bRel, bSw, bAmb, bFail, bRs, bGap, bTick uint8
	bWk, bFar, bOver, bRest, bTwo                                                          uint8
	relExp                                                                                 bool  // 1: dependency events are expanded by the relay
	dm                                                                                     uint8 // dirty mark: 0 plain flag; 1 one (object, version), last writer wins; 2 one (object, highest version), other object or cause -> anything; 3 a set; 4 version without its object
	dRerunCache                                                                            bool  // planted: the run-again keeps what the first run read
	dIncMark                                                                               bool  // the mark names its incarnation
	wake, wkEp, wkMsgEp, markFar, dueCov                                                   bool
	crash                                                                                  uint8 // 1 defer, 2 run now
	bound                                                                                  uint8 // failures of this kind until terminal (0: never)
	boundKeep                                                                              bool  // past the bound: reported, deadline at the cap stays
	ovAck, ovObs                                                                           bool  // planted: over budget: acknowledge first; observed version advances
	incr                                                                                   bool  // incarnations in use
	detect                                                                                 uint8 // 0 list version below checkpoint; 1 always noticed at the relist
	dedInc                                                                                 bool  // deduplication ids name the incarnation
	incAtCommit                                                                            bool  // planted: a pass labels its commit with the incarnation it finds at commit
	lstEq                                                                                  bool  // list events are covered only by an equal version
	passDetect                                                                             bool  // a pass that reads a version lower than recorded starts an incarnation
	ckIncRule                                                                              bool  // checkpoint of an older incarnation: relist
	ckCond                                                                                 bool  // checkpoint written only by the holder of the relay lease
	fgDirty                                                                                bool  // forget deletes the item only if not dirty
	epTime                                                                                 bool  // a new item's epoch starts above every earlier one (from the clock)
	incEdges                                                                               bool  // a pass of another incarnation than the item's writes its edges again
	gapListSkip                                                                            bool  // relist: a list edge matches no absent object
	fgUncond                                                                               bool  // forget deletes edges without epoch condition
	fgItemFirst                                                                            bool  // forget deletes the item, then the edges
	pwKeep                                                                                 bool  // planted: a checkpoint of the old incarnation is still written after a new one began
	ign                                                                                    []string
	edgeTx                                                                                 bool // fix: new edge and its note in the item in one transaction, conditional on owner and epoch
	coarse                                                                                 bool // dueAt of two commits may be the same millisecond
	ef                                                                                     bool
	preKeep                                                                                bool
	// added after the first release
	oldItem  bool // a refused acquire answers with the item found: its decision is made at once, without another read
	cmp      bool // with the read-back: counts how often it decides otherwise than the item found would have
	refCov   bool // planted: refused and, by the clock of a moment later, no longer held: taken for covered
	oursAny  bool // planted: whoever holds it is taken for ours (owner compared without the attempt, one owner for both lanes)
	par      bool // what the last pass read is read at once with the target, in either order
	parSafe  bool // repair: such a read counts only with a target's version that is older than the lease
	parKeep  bool // planted: such a read leaves its version although the pass did not use it
	parEarly bool // planted: read before the lease is taken
	keepEp   bool // forget keeps the epoch; acquire is refused there unless it names that epoch, and the clock is looked at again
	noName   bool // planted: whoever finds it forgotten begins it again
	noLook   bool // planted: without the second look at the clock
	earlyClk bool // planted: a new item's epoch comes from the clock as it was read when the message came
	// T's own changes come as events of a dependency, to every item that there is: T is in a list that it read once
	selfDep bool
	selfInc bool // planted: the version observed covers such an event whatever its incarnation
	selfAny bool // planted: the version observed covers the event of any object
	// a process that is gone gives back what it held (docs/decisions/0044); a worker is a process
	giveBack     bool
	oneOwner     bool  // the passes of all workers bear one owner, as those of one process do: their epochs alone tell them apart
	bFroz, bLate uint8 // give-backs of a process that was only frozen; requests that land after their process is gone
	gbApart      bool  // the lease is given back first, the messages in a transaction of their own
	gbDirty      bool  // dirty marks are dropped, and their deadline stays
	gbEpoch      uint8 // planted: the give-back 1 puts the epoch back to the one last committed, 2 begins the epochs again
	gbKeepLease  bool  // planted: the lease stays
	gbMarks      bool  // planted: dirty marks are dropped with their deadline
	noFence      bool  // planted: a commit looks at neither owner nor epoch
	// planted bugs
	noDirty, edgeAfter, ckFirst bool
	// design variants
	markAlways     bool // held mark sets dueAt = leaseUntil+grace unconditionally (else min, design)
	ackLost        bool // lease lost at commit: acknowledge the message
	recLast        bool // dependency read twice: record the last version (design: "version last seen")
	readTwice      bool
	pushEp         bool
	edgeCond       bool // edge put only when absent or older epoch
	ambOK          bool // ambiguous commit that cannot be told apart is taken as success
	markFailAck    bool // held mark refused -> acknowledge anyway
	staleEdge      bool // expansion query may miss an edge written just before (eventually consistent)
	listRead       bool // T reads D through a list: edges only for what the list returned
	child          bool // D is an owned child, applied without rv precondition
	childPre       bool
	skewGrace      bool // grace <= clock skew: due fires while a worker still sees the lease held
	slowClock      bool // a worker may see an expired lease as still held
	noWindow       bool // dedupe window expired: no deduplication
	maxRecv        uint8
	dlqCounts      bool
	selfHeal       bool // pass woken by a dep event that does not use D deletes the edge
	dropSet        bool // commit stores the edges to drop in the item; later passes finish
	gapEdges       bool // relist of a dependency kind enumerates edges and emits Devents for absent ones
	gapInv         bool // relist compares recorded dependency versions in the inventory
	diffOnly       bool // cleanup considers only the last committed set, not edges of this attempt
	obsAfter409    bool // variant: on 409 record the newest version seen instead of the one read
	commitNoEp     bool // variant: commit conditional on owner only
	statusNoRv     bool // variant: status patch without resourceVersion
	acqDue         bool // fix: acquire sets dueAt = leaseUntil+grace in its own UpdateItem
	staleDue       bool // fix: due message of an older epoch is acknowledged
	acqClearsDue   bool // variant: acquire clears dueAt
	markNoDue      bool // variant: held marks dirty only
	retryDropsDeps bool
	limit          int
	big            bool
	want           string
	props          []string
}

const (
	vMONO = 1 << iota
	vI3
	vI1
	vEPOCH
	vOVER
	vDROP
	vWAIT
	vSTOLEN
)

func f(spec, dEx, dVal uint8) uint8 {
	if spec == 0 {
		return 0
	}
	if dEx == 0 {
		return 3
	}
	return 1 + dVal
}

func initial(c *Cfg) State {
	var s State
	s.tEx, s.tUid, s.tRv, s.tSpec, s.tSpecRv = 1, 0, 2, c.spec0, 2
	s.dEx, s.dRv, s.dVal, s.dValRv, s.dF = 1, 1, 0, 1, 1
	if c.d0abs {
		s.dEx, s.dRv = 0, 0
	}
	s.tStatus = f(c.spec0, s.dEx, s.dVal)
	s.rv, s.clk = 2, 2
	s.ckT, s.ckD = 2, 2
	if c.incr {
		s.inc, s.ckIncT, s.ckIncD, s.tl = 1, 1, 1, 1
	}
	s.r[0].on, s.r[0].inc = 1, s.inc
	s.r[0].clT, s.r[0].clD = 2, 2
	if c.fresh {
		s.tStatus = 7
		s.logT[0] = Ev{0, 0, 2}
		s.nT = 1
		s.ckT, s.r[0].clT = 1, 1
	} else {
		i := &s.it[0]
		if c.epTime {
			s.mxE[0] = 1
		}
		i.ex, i.epoch, i.obs, i.inc = 1, 1, 2, s.inc
		if c.crash != 0 || c.dueCov {
			i.cEp = 1
		}
		i.gTr, i.gDr, i.gOut = 2, 2, 0
		if c.incr {
			i.gDr = s.dValRv
		}
		if c.spec0 == 1 {
			i.depIn, i.depVer, i.gUsed = 1, s.dRv, 1
			s.ed[0] = Edge{1, 1, 0, 0}
			if c.listRead && s.dEx == 0 {
				s.ed[0] = Edge{}
				i.depIn = 0
			}
		}
	}
	s.bT, s.bD, s.bDdel, s.bTdel, s.bF = c.bT, c.bD, c.bDdel, c.bTdel, c.bF
	s.bCrash, s.bVis, s.bExp, s.bRel, s.bSw, s.bAmb, s.bFail = c.bCrash, c.bVis, c.bExp, c.bRel, c.bSw, c.bAmb, c.bFail
	s.bRs, s.bGap, s.bTick = c.bRs, c.bGap, c.bTick
	s.bWk, s.bFar, s.bOver, s.bRest, s.bTwo = c.bWk, c.bFar, c.bOver, c.bRest, c.bTwo
	s.bFroz, s.bLate = c.bFroz, c.bLate
	if c.bTwo == 0 && !c.ckFirst {
		s.compact()
	}
	if c.bRest > 0 {
		s.snTe, s.snTs, s.snTst, s.snTr, s.snDe, s.snDr, s.snDv, s.snRv = s.tEx, s.tSpec, s.tStatus, s.tRv, s.dEx, s.dRv, s.dVal, s.rv
	}
	return s
}

func (s *State) addT(e Ev) {
	if int(s.nT) == len(s.logT) {
		s.viol |= vOVER
		return
	}
	s.logT[s.nT] = e
	s.nT++
}
func (s *State) addD(e Ev) {
	if int(s.nD) == len(s.logD) {
		s.viol |= vOVER
		return
	}
	s.logD[s.nD] = e
	s.nD++
}

// compaction of the logs: what lies before the checkpoint is never needed again
func (s *State) compact() {
	if s.bTwo > 0 || s.r[1].on == 1 {
		return // a checkpoint may go back
	}
	m := s.r[0].posT
	for i := uint8(0); i < m; i++ {
		if s.logT[i].rv > s.ckT {
			m = i
		}
	}
	if m > 0 {
		copy(s.logT[:], s.logT[m:])
		for i := len(s.logT) - int(m); i < len(s.logT); i++ {
			s.logT[i] = Ev{}
		}
		s.nT -= m
		s.r[0].posT -= m
	}
	m = s.r[0].posD
	for i := uint8(0); i < m; i++ {
		if s.logD[i].rv > s.ckD {
			m = i
		}
	}
	if m > 0 {
		copy(s.logD[:], s.logD[m:])
		for i := len(s.logD) - int(m); i < len(s.logD); i++ {
			s.logD[i] = Ev{}
		}
		s.nD -= m
		s.r[0].posD -= m
	}
	if s.inc == 0 { // no restore: what is checkpointed has left the logs, the numbers no longer matter
		if s.nT == 0 || s.logT[0].rv > s.ckT {
			s.ckT = 0
		}
		if s.nD == 0 || s.logD[0].rv > s.ckD {
			s.ckD = 0
		}
		if s.r[0].pw&1 == 0 {
			s.r[0].clT = 0
		}
		if s.r[0].pw&2 == 0 {
			s.r[0].clD = 0
		}
	}
}

// position after a (re)connect from a checkpoint
func (s *State) from(rv uint8, d bool) uint8 {
	i := uint8(0)
	if d {
		for i < s.nD && s.logD[i].rv <= rv {
			i++
		}
		return i
	}
	for i < s.nT && s.logT[i].rv <= rv {
		i++
	}
	return i
}

func (s *State) push(q int, m Msg) {
	if int(s.qn[q]) == QN {
		s.viol |= vOVER
		return
	}
	s.q[q][s.qn[q]] = m
	s.qn[q]++
}
func (s *State) sendRv(c *Cfg, q int, m Msg) {
	b := uint32(1) << m.rv
	k := 0
	if c.dedInc {
		k = int(m.inc & 1)
	}
	if !c.noWindow && s.dedRv[k][q]&b != 0 {
		return
	}
	s.dedRv[k][q] |= b
	s.push(q, m)
}
func (s *State) sendDep(c *Cfg, m Msg) bool {
	b := uint32(1) << m.rv
	k := 0
	if c.dedInc {
		k = int(m.inc & 1)
	}
	if m.lst == 1 { // resync queue
		if !c.noWindow && s.dedDepL[k][m.grp]&b != 0 {
			return false
		}
		s.dedDepL[k][m.grp] |= b
		s.push(1, m)
		return true
	}
	if !c.noWindow && s.dedDep[k][m.grp]&b != 0 {
		return false
	}
	s.dedDep[k][m.grp] |= b
	s.push(0, m)
	return true
}
func (s *State) sendDue(c *Cfg, t, val, ep uint8) bool {
	id := uint16(val|t<<7)<<8 | uint16(ep) | 0
	if !c.noWindow {
		for _, x := range s.dedDue {
			if x == id {
				return false
			}
		}
	}
	// sorted insert (set semantics)
	i := 0
	for i < len(s.dedDue) && s.dedDue[i] != 0 && s.dedDue[i] < id {
		i++
	}
	if c.noWindow {
	} else if s.dedDue[len(s.dedDue)-1] != 0 {
		s.viol |= vOVER
	} else {
		copy(s.dedDue[i+1:], s.dedDue[i:len(s.dedDue)-1])
		s.dedDue[i] = id
	}
	s.push(0, Msg{cause: cDUE, grp: t, aux: val, ep: ep, inc: s.it[t].inc})
	return true
}
func (s *State) remove(q, i int) {
	copy(s.q[q][i:], s.q[q][i+1:])
	s.q[q][QN-1] = Msg{}
	s.qn[q]--
}

func inPass(w *Worker) bool {
	return w.pc >= READT && w.pc <= CLRD || w.pc == PRECLEAN || w.pc == PREREAD || w.pc == DEFER || w.pc == BUMP || w.pc == FG1 || w.pc == FG2
}
func (s *State) ownerAlive(c *Cfg, t int) bool {
	it := &s.it[t]
	if it.owner == 0 {
		return false
	}
	w := &s.w[it.owner-1]
	if int(w.grp) != t || w.epoch != it.epoch {
		return false
	}
	return inPass(w) || (w.pc == ACQ || w.pc == RB) && w.amb == it.epoch
}
func (s *State) idle(c *Cfg) bool {
	if s.qn[0] != 0 || s.qn[1] != 0 || s.swPc != 0 || s.rsPc != 0 || s.late.on != 0 {
		return false
	}
	for i := 0; i < c.nw; i++ {
		if s.w[i].pc != IDLE {
			return false
		}
	}
	for i := range s.wk {
		if s.wk[i].on != 0 {
			return false
		}
	}
	if s.ckIncT != s.inc || s.ckIncD != s.inc {
		return false
	}
	for i := range s.r {
		r := &s.r[i]
		if r.on == 0 {
			continue
		}
		if r.posT != s.nT || r.posD != s.nD || r.broken != 0 || r.pc != 0 || r.rl != 0 || r.pw != 0 || r.inc != s.inc {
			return false
		}
	}
	return true
}
func (s *State) isDue(c *Cfg, t int) bool {
	it := &s.it[t]
	if it.ex == 0 || it.due == 0 {
		return false
	}
	switch {
	case it.due >= dP:
		return s.idle(c)
	case it.due >= dL && it.due < dN:
		if it.owner != 0 && it.epoch == it.due-dL && it.expired == 0 {
			return c.skewGrace
		}
	}
	return true
}

func (w *Worker) done() { *w = Worker{} }

type Emit func(n *State, what uint8, a, b uint8, fault bool)

const (
	aUserT = iota
	aUserD
	aDdel
	aDcreate
	aTdel
	aTcreate
	aDrift
	aRelT
	aRelD
	aCkT
	aCkD
	aRelCrash
	aRecv
	aStep
	aCrash
	aVisOrphan
	aVisLive
	aExpDead
	aExpLive
	aSwQuery
	aSwSend
	aSwPush
	aSwCrash
	aRsList
	aRsSend
	aGapD
	aGapT
	aReplicate
	aTick
	aRestore
	aRelist
	aRelistSend
	aRelQ
	aRel2
	aWkCheck
	aWkSend
	aWkLost
	aSwFar
	aGiveBack
	aGiveBackLease
	aGiveFrozen
	aCrashSent
	aLand
)

var actName = []string{"user changes T.spec", "user changes D", "D deleted", "D recreated", "T deleted", "T recreated (new uid)", "child D drifts (owned field)",
	"relay sends T event", "relay sends D event", "relay checkpoint T", "relay checkpoint D", "RELAY CRASH", "receive", "step", "CRASH worker",
	"visibility of dead worker's message ends", "VISIBILITY ENDS while worker runs", "lease of dead owner expires", "LEASE EXPIRES while owner runs",
	"sweep reads base item", "sweep sends", "sweep pushes dueAt", "SWEEP CRASH", "resync lists", "resync compares and sends", "WATCH GAP (410) D kind: relist", "WATCH GAP (410) T kind: relist", "edge replicated", "resync message for T", "CLUSTER RESTORED to the snapshot", "relay lists", "relay sends what it listed", "relay queries edges", "SECOND RELAY takes over (first still runs)", "wake checks the item", "wake sends", "WAKE HANDLER CRASH", "sweep sends the far wake", "what a process held that is gone is given back", "the lease of a process that is gone is given back", "FROZEN PROCESS IS GIVEN BACK", "CRASH worker, its status write is on its way", "the status write of a process that is gone arrives"}

func next(c *Cfg, s *State, emit Emit) {
	// ---- user
	if s.bT > 0 && s.tEx == 1 {
		n := *s
		n.bT--
		n.rv++
		n.clk++
		n.tSpec ^= 1
		n.tRv, n.tSpecRv = n.rv, n.clk
		n.addT(Ev{0, n.tUid, n.rv})
		emit(&n, aUserT, 0, 0, true)
	}
	if s.bD > 0 && s.dEx == 1 {
		n := *s
		n.bD--
		n.rv++
		n.clk++
		n.dVal ^= 1
		n.dRv, n.dValRv = n.rv, n.clk
		n.addD(Ev{0, 0, n.rv})
		emit(&n, aUserD, 0, 0, true)
	}
	if s.bF > 0 && s.dEx == 1 && s.dF == 1 {
		n := *s
		n.bF--
		n.rv++
		n.clk++
		n.dF = 0
		n.dRv = n.rv
		n.addD(Ev{0, 0, n.rv})
		emit(&n, aDrift, 0, 0, true)
	}
	if s.bDdel > 0 {
		n := *s
		n.bDdel--
		n.rv++
		n.clk++
		n.dValRv = n.clk
		if s.dEx == 1 {
			n.dEx, n.dRv = 0, 0
			n.addD(Ev{1, 0, n.rv})
			emit(&n, aDdel, 0, 0, true)
		} else {
			n.dEx, n.dRv = 1, n.rv
			n.addD(Ev{0, 0, n.rv})
			emit(&n, aDcreate, 0, 0, true)
		}
	}
	if s.bTdel > 0 {
		n := *s
		n.bTdel--
		n.rv++
		n.clk++
		if s.tEx == 1 {
			n.tEx = 0
			n.addT(Ev{1, n.tUid, n.rv})
			emit(&n, aTdel, 0, 0, true)
		} else if s.tUid == 0 {
			n.tEx, n.tUid, n.tRv, n.tSpecRv, n.tStatus = 1, 1, n.rv, n.clk, 7
			n.addT(Ev{0, 1, n.rv})
			emit(&n, aTcreate, 0, 0, true)
		}
	}
	relay(c, s, emit)
	if s.bTick > 0 && s.tEx == 1 {
		n := *s
		n.bTick--
		n.push(1, Msg{cause: cRESYNC, grp: n.tUid, rv: n.tRv, inc: n.inc})
		emit(&n, aTick, 0, 0, true)
	}
	// ---- resync: list, then compare with the inventory
	if s.rsPc == 0 && s.bRs > 0 {
		n := *s
		n.bRs--
		n.rsPc, n.rsEx, n.rsUid, n.rsRv = 1, n.tEx, n.tUid, n.tRv
		emit(&n, aRsList, 0, 0, false)
	}
	if s.rsPc == 1 {
		n := *s
		for u := uint8(0); u < 2; u++ {
			known := n.it[u].ex == 1
			inList := n.rsEx == 1 && n.rsUid == u
			if inList && (!known || n.it[u].obs != n.rsRv) {
				n.push(1, Msg{cause: cRESYNC, grp: u, rv: n.rsRv, inc: n.inc})
			} else if known && !inList {
				n.push(1, Msg{cause: cDELETED, grp: u, inc: n.inc})
			}
		}
		n.rsPc, n.rsEx, n.rsUid, n.rsRv = 0, 0, 0, 0
		emit(&n, aRsSend, 0, 0, false)
	}
	// ---- sweep
	if s.swPc == 0 {
		for t := 0; t < 2; t++ {
			if s.isDue(c, t) {
				n := *s
				n.swPc, n.swT, n.swVal, n.swEp = 1, uint8(t), s.it[t].due, s.it[t].epoch
				emit(&n, aSwQuery, uint8(t), 0, false)
			}
		}
	} else if s.swPc == 1 {
		n := *s
		acc := n.sendDue(c, n.swT, n.swVal, n.swEp)
		n.swPc = 2
		b := uint8(0)
		if acc {
			b = 1
		}
		emit(&n, aSwSend, n.swT, b, false)
	} else {
		n := *s
		it := &n.it[n.swT]
		if it.ex == 1 && it.due == n.swVal && (!c.pushEp || it.epoch == n.swEp) {
			n.pushK++
			it.due = dP + n.pushK
		}
		n.swPc, n.swT, n.swVal, n.swEp = 0, 0, 0, 0
		emit(&n, aSwPush, s.swT, 0, false)
	}
	if s.swPc != 0 && s.bSw > 0 {
		n := *s
		n.bSw--
		n.swPc, n.swT, n.swVal, n.swEp = 0, 0, 0, 0
		emit(&n, aSwCrash, 0, 0, true)
	}
	for t := 0; t < 2; t++ {
		if s.swPc == 0 && s.it[t].ex == 1 && s.it[t].far == 1 && s.it[t].due != 0 && s.it[t].due < dP {
			n := *s
			n.it[t].far = 0
			n.addWk(Wk{1, uint8(t), s.it[t].due, s.it[t].epoch, 0, 0})
			emit(&n, aSwFar, uint8(t), 0, false)
		}
	}
	// ---- wakes
	for k := range s.wk {
		q := s.wk[k]
		if q.on == 0 {
			continue
		}
		it := &s.it[q.t]
		if q.pc == 1 {
			n := *s
			acc := n.sendDue(c, q.t, q.due, q.sep)
			n.wk[k] = Wk{}
			n.sortWk()
			b := uint8(0)
			if acc {
				b = 1
			}
			emit(&n, aWkSend, q.t, b, false)
			if s.bWk > 0 {
				n := *s
				n.bWk--
				n.wk[k].pc, n.wk[k].sep = 0, 0
				n.sortWk()
				emit(&n, aWkLost, q.t, 0, true)
			}
			continue
		}
		if q.due >= dL && q.due < dN && it.ex == 1 && it.owner != 0 && it.epoch == q.due-dL && it.expired == 0 {
			continue // its time has not come
		}
		n := *s
		same := it.ex == 1 && it.due == q.due
		ok := same && (!c.wkEp || it.epoch == q.ep)
		b := uint8(0)
		if ok {
			b = 1
			n.wk[k].pc, n.wk[k].sep = 1, it.epoch
			if c.wkMsgEp {
				n.wk[k].sep = q.ep
			}
		} else {
			if same {
				n.viol |= vDROP
				b = 2
			}
			n.wk[k] = Wk{}
		}
		n.sortWk()
		emit(&n, aWkCheck, q.t, b, false)
	}
	// ---- lease expiry
	for t := 0; t < 2; t++ {
		it := &s.it[t]
		if it.ex == 1 && it.owner != 0 && it.expired == 0 {
			if !s.ownerAlive(c, t) {
				n := *s
				n.it[t].expired = 1
				emit(&n, aExpDead, uint8(t), 0, false)
			} else if s.bExp > 0 {
				n := *s
				n.bExp--
				n.it[t].expired = 1
				emit(&n, aExpLive, uint8(t), 0, true)
			}
		}
	}
	if c.staleEdge {
		for t := 0; t < 2; t++ {
			if s.ed[t].fresh == 1 {
				n := *s
				n.ed[t].fresh = 0
				emit(&n, aReplicate, uint8(t), 0, false)
			}
		}
	}
	// ---- queues: visibility, receive
	for q := 0; q < 2; q++ {
		var blocked [3]bool
		for i := 0; i < int(s.qn[q]); i++ {
			m := &s.q[q][i]
			if m.holder != 0 {
				blocked[m.grp] = true
				live := m.holder < ORPHAN
				if !live || s.bVis > 0 {
					n := *s
					if live {
						n.bVis--
					}
					n.q[q][i].holder = 0
					if c.maxRecv > 0 && m.rc >= c.maxRecv {
						n.dlq[m.grp] = 1
						n.remove(q, i)
					}
					if live {
						emit(&n, aVisLive, uint8(q), m.grp, true)
					} else {
						emit(&n, aVisOrphan, uint8(q), m.grp, false)
					}
				}
				continue
			}
			if blocked[m.grp] {
				continue
			}
			blocked[m.grp] = true
			for w := 0; w < c.nw; w++ {
				if s.w[w].pc != IDLE {
					continue
				}
				n := *s
				mm := &n.q[q][i]
				mm.holder = uint8(w + 1)
				if c.maxRecv > 0 {
					mm.rc++
				}
				x := &n.w[w]
				*x = Worker{pc: ACQ, cause: m.cause, grp: m.grp, rv: m.rv, aux: m.aux, mep: m.ep, minc: m.inc, lst: m.lst}
				if m.cause == cDEV {
					x.pc = EXPQ
				} else if c.earlyClk {
					x.clock = s.mxE[m.grp]
				}
				if c.parEarly && m.grp < 2 && n.it[m.grp].depIn == 1 {
					x.prefetch(c, s)
				}
				emit(&n, aRecv, uint8(w), uint8(q), false)
				break // symmetric workers: the first idle one
			}
		}
	}
	// ---- what a process held that is gone
	for w := 0; w < c.nw; w++ {
		lease := false
		for t := range s.it {
			lease = lease || s.it[t].gone == 1 && s.it[t].owner == uint8(w+1)
		}
		if !lease && !s.heldAs(GONE+uint8(w)) {
			continue
		}
		n := *s
		n.giveBackLeases(c, w, true)
		what := uint8(aGiveBackLease)
		if !c.gbApart || !lease {
			n.giveBackMessages(GONE + uint8(w))
			what = aGiveBack
		}
		emit(&n, what, uint8(w), 0, false)
	}
	if s.late.on == 1 {
		n := *s
		n.late = Late{}
		if l := s.late; s.tEx == 1 && s.tUid == l.t && s.tRv == l.rv {
			n.writeStatus(c, l.t, l.want, l.spec, l.tRd, l.dRd)
		}
		emit(&n, aLand, 0, 0, false)
	}
	// ---- workers
	for w := 0; w < c.nw; w++ {
		if s.w[w].pc == IDLE {
			continue
		}
		if s.bCrash > 0 {
			n := *s
			n.bCrash--
			n.die(c, w)
			emit(&n, aCrash, uint8(w), 0, true)
			if x := &s.w[w]; s.bLate > 0 && x.pc == STAT && f(x.spec, x.dEx, x.dVal) != x.status {
				n.bLate--
				n.late = Late{1, x.grp, x.tRv, f(x.spec, x.dEx, x.dVal), x.spec, x.tRd, x.dRd}
				emit(&n, aCrashSent, uint8(w), 0, true)
			}
		}
		if s.bFroz > 0 {
			n := *s
			n.bFroz--
			n.giveBackLeases(c, w, false)
			n.giveBackMessages(uint8(w + 1))
			emit(&n, aGiveFrozen, uint8(w), 0, true)
		}
		step(c, s, w, emit)
	}
}

func (c *Cfg) owns(it *Item, me uint8) bool { return it.owner == me || c.oneOwner && it.owner != 0 }

func (s *State) orphan(w int) { s.hold(uint8(w+1), ORPHAN) }
func (s *State) hold(from, to uint8) {
	for q := 0; q < 2; q++ {
		for i := 0; i < int(s.qn[q]); i++ {
			if s.q[q][i].holder == from {
				s.q[q][i].holder = to
			}
		}
	}
}
func (s *State) holds(w int) bool { return s.heldAs(uint8(w + 1)) }
func (s *State) heldAs(holder uint8) bool {
	for q := 0; q < 2; q++ {
		for i := 0; i < int(s.qn[q]); i++ {
			if s.q[q][i].holder == holder {
				return true
			}
		}
	}
	return false
}

// The place of a worker that died is taken by a new process.
func (s *State) die(c *Cfg, w int) {
	if !c.giveBack {
		s.orphan(w)
	} else {
		s.hold(uint8(w+1), GONE+uint8(w))
		for t := range s.it {
			if s.it[t].owner == uint8(w+1) {
				s.it[t].gone = 1
			}
		}
	}
	s.w[w].done()
}
func (s *State) giveBackLeases(c *Cfg, w int, gone bool) {
	for t := range s.it {
		i := &s.it[t]
		if i.owner != uint8(w+1) || gone && i.gone != 1 {
			continue
		}
		i.gone = 0
		if c.gbKeepLease {
			i.gone = 2
			continue
		}
		i.owner, i.expired = 0, 0
		if c.gbEpoch == 1 {
			i.epoch = i.cEp
		} else if c.gbEpoch == 2 {
			i.epoch, i.cEp = 0, 0
		}
		if (c.gbMarks || c.gbDirty) && i.dirty == 1 {
			i.clean()
			if c.gbMarks {
				i.due = 0
			}
		}
	}
}
func (s *State) giveBackMessages(holder uint8) { s.hold(holder, 0) }
func (s *State) ack(w int) {
	for q := 0; q < 2; q++ {
		for i := 0; i < int(s.qn[q]); i++ {
			if s.q[q][i].holder == uint8(w+1) {
				s.remove(q, i)
				return
			}
		}
	}
}

func covered(c *Cfg, w *Worker, it *Item) bool {
	if it.ex == 0 {
		return it.kept != 0 && w.cause == cDUE // it went with the item
	}
	if c.incr && it.inc != w.minc && w.cause != cDUE && !(c.selfInc && w.cause == cSELF) {
		return false
	}
	ge := func(have uint8) bool {
		if c.lstEq && w.lst == 1 {
			return have == w.rv
		}
		return have >= w.rv
	}
	switch w.cause {
	case cWATCH:
		return it.obs != 0 && ge(it.obs)
	case cDEP:
		return it.depIn == 1 && it.depVer != 0 && ge(it.depVer) || c.selfAny && it.obs >= w.rv
	case cSELF: // the last pass read no list: only the version observed tells
		return w.aux == 0 && it.obs != 0 && ge(it.obs)
	case cDUE:
		return c.dueCov && it.cEp > w.mep
	}
	return false
}

// may the pass commit although the item is dirty?
func observed(c *Cfg, it *Item, w *Worker) bool {
	if it.dAny == 1 {
		return false
	}
	if c.dIncMark && c.incr && it.dI != w.minc {
		return false
	}
	if c.dm == 4 {
		return w.obs >= it.dT || w.used == 1 && w.dVer >= it.dT
	}
	if it.dT != 0 && w.obs < it.dT {
		return false
	}
	if it.dD != 0 && !(w.used == 1 && w.dVer != 0 && w.dVer >= it.dD) {
		return false
	}
	return true
}

func (it *Item) clean() { it.dirty, it.dT, it.dD, it.dAny, it.dI = 0, 0, 0, 0, 0 }

func (it *Item) mark(c *Cfg, w *Worker) {
	was := it.dirty
	it.dirty = 1
	if c.dm == 0 {
		return
	}
	k := 0
	if w.cause == cWATCH || w.cause == cSELF && w.aux == 0 {
		k = 1
	} else if w.cause == cDEP && w.aux == 0 {
		k = 2
	}
	if c.dIncMark && c.incr {
		if was == 1 && it.dI != w.minc {
			it.dAny = 1
		}
		it.dI = w.minc
	}
	switch c.dm {
	case 1, 4: // last writer wins
		any := it.dAny == 1 && c.dIncMark
		it.dT, it.dD, it.dAny = 0, 0, 0
		if any {
			it.dAny = 1
		}
		switch {
		case k == 1, k == 2 && c.dm == 4:
			it.dT = w.rv
		case k == 2:
			it.dD = w.rv
		default:
			it.dAny = 1
		}
	case 2:
		if k == 0 || was == 1 && (k == 1 && it.dD != 0 || k == 2 && it.dT != 0) {
			it.dAny, it.dT, it.dD = 1, 0, 0
		} else if it.dAny == 0 {
			if k == 1 && it.dT < w.rv {
				it.dT = w.rv
			} else if k == 2 && it.dD < w.rv {
				it.dD = w.rv
			}
		}
	case 3:
		switch {
		case k == 1 && it.dT < w.rv:
			it.dT = w.rv
		case k == 2 && it.dD < w.rv:
			it.dD = w.rv
		case k == 0:
			it.dAny = 1
		}
	}
}

func step(c *Cfg, s *State, wi int, emit Emit) {
	W := s.w[wi]
	t := W.grp
	me := uint8(wi + 1)
	st := func(n *State, note uint8, fault bool) { emit(n, aStep, uint8(wi), note, fault) }
	switch W.pc {
	case ACQ:
		it := s.it[t]
		if W.amb != 0 && it.ex == 1 && it.owner == me && it.epoch == W.amb && it.expired == 0 { // ours
			n := *s
			x := &n.w[wi]
			x.amb, x.pc = 0, READT
			x.lastDep = n.it[t].depIn
			x.drop = n.it[t].drop
			st(&n, 1, false)
			return
		}
		if c.staleDue && W.cause == cDUE && it.ex == 1 && it.epoch != W.mep {
			n := *s
			n.w[wi].pc = DEL
			st(&n, 8, false)
			return
		}
		free := it.ex == 0 || it.owner == 0 || it.expired == 1
		cov := covered(c, &W, &it)
		tryFail := func() {
			n := *s
			n.w[wi].pc = RB
			if c.refCov && !cov && !free {
				m := *s
				m.w[wi].pc = DEL
				st(&m, 5, false)
			}
			if c.oldItem {
				step(c, &n, wi, emit)
				return
			}
			if c.cmp {
				n.w[wi].oldDec = decide(c, &W, &it, me)
			}
			st(&n, 2, false)
		}
		forgotten := it.ex == 0 && it.kept != 0
		if !free || cov || forgotten && W.named != it.kept && !c.noName {
			tryFail()
			return
		}
		if c.slowClock && it.ex == 1 && it.owner != 0 && it.expired == 1 && s.bAmb > 0 { // this worker's clock still sees it held
			n := *s
			n.bAmb--
			n.w[wi].pc = RB
			n.w[wi].seen = 200
			if c.oldItem {
				step(c, &n, wi, func(m *State, what, a, b uint8, _ bool) { emit(m, what, a, b, true) })
			} else {
				st(&n, 3, true)
			}
		}
		apply := func(n *State) *Worker {
			i := &n.it[t]
			if i.ex == 0 && c.epTime {
				i.epoch = n.mxE[t]
				if c.earlyClk {
					i.epoch = W.clock
				}
				i.cEp = i.epoch
			}
			if i.kept != 0 {
				i.epoch, i.cEp, i.kept = i.kept, i.kept, 0
			}
			n.w[wi].named = 0
			i.ex, i.owner, i.expired, i.gone = 1, me, 0, 0
			i.clean()
			i.epoch++
			if c.epTime && i.epoch > n.mxE[t] {
				n.mxE[t] = i.epoch
			}
			if i.epoch > 15 {
				n.viol |= vOVER
			}
			if c.acqDue {
				i.due = dL + i.epoch
			}
			if c.acqClearsDue {
				i.due = 0
			}
			x := &n.w[wi]
			x.epoch = i.epoch
			if c.incEdges && i.inc != x.minc {
				x.reput = 1
			}
			return x
		}
		n := *s
		x := apply(&n)
		x.amb, x.pc = 0, READT
		x.lastDep = n.it[t].depIn
		x.drop = n.it[t].drop
		note := uint8(0)
		if c.crash != 0 && n.it[t].epoch-n.it[t].cEp > 1 {
			note = 20
			if c.crash == 1 {
				x.pc, x.why = DEFER, 1
			} else {
				n.it[t].fail += n.it[t].epoch - n.it[t].cEp - 1
				n.it[t].cEp = n.it[t].epoch - 1
				if c.bound > 0 && n.it[t].fail >= c.bound {
					n.it[t].fail--
					x.pc, x.why = DEFER, 1
				}
			}
		}
		st(&n, note, false)
		if c.par && x.pc == READT && x.lastDep == 1 && x.reput == 0 {
			m := n
			m.w[wi].pc = PREREAD
			if c.parSafe {
				m.w[wi].known = s.it[t].obs
			}
			st(&m, note, false)
		}
		if s.bOver > 0 && x.pc == READT {
			n := *s
			n.bOver--
			x := apply(&n)
			x.amb, x.pc, x.why = 0, DEFER, 2
			if c.ovAck {
				n.ack(wi)
			}
			st(&n, 21, true)
		}
		if s.bAmb > 0 {
			n := *s
			n.bAmb--
			x := apply(&n)
			x.amb = x.epoch
			x.pc = ACQ
			st(&n, 4, true)
		}
	case RB:
		n := *s
		it := &n.it[t]
		x := &n.w[wi]
		heldSeen := x.seen == 200
		x.seen = 0
		if c.cmp {
			decided[x.oldDec][decide(c, &W, it, me)]++
			x.oldDec = 0
		}
		if covered(c, &W, it) {
			x.pc = DEL
			st(&n, 5, false)
		} else if it.ex == 1 && it.owner == me && W.amb != 0 && it.epoch == W.amb {
			x.pc = ACQ
			st(&n, 1, false)
		} else if c.oursAny && it.ex == 1 && it.owner != 0 && it.expired == 0 {
			x.pc, x.epoch, x.amb = READT, it.epoch, 0
			st(&n, 1, false)
		} else if it.ex == 1 && it.owner != 0 && (it.expired == 0 || heldSeen) {
			x.pc = MARK
			x.seen = it.epoch
			st(&n, 6, false)
		} else if it.ex == 0 && it.kept != 0 {
			x.named, x.pc = it.kept, LOOK
			st(&n, 25, false)
		} else {
			x.pc = ACQ
			st(&n, 7, false)
		}
	case LOOK: // would the lease last before the message comes to another one?
		n := *s
		x := &n.w[wi]
		if c.noLook || s.holds(wi) {
			x.pc = ACQ
			st(&n, 0, false)
		} else {
			x.done()
			st(&n, 26, false)
		}
	case MARK:
		it := s.it[t]
		if it.ex == 1 && it.owner != 0 && it.epoch == W.seen {
			l := dL + it.epoch
			opts := []uint8{l}
			if !c.markAlways {
				switch {
				case it.due == 0 || it.due >= dP || it.due == l:
				case it.due >= dL && it.due < dN: // an older lease's end: earlier, stays
					opts = []uint8{it.due}
				default: // a retry time or now: whichever is earlier
					opts = []uint8{it.due, l}
				}
			}
			for _, d := range opts {
				n := *s
				i := &n.it[t]
				if i.gone == 2 {
					n.viol |= vWAIT
				}
				i.mark(c, &W)
				if !c.markNoDue {
					i.due = d
				}
				n.w[wi].pc = DEL
				n.w[wi].seen = 0
				st(&n, 0, false)
			}
		} else {
			n := *s
			n.w[wi].seen = 0
			n.w[wi].pc = ACQ
			if c.markFailAck {
				n.w[wi].pc = DEL
			}
			st(&n, 9, false)
		}
	case PREREAD:
		n := *s
		n.w[wi].prefetch(c, s)
		n.w[wi].pc = READT
		st(&n, 0, false)
	case READT:
		n := *s
		x := &n.w[wi]
		if s.tEx == 0 || s.tUid != t {
			x.pc = FG1
			if c.fgItemFirst {
				x.pc = FG2
			}
			st(&n, 10, false)
			return
		}
		if s.bFail > 0 { // the read fails: retry outcome with nothing read
			n := *s
			n.bFail--
			x := &n.w[wi]
			x.out, x.pc, x.used, x.dVer = 1, COMMIT, 0, 0
			x.obs = s.it[t].obs
			x.tRd, x.dRd = s.it[t].gTr, s.it[t].gDr
			if c.retryDropsDeps == false && x.lastDep == 1 {
				x.used, x.dVer = 1, s.it[t].depVer
			}
			st(&n, 11, true)
		}
		x.tRv, x.spec, x.status, x.tRd, x.obs = s.tRv, s.tSpec, s.tStatus, s.clk, s.tRv
		if c.incr {
			x.tRd = s.tSpecRv
		}
		if c.passDetect && c.incr && s.it[t].obs > s.tRv && s.it[t].inc == s.inc {
			n.inc++
		}
		if c.dRerunCache && x.cache == 1 && x.spec == 1 && x.used == 1 {
			x.out, x.pc = 0, STAT
			st(&n, 0, false)
			return
		}
		if x.cache == 2 && c.parSafe && s.tRv != W.known && !(W.cause == cWATCH && W.rv == s.tRv) {
			x.cache, x.dF = 0, 0
		}
		x.known = 0
		if x.cache == 2 {
			x.cache = 0
			dF := x.dF
			x.dF = 0
			if x.spec == 1 {
				x.dF = dF
				x.used, x.out, x.pc = 1, 0, STAT
				st(&n, 0, false)
				return
			}
			if c.parKeep {
				x.used, x.out, x.pc, x.cache = 0, 0, STAT, 3
				st(&n, 0, false)
				return
			}
		}
		x.used, x.dVer, x.dVal, x.dEx, x.dRd, x.out = 0, 0, 0, 0, 0, 0
		if x.spec == 1 {
			if c.listRead {
				if s.dEx == 0 {
					x.dRd = s.clk
					x.pc = STAT
					st(&n, 12, false)
					return
				}
			}
			if x.lastDep == 1 && x.reput == 0 || x.edgeMine == 1 || c.edgeAfter {
				x.pc = READD
			} else {
				x.pc = EDGE
			}
		} else {
			x.pc = STAT
		}
		st(&n, 0, false)
	case EDGE:
		n := *s
		x := &n.w[wi]
		e := &n.ed[t]
		if c.edgeTx {
			i := &n.it[t]
			if !(i.ex == 1 && c.owns(i, me) && i.epoch == W.epoch) {
				x.pc = NACK
				st(&n, 15, false)
				return
			}
			i.drop = 1
		}
		if !c.edgeCond || e.ex == 0 || e.epoch < x.epoch {
			if e.ex == 0 {
				e.fresh = 0
				if c.staleEdge {
					e.fresh = 1
				}
				e.told = 0
			}
			e.ex, e.epoch = 1, x.epoch
		}
		x.edgeMine = 1
		if c.edgeAfter {
			x.pc = STAT
		} else {
			x.pc = READD
		}
		st(&n, 0, false)
	case READD:
		n := *s
		x := &n.w[wi]
		x.used, x.dRd = 1, s.clk
		if c.incr {
			x.dRd = s.dValRv
		}
		x.dEx, x.dVer, x.dVal, x.dF = s.dEx, s.dRv, s.dVal, s.dF
		if s.dEx == 0 {
			x.dVer, x.dVal, x.dF = 0, 0, 1
		}
		x.pc = STAT
		if c.edgeAfter && x.lastDep == 0 && x.edgeMine == 0 {
			x.pc = EDGE
		}
		if c.readTwice {
			x.pc = READD2
		}
		if c.child && x.dF == 0 {
			x.pc = APPLY
		}
		st(&n, 0, false)
	case READD2:
		n := *s
		x := &n.w[wi]
		x.pc = STAT
		if c.recLast {
			if s.dEx == 1 {
				x.dVer = s.dRv
			} else {
				x.dVer = 0
			}
		}
		st(&n, 0, false)
	case APPLY:
		n := *s
		x := &n.w[wi]
		x.dF = 0
		if s.dEx == 0 || c.childPre && s.dRv != W.dVer {
			x.out, x.pc = 1, COMMIT
			st(&n, 13, false)
			return
		}
		if s.dF == 0 {
			n.rv++
			n.clk++
			n.dF, n.dRv = 1, n.rv
			n.addD(Ev{0, 0, n.rv})
		}
		x.dVer = n.dRv // "covered too"
		x.pc = STAT
		st(&n, 0, false)
	case STAT, STAT2:
		if W.pc == STAT && s.bFail > 0 {
			n := *s
			n.bFail--
			x := &n.w[wi]
			x.out, x.pc = 1, COMMIT
			st(&n, 11, true)
		}
		want := f(W.spec, W.dEx, W.dVal)
		if want == W.status {
			n := *s
			n.w[wi].pc = COMMIT
			st(&n, 14, false)
			return
		}
		ok := s.tEx == 1 && s.tUid == t && (s.tRv == W.tRv || c.statusNoRv)
		if !ok {
			n := *s
			x := &n.w[wi]
			x.out, x.pc = 1, COMMIT
			if c.obsAfter409 && s.tEx == 1 {
				x.obs = s.tRv
			}
			st(&n, 13, false)
			return
		}
		wr := func(n *State) { n.writeStatus(c, t, want, W.spec, W.tRd, W.dRd) }
		n := *s
		wr(&n)
		n.w[wi].obs = n.rv
		n.w[wi].pc = COMMIT
		st(&n, 0, false)
		if s.bAmb > 0 && W.pc == STAT {
			n := *s
			n.bAmb--
			wr(&n)
			n.w[wi].pc = STAT2
			st(&n, 4, true)
		}
	case PRECLEAN:
		n := *s
		e := &n.ed[t]
		if e.ex == 1 && e.epoch <= W.epoch {
			*e = Edge{}
		}
		n.w[wi].pc = COMMIT
		n.w[wi].drop = 2
		if !c.preKeep {
			n.w[wi].edgeMine = 0
		}
		st(&n, 0, false)
	case COMMIT, COMMIT2:
		if c.dropSet && W.pc == COMMIT && W.used == 0 && W.drop == 1 {
			s2 := *s
			s2.w[wi].pc = PRECLEAN
			step(c, &s2, wi, emit)
			return
		}
		it := s.it[t]
		mine := it.ex == 1 && (c.owns(&it, me) && (it.epoch == W.epoch || c.commitNoEp) || c.noFence)
		if !mine {
			n := *s
			x := &n.w[wi]
			if W.pc == COMMIT2 && (it.ex == 1 && it.owner == 0 && it.epoch == W.epoch || c.ambOK) {
				afterCommit(c, &n, wi)
				st(&n, 1, false)
				return
			}
			if c.ackLost {
				x.pc = DEL
			} else {
				x.pc = NACK
			}
			st(&n, 15, false)
			return
		}
		do := func(n *State, due uint8) {
			i := &n.it[t]
			x := &n.w[wi]
			if i.gTr > x.tRd && !c.incr {
				n.viol |= vMONO
			}
			if c.giveBack && i.owner != 0 && i.owner != me {
				n.viol |= vSTOLEN
			}
			i.owner, i.expired, i.gone = 0, 0, 0
			i.clean()
			i.inc = x.minc
			if c.incAtCommit {
				i.inc = n.inc
			}
			if c.crash != 0 || c.dueCov {
				i.cEp, i.fail = x.epoch, 0
			}
			i.far = 0
			x.wkDue = due
			i.obs, i.depIn, i.depVer, i.due = x.obs, x.used, x.dVer, due
			if x.cache == 3 { // planted
				i.depIn = 1
			}
			i.gTr, i.gDr, i.gOut, i.gUsed = x.tRd, x.dRd, x.out, x.used
			if x.used == 0 {
				n.ed[t].told = 0
				if c.dropSet {
					i.drop = 0
					if x.lastDep == 1 || x.edgeMine == 1 {
						i.drop = 1
					}
				}
			} else {
				i.drop = 0
			}
		}
		due := uint8(0)
		if W.out == 1 {
			due = dR + W.epoch
			if c.coarse {
				due = dR
			}
		}
		if it.dirty == 1 && !c.noDirty && !(c.dm > 0 && observed(c, &it, &W)) {
			n := *s
			n.w[wi].pc = CLRD
			st(&n, 16, false)
			n2 := *s
			do(&n2, dN+W.epoch)
			afterCommit(c, &n2, wi)
			st(&n2, 17, false)
			return
		}
		n := *s
		do(&n, due)
		afterCommit(c, &n, wi)
		cn := uint8(0)
		if it.dirty == 1 {
			cn = 22
		}
		st(&n, cn, false)
		if due != 0 && s.bFar > 0 {
			n := *s
			n.bFar--
			do(&n, due)
			n.w[wi].wkDue = 0
			n.it[t].far = 1
			afterCommit(c, &n, wi)
			st(&n, 23, false)
		}
		if s.bAmb > 0 && W.pc == COMMIT {
			n := *s
			n.bAmb--
			do(&n, due)
			n.w[wi].pc = COMMIT2
			st(&n, 4, true)
			n = *s
			n.bAmb--
			n.w[wi].pc = COMMIT2
			st(&n, 18, true)
		}
	case CLRD:
		n := *s
		x := &n.w[wi]
		i := &n.it[t]
		if i.ex == 1 && c.owns(i, me) && i.epoch == W.epoch {
			i.clean()
			x.pc = READT
			if c.par && x.lastDep == 1 && x.reput == 0 {
				m := n
				m.w[wi].pc = PREREAD
				if c.parSafe {
					m.w[wi].known = x.tRv
				}
				st(&m, 0, false)
			}
			if c.dRerunCache {
				x.cache = 1
			}
			st(&n, 0, false)
		} else {
			if c.ackLost {
				x.pc = DEL
			} else {
				x.pc = NACK
			}
			st(&n, 15, false)
		}
	case CLEAN:
		n := *s
		e := &n.ed[t]
		if e.ex == 1 && e.epoch <= W.epoch {
			*e = Edge{}
		}
		n.w[wi].pc = DEL
		st(&n, 0, false)
	case DEL:
		n := *s
		n.ack(wi)
		n.w[wi].done()
		st(&n, 0, false)
	case NACK:
		n := *s
		n.orphan(wi)
		n.w[wi].done()
		st(&n, 0, false)
	case FG1:
		n := *s
		x := &n.w[wi]
		if (W.lastDep == 1 || W.edgeMine == 1 || W.drop == 1 || c.selfHeal && W.cause == cDEP) && n.ed[t].ex == 1 && (c.fgUncond || n.ed[t].epoch <= W.epoch) {
			n.ed[t] = Edge{}
		} else if c.selfHeal && W.cause == cDEP && !c.relExp {
			n.ed[t] = Edge{} // the target is gone for good: no epoch condition needed
		}
		x.pc = FG2
		if c.fgItemFirst {
			x.pc = DEL
		}
		st(&n, 0, false)
	case FG2:
		n := *s
		x := &n.w[wi]
		i := &n.it[t]
		if i.ex == 1 && c.owns(i, me) && i.epoch == W.epoch && i.dirty == 1 && c.fgDirty {
			x.pc, x.lastDep, x.edgeMine = CLRD, 0, 0
			st(&n, 16, false)
		} else if i.ex == 1 && c.owns(i, me) && i.epoch == W.epoch {
			kept := i.epoch
			*i = Item{}
			if c.keepEp {
				i.kept = kept
			}
			x.pc = DEL
			n.ed[t].told = 0
			if c.fgItemFirst {
				x.pc = FG1
			}
			st(&n, 0, false)
		} else {
			if c.ackLost {
				x.pc = DEL
			} else {
				x.pc = NACK
			}
			st(&n, 15, false)
		}
	case DEFER:
		n := *s
		i := &n.it[t]
		x := &n.w[wi]
		if !(i.ex == 1 && c.owns(i, me) && i.epoch == W.epoch) {
			x.pc = NACK
			if c.ackLost {
				x.pc = DEL
			}
			st(&n, 15, false)
			return
		}
		i.owner, i.expired, i.gone = 0, 0, 0
		i.clean()
		i.due = dR + W.epoch
		i.cEp = W.epoch
		i.far = 0
		note := uint8(0)
		if W.why == 1 {
			i.fail++
			if c.bound > 0 && i.fail >= c.bound {
				note = 24
				if !c.boundKeep {
					i.due = 0
				}
			}
		}
		if c.ovObs && W.cause == cWATCH {
			i.obs = W.rv
		}
		if c.ovObs && W.cause == cDEP {
			i.depVer = W.rv
		}
		x.wkDue = i.due
		x.pc = DEL
		if c.wake && i.due != 0 {
			x.pc, x.next = WAKE, DEL
		}
		st(&n, note, false)
	case WAKE:
		n := *s
		x := &n.w[wi]
		n.addWk(Wk{1, t, W.wkDue, W.epoch, 0, 0})
		x.pc, x.next, x.wkDue = W.next, 0, 0
		st(&n, 0, false)
	case EXPQ:
		base := uint8(0)
		var freshMask uint8
		for u := uint8(0); u < 2; u++ {
			if s.ed[u].ex == 1 {
				base |= 1 << u
				if s.ed[u].fresh == 1 {
					freshMask |= 1 << u
				}
			}
		}
		for _, m := range []uint8{base, base &^ freshMask} {
			n := *s
			n.w[wi].send = m
			n.w[wi].pc = EXPS
			if m == 0 {
				n.w[wi].pc = DEL
			}
			st(&n, m, false)
			if freshMask == 0 {
				break
			}
		}
	case EXPS:
		n := *s
		x := &n.w[wi]
		for u := uint8(0); u < 2; u++ {
			if x.send&(1<<u) != 0 {
				x.send &^= 1 << u
				if n.sendDep(c, Msg{cause: cDEP, grp: u, rv: W.rv}) && n.ed[u].ex == 1 {
					n.ed[u].told = 1
				}
				break
			}
		}
		if x.send == 0 {
			x.pc = DEL
		}
		st(&n, 0, false)
	}
}

func (s *State) writeStatus(c *Cfg, t, want, spec, tRd, dRd uint8) {
	if c.incr && tRd != s.tSpecRv || !c.incr && tRd < s.tSpecRv && !c.statusNoRv {
		s.viol |= vI3
	}
	s.rv++
	s.clk++
	s.tRv, s.tStatus = s.rv, want
	s.addT(Ev{0, s.tUid, s.rv})
	if spec == 1 && s.it[t].gUsed == 1 && s.it[t].gDr > dRd && !c.incr {
		s.viol |= vI3
	}
}

// what a refused acquire decides from an item
func decide(c *Cfg, w *Worker, it *Item, me uint8) uint8 {
	switch {
	case covered(c, w, it):
		return 1
	case it.ex == 1 && it.owner == me && w.amb != 0 && it.epoch == w.amb:
		return 2
	case it.ex == 1 && it.owner != 0 && it.expired == 0:
		return 3
	}
	return 4
}

var decided [5][5]int
var decName = []string{"?", "covered", "ours", "held", "again"}

// what the last committed pass read is read now
func (x *Worker) prefetch(c *Cfg, s *State) {
	x.cache, x.dRd = 2, s.clk
	if c.incr {
		x.dRd = s.dValRv
	}
	x.dEx, x.dVer, x.dVal, x.dF = s.dEx, s.dRv, s.dVal, s.dF
	if s.dEx == 0 {
		x.dVer, x.dVal, x.dF = 0, 0, 1
	}
}

func afterCommit(c *Cfg, n *State, wi int) {
	x := &n.w[wi]
	x.pc = DEL
	if x.used == 0 {
		if x.lastDep == 1 || (!c.diffOnly && x.edgeMine == 1) || (c.selfHeal && x.cause == cDEP) {
			x.pc = CLEAN
		}
	}
	if c.wake && x.wkDue != 0 {
		x.next = x.pc
		x.pc = WAKE
	} else {
		x.wkDue = 0
	}
}

func (s *State) addWk(k Wk) {
	for i := range s.wk {
		if s.wk[i] == k {
			return
		}
	}
	if s.wk[len(s.wk)-1].on != 0 {
		s.viol |= vOVER
		return
	}
	s.wk[len(s.wk)-1] = k
	s.sortWk()
}
func (s *State) sortWk() {
	key := func(k Wk) uint64 {
		if k.on == 0 {
			return 1 << 60
		}
		return uint64(k.t)<<40 | uint64(k.due)<<32 | uint64(k.ep)<<16 | uint64(k.pc)<<8 | uint64(k.sep)
	}
	for i := 1; i < len(s.wk); i++ {
		for j := i; j > 0 && key(s.wk[j]) < key(s.wk[j-1]); j-- {
			s.wk[j], s.wk[j-1] = s.wk[j-1], s.wk[j]
		}
	}
}

// ---- properties of states
const (
	pLOST = iota
	pLATE
	pRETRY
	pMISSEDGE
	pLEAKEDGE
	pLEAKTOLD
	pLEAKITEM
	pMONO
	pI3
	pTWO
	pOVER
	pDROP
	pWAIT
	pSTOLEN
	nProps
)

var propName = []string{"LOST (I2)", "LATE (wakeup only after dedupe window)", "RETRYLOST", "MISSEDGE", "LEAKEDGE", "LEAKTOLD", "LEAKITEM", "MONO (I1 at commit)", "I3STRICT", "TWOPASSES", "OVERFLOW", "WAKEDROP (wake dropped, deadline unchanged)", "WAITS (a message waits for the lease of a process that is gone)", "STOLEN (a pass committed under the lease of another)"}

func check(c *Cfg, s *State) uint32 {
	var v uint32
	if s.viol&vMONO != 0 {
		v |= 1 << pMONO
	}
	if s.viol&vI3 != 0 {
		v |= 1 << pI3
	}
	if s.viol&vOVER != 0 {
		v |= 1 << pOVER
	}
	if s.viol&vDROP != 0 {
		v |= 1 << pDROP
	}
	if s.viol&vWAIT != 0 {
		v |= 1 << pWAIT
	}
	if s.viol&vSTOLEN != 0 {
		v |= 1 << pSTOLEN
	}
	for u := uint8(0); u < 2; u++ {
		if s.tEx == 1 && s.tUid == u && s.it[u].ex == 1 && s.it[u].depIn == 1 && s.ed[u].ex == 0 && s.it[u].inc == s.inc && s.inc == s.tl {
			gone := false
			for i := 0; i < c.nw; i++ {
				if s.w[i].pc == FG2 {
					gone = true
				}
			}
			if !gone {
				v |= 1 << pMISSEDGE
			}
		}
		k := 0
		for i := 0; i < c.nw; i++ {
			if s.w[i].grp == u && inPass(&s.w[i]) {
				k++
			}
		}
		if k > 1 {
			v |= 1 << pTWO
		}
	}
	if !s.idle(c) {
		return v
	}
	if c.dlqCounts && (s.dlq[0]|s.dlq[1]|s.dlq[2]) != 0 {
		return v
	}
	due := uint8(0)
	for u := 0; u < 2; u++ {
		if s.it[u].ex == 1 && s.it[u].due != 0 {
			if s.it[u].due >= dP {
				if due == 0 {
					due = 1
				}
			} else {
				due = 2
			}
		}
	}
	if due == 2 {
		return v
	}
	bad := false
	if s.tEx == 1 {
		it := &s.it[s.tUid]
		old := it.gTr < s.tSpecRv || s.tSpec == 1 && it.gDr < s.dValRv
		if c.incr {
			old = it.gTr != s.tSpecRv || s.tSpec == 1 && it.gDr != s.dValRv
		}
		if it.ex == 0 || old || s.tStatus != f(s.tSpec, s.dEx, s.dVal) {
			bad = true
		}
		if c.child && s.tSpec == 1 && s.dEx == 1 && s.dF == 0 {
			bad = true
		}
		if !bad && it.gOut != 0 {
			if due == 0 {
				v |= 1 << pRETRY
			} else {
				v |= 1 << pLATE
			}
		}
	}
	if bad {
		if due == 0 {
			v |= 1 << pLOST
		} else {
			v |= 1 << pLATE
		}
	}
	if due == 1 {
		return v
	}
	for u := uint8(0); u < 2; u++ {
		alive := s.tEx == 1 && s.tUid == u
		if s.ed[u].ex == 1 && !(s.it[u].ex == 1 && (s.it[u].depIn == 1 || s.it[u].drop == 1)) {
			v |= 1 << pLEAKEDGE
			if s.ed[u].told == 1 {
				v |= 1 << pLEAKTOLD
			}
		}
		if !alive && s.it[u].ex == 1 {
			v |= 1 << pLEAKITEM
		}
	}
	return v
}
