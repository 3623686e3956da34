package main

import "strings"

// The additions that live in the main model: acquire's answer with the item found (o*), reads in parallel (q*).
// Each takes a scenario of the other files and changes one thing.
func scenariosAdditions() []Cfg {
	base := map[string]Cfg{}
	for _, c := range append(scenariosFirst(), scenariosText()...) {
		base[c.name] = c
	}
	all := []Cfg{}
	from := func(name, as string, f func(*Cfg)) {
		c, ok := base[name]
		if !ok {
			panic(name)
		}
		c.name = as
		f(&c)
		all = append(all, c)
	}
	short := func(n string) string { return strings.SplitN(n, "-", 2)[0] }
	old := func(c *Cfg) { c.oldItem = true }
	for _, n := range []string{"U1-read-twice-first", "Y03-crash-tick", "Y04-crash-tick-D", "n01a-relay-expand", "n02a-set-TD-tick", "n02c-set-2T-gap", "n03a3-wake-text-all", "n05b-held-fail-crash", "n06d-keep-fence", "n06h-defer-tick-crash", "n30b-held-crash", "n30c-keep-fence", "n30d-run-now-keep-fence", "n30h-forget-restore-crash", "n30i-forget-restore-fence", "n02g-set-ambiguous", "K5-grace<=skew"} {
		from(n, "o-"+short(n)+"-read-back", func(*Cfg) {})
		from(n, "o-"+short(n)+"-old-item", old)
	}
	for _, n := range []string{"n02a-set-TD-tick", "n30b-held-crash", "n30i-forget-restore-fence"} {
		from(n, "o-"+short(n)+"-compared", func(c *Cfg) { c.cmp, c.ef = true, false })
	}
	from("Y04-crash-tick-D", "o-K1-ackLost-two-overruns", func(c *Cfg) {
		old(c)
		c.bCrash, c.bExp, c.ackLost, c.ef = 0, 2, true, true
		c.ign = []string{"TWOPASSES"}
	})
	L := []string{"LOST"}
	from("P4-held-refused-then-ack", "o-p1-mark-refused-acknowledged", func(c *Cfg) { old(c); c.props = L })
	from("n02a-set-TD-tick", "o-p2-refused-not-held-is-covered", func(c *Cfg) { old(c); c.refCov, c.ef = true, false; c.props, c.want = L, "LOST" })
	from("n02a-set-TD-tick", "o-p3-ours-without-attempt", func(c *Cfg) {
		old(c)
		c.oursAny, c.ef = true, false
		c.ign = nil
		c.props, c.want = []string{"TWOPASSES"}, "TWOPASSES"
	})
	par := func(c *Cfg) { c.par = true }
	for _, n := range []string{"Y04-crash-tick-D", "n01a-relay-expand", "n02a-set-TD-tick", "n02b-set-2D-vis", "n02f-set-del", "n30a-gap", "Y17-2workers-I3-sync", "V1-noSelfHeal-crash", "V2-noSelfHeal-2T-crash", "n30h-forget-restore-crash", "Y01-nofault"} {
		from(n, "q-"+short(n)+"-parallel", func(c *Cfg) { par(c); c.parSafe = true })
	}
	from("n02a-set-TD-tick", "q-x1-2T-D", func(c *Cfg) { par(c); c.parSafe = true; c.bT, c.bD, c.bTick, c.limit, c.ef = 2, 1, 0, 8000000, false })
	for i, n := range []string{"q-x2-overrun-in-turn", "q-x2-overrun-parallel-as-in-the-text", "q-x2-overrun-parallel-repaired"} {
		from("n02b-set-2D-vis", n, func(c *Cfg) {
			if i == 1 {
				c.want = "I3STRICT"
			}
			c.par, c.parSafe, c.bD, c.bExp, c.limit, c.ef = i > 0, i > 1, 1, 1, 8000000, false
		})
	}
	from("n02a-set-TD-tick", "q-p1-unused-read-leaves-its-version", func(c *Cfg) {
		par(c)
		c.parKeep, c.ef = true, false
		c.props, c.want = []string{"LOST", "MISSEDGE"}, "MISSEDGE"
	})
	from("n02a-set-TD-tick", "q-p2-read-before-the-lease", func(c *Cfg) { par(c); c.parEarly, c.ef = true, false; c.props, c.want = L, "LOST" })
	from("n02h-planted-rerun-keeps-reads", "q-p3-run-again-keeps-the-reads", func(c *Cfg) { par(c); c.props = L })
	return all
}
