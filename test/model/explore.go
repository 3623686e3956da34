package main

import (
	"fmt"
	"hash/maphash"
	"time"
)

// A small generic breadth-first explorer for the smaller models (poll.go, fanout.go, address.go, clocks.go).
// States are comparable values; only their 128-bit hashes are kept, and traces are replayed from the step numbers.

type model[S comparable] struct {
	name  string
	init  S
	next  func(S, func(S, string))
	check func(S) []string // names of the properties that fail
	show  func(S) string
	max   int    // states; 0: defaultLimit
	want  string // "": holds; else the property that must fail
	goOn  bool   // does not stop at the first failure
	big   bool
}

func (m *model[S]) title() string     { return m.name }
func (m *model[S]) onlyWithAll() bool { return m.big }
func (m *model[S]) run(o options) verdict {
	start := time.Now()
	s1, s2 := maphash.MakeSeed(), maphash.MakeSeed()
	key := func(s S) [2]uint64 { return [2]uint64{maphash.Comparable(s1, s), maphash.Comparable(s2, s)} }
	limit := o.limit(m.max)
	type node struct {
		parent uint32
		act    uint16
	}
	nodes := []node{{}}
	seen := map[[2]uint64]struct{}{key(m.init): {}}
	cur, ids := []S{m.init}, []uint32{0}
	first := map[string]uint32{}
	var found []string
	note := func(s S, id uint32) {
		for _, p := range m.check(s) {
			if _, ok := first[p]; !ok {
				first[p] = id
				found = append(found, p)
			}
		}
	}
	note(m.init, 0)
	trans, depth := 0, 0
	capped, stop := false, false
	for len(cur) > 0 && !capped && !stop {
		var nx []S
		var nid []uint32
		for i, s := range cur {
			k := uint16(0)
			m.next(s, func(n S, _ string) {
				k++
				trans++
				h := key(n)
				if _, ok := seen[h]; ok {
					return
				}
				seen[h] = struct{}{}
				id := uint32(len(nodes))
				nodes = append(nodes, node{ids[i], k})
				note(n, id)
				nx = append(nx, n)
				nid = append(nid, id)
			})
			if len(nodes) > limit {
				capped = true
				break
			}
		}
		depth++
		cur, ids = nx, nid
		stop = len(first) > 0 && !m.goOn
	}
	v := judge(m.name, m.want, found, capped, m.big)
	v.states, v.trans, v.depth, v.seconds = len(nodes), trans, depth, time.Since(start).Seconds()
	if o.traces {
		for _, p := range found {
			var path []uint16
			for id := first[p]; id != 0; id = nodes[id].parent {
				path = append(path, nodes[id].act)
			}
			v.notes = append(v.notes, "shortest trace to "+p)
			v.notes = append(v.notes, m.replay(path)...)
		}
	}
	return v
}

// replay: only the numbers of the steps are kept, the last one first.
func (m *model[S]) replay(path []uint16) []string {
	var out []string
	s := m.init
	for i := len(path) - 1; i >= 0; i-- {
		k := uint16(0)
		var ns S
		lab := ""
		m.next(s, func(n S, l string) {
			k++
			if k == path[i] {
				ns, lab = n, l
			}
		})
		s = ns
		out = append(out, fmt.Sprintf("%2d %-60s %s", len(path)-i, lab, m.show(s)))
	}
	return out
}
