package main

import (
	"fmt"
	"strings"
)

// How the steps and states of the main model are written in a trace.

var notes = map[uint8]string{1: "ours (ambiguous retry recognised)", 2: "condition failed", 3: "slow clock: seen as held", 4: "APPLIED, REPLY LOST", 5: "covered", 6: "held", 7: "neither: try again", 8: "stale due: acknowledge", 9: "refused (no longer held)", 10: "404/other uid: gone", 11: "FAILS -> retry", 12: "list is empty", 13: "409 -> retry", 14: "no semantic change", 15: "lease lost", 16: "dirty: run again", 17: "dirty: commit, dueAt=now", 18: "REQUEST LOST (not applied)", 20: "earlier pass did not commit", 21: "OVER BUDGET", 22: "dirty, but by what this pass observed", 23: "deadline is far", 24: "past the bound: terminal", 25: "forgotten: reads the kept epoch", 26: "too late: its message may be with another one"}

func labelOf(s, n *State, what, a, b uint8) string {
	switch what {
	case aStep:
		x := fmt.Sprintf("W%d %s", a+1, pcName[s.w[a].pc])
		if s.w[a].pc == EXPQ {
			return fmt.Sprintf("%s edges=%b", x, b)
		}
		if b != 0 {
			x += ": " + notes[b]
		}
		return x
	case aRecv:
		w := n.w[a]
		return fmt.Sprintf("W%d receives %s(u%d rv%d) from q%d", a+1, causeName[w.cause], w.grp+1, w.rv, b)
	case aRelQ:
		return fmt.Sprintf("relay%d queries edges=%b", a+1, b)
	case aRelT, aRelD, aRelistSend:
		if s.r[1].on == 1 {
			return fmt.Sprintf("%s (relay%d)", actName[what], a+1)
		}
	case aCkT, aCkD:
		if b == 1 {
			return fmt.Sprintf("relay%d checkpoint refused: steps down", a+1)
		}
		if s.r[1].on == 1 {
			return fmt.Sprintf("%s (relay%d)", actName[what], a+1)
		}
	case aRelist:
		return fmt.Sprintf("relay%d %s", a+1, []string{"lists", "sees a newer incarnation", "lists, NEW INCARNATION"}[b])
	case aRelCrash:
		return fmt.Sprintf("relay%d %s", a+1, []string{"CRASHES, resumes from the checkpoint", "CRASHES, must relist", "ends"}[b])
	case aWkCheck:
		return "wake checks item: " + []string{"obsolete", "ok", "DROPPED though dueAt is unchanged"}[b]
	case aWkSend:
		if b == 0 {
			return "wake sends due -> SWALLOWED by dedupe"
		}
	case aCrash:
		return fmt.Sprintf("CRASH of W%d before %s", a+1, pcName[s.w[a].pc])
	case aGiveBack, aGiveBackLease, aGiveFrozen, aCrashSent:
		return fmt.Sprintf("%s (W%d)", actName[what], a+1)
	case aSwSend:
		if b == 0 {
			return fmt.Sprintf("sweep sends due:%s:%d -> SWALLOWED by dedupe", dueName(s.swVal), s.swEp)
		}
		return fmt.Sprintf("sweep sends due:%s:%d", dueName(s.swVal), s.swEp)
	case aVisOrphan, aVisLive:
		return fmt.Sprintf("%s q%d", actName[what], a)
	}
	return actName[what]
}
func dueName(d uint8) string {
	switch {
	case d == 0:
		return "-"
	case d >= dP:
		return fmt.Sprintf("pushed%d", d-dP)
	case d >= dN:
		return fmt.Sprintf("now@e%d", d-dN)
	case d >= dL:
		return fmt.Sprintf("leaseEnd(e%d)", d-dL)
	}
	return fmt.Sprintf("retry@e%d", d-dR)
}
func show(c *Cfg, s *State) string {
	var b strings.Builder
	if s.tEx == 1 {
		fmt.Fprintf(&b, "T{u%d rv%d spec%d st%d} ", s.tUid+1, s.tRv, s.tSpec, s.tStatus)
	} else {
		b.WriteString("T{-} ")
	}
	if s.dEx == 1 {
		fmt.Fprintf(&b, "D{rv%d v%d} ", s.dRv, s.dVal)
	} else {
		b.WriteString("D{-} ")
	}
	for u := 0; u < 2; u++ {
		i := s.it[u]
		if i.ex == 1 {
			fmt.Fprintf(&b, "I%d{own%d e%d", u+1, i.owner, i.epoch)
			if i.expired == 1 {
				b.WriteString(" EXPIRED")
			}
			if i.gone == 1 {
				b.WriteString(" GONE")
			}
			if i.dirty == 1 {
				b.WriteString(" dirty")
				if c.dm > 0 {
					fmt.Fprintf(&b, "(T%d D%d any%d i%d)", i.dT, i.dD, i.dAny, i.dI)
				}
			}
			if c.incr {
				fmt.Fprintf(&b, " inc%d", i.inc)
			}
			if c.crash != 0 {
				fmt.Fprintf(&b, " cE%d fail%d", i.cEp, i.fail)
			}
			fmt.Fprintf(&b, " obs%d", i.obs)
			if i.depIn == 1 {
				fmt.Fprintf(&b, " D@%d", i.depVer)
			}
			fmt.Fprintf(&b, " due=%s} ", dueName(i.due))
		}
		if i.kept != 0 {
			fmt.Fprintf(&b, "I%d{forgotten e%d} ", u+1, i.kept)
		}
		if s.ed[u].ex == 1 {
			fmt.Fprintf(&b, "E%d{e%d} ", u+1, s.ed[u].epoch)
		}
	}
	for q := 0; q < 2; q++ {
		if s.qn[q] > 0 {
			fmt.Fprintf(&b, "q%d[", q)
			for i := 0; i < int(s.qn[q]); i++ {
				m := s.q[q][i]
				h := ""
				if m.holder >= GONE {
					h = "*gone"
				} else if m.holder == ORPHAN {
					h = "*dead"
				} else if m.holder != 0 {
					h = fmt.Sprintf("*W%d", m.holder)
				}
				fmt.Fprintf(&b, "%s:u%d:rv%d%s ", causeName[m.cause], m.grp+1, m.rv, h)
			}
			b.WriteString("] ")
		}
	}
	if c.incr {
		fmt.Fprintf(&b, "cluster{inc%d rv%d} ck{T%d/%d D%d/%d} ", s.inc, s.rv, s.ckT, s.ckIncT, s.ckD, s.ckIncD)
	}
	for _, k := range s.wk {
		if k.on == 1 {
			fmt.Fprintf(&b, "wake{%s e%d pc%d} ", dueName(k.due), k.ep, k.pc)
		}
	}
	if s.dlq != [3]uint8{} {
		b.WriteString("DLQ ")
	}
	return b.String()
}
