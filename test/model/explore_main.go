package main

import (
	"fmt"
	"hash/maphash"
	"strings"
	"time"
	"unsafe"
)

// The explorer of the main model: breadth first, over hashes of states in which the first two workers are interchangeable.
// explore.go has the one for the smaller models; this one also checks that a good end stays reachable.

var seed1, seed2 = maphash.MakeSeed(), maphash.MakeSeed()

func hash(s *State) [2]uint64 {
	b := (*[unsafe.Sizeof(State{})]byte)(unsafe.Pointer(s))[:]
	return [2]uint64{maphash.Bytes(seed1, b), maphash.Bytes(seed2, b)}
}
func swap(s *State, a, b int) State {
	n := *s
	n.w[a], n.w[b] = n.w[b], n.w[a]
	A, B := uint8(a+1), uint8(b+1)
	f := func(x *uint8) {
		if *x == A {
			*x = B
		} else if *x == B {
			*x = A
		} else if *x == GONE+A-1 {
			*x = GONE + B - 1
		} else if *x == GONE+B-1 {
			*x = GONE + A - 1
		}
	}
	for u := range n.it {
		f(&n.it[u].owner)
	}
	for q := range n.q {
		for i := range n.q[q] {
			f(&n.q[q][i].holder)
		}
	}
	return n
}
func canon(s *State) [2]uint64 {
	h := hash(s)
	t := swap(s, 0, 1)
	g := hash(&t)
	if g[0] < h[0] || g[0] == h[0] && g[1] < h[1] {
		return g
	}
	return h
}

type node struct {
	parent uint32
	act    uint8
}

func (c *Cfg) title() string     { return c.name }
func (c *Cfg) onlyWithAll() bool { return c.big }
func (c *Cfg) run(o options) verdict {
	start := time.Now()
	if c.nw == 0 {
		c.nw = 2
	}
	limit := o.limit(c.limit)
	ignored := uint32(0)
	for _, w := range c.ign {
		for p := range propName {
			if strings.HasPrefix(propName[p], w) {
				ignored |= 1 << p
			}
		}
	}
	seen := map[[2]uint64]uint32{}
	var from, to, good []uint32 // edges without faults, and good ends, for the check of liveness
	nodes := []node{{0, 0}}
	s0 := initial(c)
	seen[canon(&s0)] = 0
	cur := []State{s0}
	ids := []uint32{0}
	first := map[int]uint32{}
	counts := map[int]int{}
	trans, depth := 0, 0
	capped, stop := false, false
	for len(cur) > 0 && !stop {
		var nx []State
		var nid []uint32
		for i := range cur {
			k := 0
			id := ids[i]
			next(c, &cur[i], func(n *State, what, a, b uint8, fault bool) {
				k++
				trans++
				n.compact()
				v := check(c, n) &^ ignored
				n.viol = 0
				h := canon(n)
				old, known := seen[h]
				if known && c.ef && !fault {
					from = append(from, id)
					to = append(to, old)
				}
				if known && v&(1<<pMONO|1<<pI3|1<<pOVER|1<<pDROP|1<<pWAIT|1<<pSTOLEN) == 0 {
					return
				}
				me := uint32(len(nodes))
				seen[h] = me
				nodes = append(nodes, node{id, uint8(k)})
				if c.ef {
					if !fault {
						from = append(from, id)
						to = append(to, me)
					}
					if v == 0 && n.idle(c) && n.it[0].due == 0 && n.it[1].due == 0 {
						good = append(good, me)
					}
				}
				for p := 0; p < nProps; p++ {
					if v&(1<<p) != 0 {
						counts[p]++
						if _, ok := first[p]; !ok {
							first[p] = me
						}
					}
				}
				nx = append(nx, *n)
				nid = append(nid, me)
			})
			if len(nodes) > limit {
				capped, stop = true, true
				break
			}
		}
		depth++
		for p := range first {
			stop = stop || c.wanted(p)
		}
		cur, ids = nx, nid
	}
	var found []string
	for p := 0; p < nProps; p++ {
		if counts[p] > 0 {
			found = append(found, propName[p])
		}
	}
	if c.ef && !capped && !stop {
		good := good
		if v := check(c, &s0) &^ ignored; v == 0 && s0.idle(c) {
			good = append(good, 0)
		}
		if n := unreaching(len(nodes), from, to, good); n > 0 {
			found = append(found, fmt.Sprintf("STUCK (no good end is reachable without further faults from %d states)", n))
		}
	}
	v := judge(c.name, c.want, found, capped, c.big)
	v.states, v.trans, v.depth, v.seconds = len(nodes), trans, depth, time.Since(start).Seconds()
	if c.cmp {
		v.notes = comparison()
	}
	if o.traces {
		for p := 0; p < nProps; p++ {
			if id, ok := first[p]; ok && (len(c.props) == 0 || c.wanted(p)) {
				v.notes = append(v.notes, "shortest trace to "+propName[p])
				v.notes = append(v.notes, trace(c, nodes, id)...)
			}
		}
	}
	return v
}

// unreaching counts the states from which no good end is reachable over steps that are neither faults nor a user's.
func unreaching(states int, from, to, good []uint32) int {
	start := make([]uint32, states+1)
	for _, t := range to {
		start[t+1]++
	}
	for i := 1; i < len(start); i++ {
		start[i] += start[i-1]
	}
	back := make([]uint32, len(to))
	at := append([]uint32(nil), start...)
	for i, t := range to {
		back[at[t]] = from[i]
		at[t]++
	}
	marked := make([]bool, states)
	stack := append([]uint32(nil), good...)
	for _, x := range stack {
		marked[x] = true
	}
	count := states
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		count--
		for _, y := range back[start[x]:start[x+1]] {
			if !marked[y] {
				marked[y] = true
				stack = append(stack, y)
			}
		}
	}
	return count
}

// comparison tells how often acquire's answer and a later read of the same item decided differently.
func comparison() []string {
	var out []string
	for i := range decided {
		for j, k := range decided[i] {
			if k > 0 {
				out = append(out, fmt.Sprintf("the item found says %s, a later read says %s: %d", decName[i], decName[j], k))
			}
		}
	}
	decided = [5][5]int{}
	return out
}

// wanted: the search ends when this property fails.
func (c *Cfg) wanted(p int) bool {
	for _, w := range c.props {
		if strings.HasPrefix(propName[p], w) {
			return true
		}
	}
	return false
}

// trace replays the steps that led to a state: only their numbers are kept.
func trace(c *Cfg, nodes []node, id uint32) []string {
	var path []uint8
	for id != 0 {
		path = append(path, nodes[id].act)
		id = nodes[id].parent
	}
	s := initial(c)
	var out []string
	for i := len(path) - 1; i >= 0; i-- {
		k := uint8(0)
		want := path[i]
		var ns State
		var lab string
		next(c, &s, func(n *State, what, a, b uint8, fault bool) {
			k++
			if k == want {
				lab = labelOf(&s, n, what, a, b)
				n.compact()
				n.viol = 0
				ns = *n
			}
		})
		out = append(out, fmt.Sprintf("%2d %-58s %s", len(path)-i, lab, show(c, &ns)))
		s = ns
	}
	return out
}
