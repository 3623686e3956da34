package main

// text = the design as its text stands now, read literally where it is silent
func text(c Cfg) Cfg {
	c.markAlways, c.selfHeal, c.edgeCond, c.gapEdges, c.pushEp = true, true, true, true, true
	c.relExp, c.dm, c.wake, c.wkEp = true, 1, true, true
	c.ign = append(c.ign, "TWOPASSES", "LEAKEDGE")
	return c
}

// rep = the text with every repair found here
func rep(c Cfg) Cfg {
	c = text(c)
	c.dm, c.wkEp = 3, false
	c.dIncMark, c.dedInc, c.ckCond, c.ckIncRule, c.fgDirty, c.epTime, c.boundKeep, c.fgItemFirst = true, true, true, true, true, true, true, true
	c.dueCov = false
	return c
}

func scenariosText() []Cfg {
	all := []Cfg{}
	tx := func(c Cfg, m ...func(*Cfg)) {
		c = text(c)
		for _, f := range m {
			f(&c)
		}
		all = append(all, c)
	}
	rp := func(c Cfg, m ...func(*Cfg)) {
		c = rep(c)
		for _, f := range m {
			f(&c)
		}
		all = append(all, c)
	}
	L := []string{"LOST"}
	LL := []string{"LOST", "LATE"}
	M := 3000000
	nowake := func(c *Cfg) { c.wake = false }
	set := func(c *Cfg) { c.dm = 3 }

	// 1 expansion in the relay (without wakes, with the set mark, to look at it alone)
	tx(Cfg{name: "n01a-relay-expand", spec0: 1, bT: 1, bD: 1, bRel: 2, limit: M, ef: true}, nowake, set)
	tx(Cfg{name: "n01b-relay-expand-start0-crash", big: true, spec0: 0, bT: 1, bD: 1, bRel: 1, bCrash: 1, limit: M, ef: true}, nowake, set)
	tx(Cfg{name: "n01c-relay-expand-2T", spec0: 0, bT: 2, bD: 1, bRel: 1, limit: M}, nowake, set)
	tx(Cfg{name: "n01d-relay-expand-leaseshort", big: true, spec0: 0, bT: 1, bD: 1, bRel: 1, bExp: 1, bTick: 1, limit: M}, nowake, set)
	tx(Cfg{name: "n01e-planted-eventual-query", want: "LOST", spec0: 0, bT: 1, bD: 1, bRel: 0, staleEdge: true, props: L}, nowake, set)
	tx(Cfg{name: "n01f-planted-checkpoint-first", want: "LOST", spec0: 1, bD: 1, bRel: 1, ckFirst: true, props: L}, nowake, set)
	tx(Cfg{name: "n01g-gap", big: true, spec0: 0, bT: 1, bDdel: 1, bGap: 1, bCrash: 1, limit: M, ef: true}, nowake, set)
	tx(Cfg{name: "n01h-gap-relay-crash", big: true, spec0: 1, bT: 1, bD: 1, bGap: 1, bRel: 1, limit: 14000000}, nowake, set)
	tx(Cfg{name: "n01i-window-expired", spec0: 1, bT: 1, bD: 1, bRel: 1, noWindow: true, limit: M}, nowake, set)
	tx(Cfg{name: "n01j-leaktold", big: true, spec0: 0, bT: 2, bD: 1, bCrash: 1, limit: M, props: []string{"LEAKTOLD", "LOST"}}, nowake, set)

	// 2 dirty marks with versions
	dm := func(k uint8) func(*Cfg) { return func(c *Cfg) { c.wake = false; c.dm = k } }
	for _, x := range []struct {
		n    string
		k    uint8
		want string
	}{{"plain-flag", 0, ""}, {"one-object-last", 1, "LOST"}, {"one-object-max", 2, ""}, {"set", 3, ""}, {"bare-version", 4, "LOST"}} {
		tx(Cfg{name: "n02a-" + x.n + "-TD-tick", want: x.want, spec0: 1, bT: 1, bD: 1, bTick: 1, limit: M, ef: x.k == 3}, dm(x.k))
		tx(Cfg{name: "n02b-" + x.n + "-2D-vis", want: x.want, spec0: 1, bD: 2, bTick: 1, limit: M}, dm(x.k))
		tx(Cfg{name: "n02c-" + x.n + "-2T-gap", big: true, want: x.want, spec0: 0, bT: 2, bGap: 1, bTick: 1, limit: 10000000}, dm(x.k))
	}
	tx(Cfg{name: "n02d-set-crash", big: true, spec0: 1, bT: 1, bD: 1, bCrash: 1, bTick: 1, limit: M}, dm(3))
	tx(Cfg{name: "n02e-set-fail-leaseshort", big: true, spec0: 1, bD: 1, bT: 0, bFail: 1, bExp: 1, bTick: 1, limit: 8000000}, dm(3))
	tx(Cfg{name: "n02f-set-del", spec0: 1, bDdel: 2, bTick: 1, limit: M}, dm(3))
	tx(Cfg{name: "n02g-set-ambiguous", big: true, spec0: 1, bT: 1, bAmb: 1, bTick: 1, bGap: 1, limit: 7000000}, dm(3))
	tx(Cfg{name: "n02h-planted-rerun-keeps-reads", want: "LOST", spec0: 1, bD: 1, bTick: 1, dRerunCache: true, props: L}, dm(3))

	// 3 wakes
	tx(Cfg{name: "n03a-wake-text", want: "WAKEDROP", spec0: 0, bT: 1, bFail: 1, bCrash: 1, limit: M, props: []string{"WAKEDROP", "LOST", "LATE"}}, set)
	tx(Cfg{name: "n03a2-wake-text-nocrash", want: "WAKEDROP", spec0: 0, bT: 2, bFail: 1, limit: M, props: []string{"WAKEDROP", "LOST", "LATE"}}, set)
	tx(Cfg{name: "n03a3-wake-text-all", spec0: 0, bT: 1, bFail: 1, bCrash: 1, bWk: 1, limit: M, ign: []string{"WAKEDROP"}, ef: true}, set)
	due := func(c *Cfg) { c.dm, c.wkEp = 3, false }
	dueM := func(c *Cfg) { c.dm, c.wkEp, c.wkMsgEp = 3, false, true }
	tx(Cfg{name: "n03b-wake-dueAt-only", spec0: 0, bT: 1, bFail: 1, bCrash: 1, bWk: 1, limit: M, ef: true}, due)
	tx(Cfg{name: "n03c-wake-dueAt-only-msgepoch", spec0: 0, bT: 1, bFail: 1, bCrash: 1, bWk: 1, limit: M, ef: true}, dueM)
	tx(Cfg{name: "n03d-wake-dueAt-2T-sweepcrash", big: true, spec0: 0, bT: 2, bFail: 1, bSw: 1, limit: M}, due)
	tx(Cfg{name: "n03e-wake-dueAt-coarse", big: true, spec0: 0, bT: 1, bFail: 2, bCrash: 1, coarse: true, limit: 10000000}, due)
	tx(Cfg{name: "n03f-wake-D-leaseshort", big: true, spec0: 1, bD: 1, bFail: 1, bExp: 1, bTick: 1, limit: M}, due)
	tx(Cfg{name: "n03g-wake-dueCov", big: true, spec0: 0, bT: 1, bFail: 1, bCrash: 1, bTick: 1, dueCov: true, limit: M, ef: true}, due)
	tx(Cfg{name: "n03h-wake-dueCov-2fail", big: true, spec0: 0, bT: 1, bFail: 2, bCrash: 1, dueCov: true, coarse: true, limit: 6000000}, due)
	tx(Cfg{name: "n03i-wake-dueCov-leaseshort", big: true, spec0: 0, bT: 1, bFail: 1, bExp: 1, bTick: 1, dueCov: true, limit: M}, due)

	// 4 sweep: far wakes, swallowed ids
	tx(Cfg{name: "n04a-far", big: true, spec0: 0, bT: 1, bFail: 1, bFar: 1, bCrash: 1, bSw: 1, bWk: 1, limit: M, ef: true}, due)
	tx(Cfg{name: "n04b-far-tick", big: true, spec0: 0, bFail: 2, bFar: 1, bCrash: 1, bTick: 2, limit: M}, due)
	tx(Cfg{name: "n04c-dlq", want: "LOST", spec0: 0, bT: 1, bFail: 1, bCrash: 2, maxRecv: 1, limit: M, props: LL}, due)
	tx(Cfg{name: "n04d-dlq-LOSTonly", want: "LOST", spec0: 0, bT: 1, bFail: 1, bCrash: 2, maxRecv: 1, limit: M, ign: []string{"LATE"}, props: L}, due)
	tx(Cfg{name: "n04e-dlq-due-only", spec0: 0, bTick: 1, bFail: 1, bCrash: 2, maxRecv: 1, limit: M, ef: true, ign: []string{"LATE"}}, due)

	// 5 held mark with wakes about
	tx(Cfg{name: "n05a-held-crash", big: true, spec0: 1, bT: 1, bD: 1, bTick: 1, bCrash: 1, limit: M}, due)
	tx(Cfg{name: "n05b-held-fail-crash", big: true, spec0: 0, bT: 1, bTick: 1, bFail: 1, bCrash: 1, bFar: 1, limit: M}, due)
	tx(Cfg{name: "n05c-held-dlq-holder", want: "LOST", spec0: 0, bT: 1, bTick: 1, bCrash: 1, maxRecv: 1, limit: M, ef: true}, due)

	// 6 crash counting
	cr := func(k, b uint8, keep bool) func(*Cfg) {
		return func(c *Cfg) { due(c); c.crash, c.bound, c.boundKeep = k, b, keep }
	}
	tx(Cfg{name: "n06a-defer-fence", big: true, spec0: 1, bT: 1, bTick: 1, bExp: 1, limit: M, ef: true}, cr(1, 0, false))
	tx(Cfg{name: "n06b-defer-crash", big: true, spec0: 1, bT: 1, bD: 1, bCrash: 2, limit: M}, cr(1, 0, false))
	tx(Cfg{name: "n06c-terminal-fence", big: true, spec0: 1, bT: 1, bTick: 1, bVis: 1, bExp: 2, limit: M, props: L}, cr(1, 2, false))
	tx(Cfg{name: "n06c1-terminal-fence-bound1", want: "LOST", spec0: 1, bT: 1, bTick: 1, bVis: 1, bExp: 1, limit: M, props: L}, cr(1, 1, false))
	tx(Cfg{name: "n06d-keep-fence", big: true, spec0: 1, bT: 1, bTick: 1, bVis: 1, bExp: 2, limit: M, ef: true}, cr(1, 1, true))
	tx(Cfg{name: "n06e-run-now-fence", big: true, spec0: 1, bT: 1, bTick: 1, bExp: 1, limit: 5000000, ef: true}, cr(2, 0, false))
	tx(Cfg{name: "n06f-run-now-terminal-fence", big: true, want: "LOST", spec0: 1, bT: 1, bTick: 1, bVis: 1, bExp: 2, limit: M, props: L}, cr(2, 2, false))
	tx(Cfg{name: "n06g-run-now-keep", big: true, spec0: 1, bT: 1, bTick: 1, bVis: 1, bExp: 2, limit: M, ef: true}, cr(2, 2, true))
	tx(Cfg{name: "n06h-defer-tick-crash", big: true, spec0: 0, bT: 1, bTick: 1, bCrash: 1, limit: M, ef: true}, cr(1, 0, false))
	tx(Cfg{name: "n06i-run-now-tick-crash", big: true, spec0: 0, bT: 1, bTick: 1, bCrash: 1, limit: M, ef: true}, cr(2, 2, true))
	tx(Cfg{name: "n06j-defer-ambiguous", big: true, spec0: 0, bT: 1, bAmb: 2, bCrash: 1, limit: 5000000}, cr(1, 0, false))

	// 7 pass budget
	tx(Cfg{name: "n07a-budget", big: true, spec0: 1, bT: 1, bD: 1, bOver: 1, bCrash: 1, limit: M}, due)
	tx(Cfg{name: "n07b-budget-2-tick", big: true, spec0: 0, bT: 1, bTick: 1, bOver: 2, bCrash: 1, limit: M, ef: true}, due)
	tx(Cfg{name: "n07c-planted-ack-first", want: "LOST", spec0: 0, bT: 1, bOver: 1, bCrash: 1, ovAck: true, props: L}, due)
	tx(Cfg{name: "n07d-planted-observed-advances", big: true, spec0: 1, bT: 1, bD: 1, bOver: 1, bCrash: 1, ovObs: true, limit: M, props: LL}, due)
	tx(Cfg{name: "n07e-planted-observed-advances-skew", big: true, spec0: 0, bT: 1, bOver: 1, bTick: 1, bExp: 1, bFail: 1, ovObs: true, limit: M, props: LL}, due)
	tx(Cfg{name: "n07f-budget-leaseshort", big: true, spec0: 0, bT: 1, bOver: 1, bTick: 1, bExp: 1, limit: M}, due)

	// 8 incarnations. wakes off to keep it small
	in := func(f func(*Cfg)) func(*Cfg) {
		return func(c *Cfg) {
			c.incr, c.wake = true, false
			c.ign = append(c.ign, "LEAKITEM")
			if c.name[:4] != "n08n" {
				c.ign = append(c.ign, "I3STRICT")
			}
			if f != nil {
				f(c)
			}
		}
	}
	tx(Cfg{name: "n08a-text-relay-behind", want: "LOST", spec0: 1, bT: 1, bRest: 1, limit: M, props: L}, in(func(c *Cfg) { c.dm = 3; c.dedInc = true; c.dIncMark = true }))
	tx(Cfg{name: "n08b-ids-without-incarnation", want: "LOST", spec0: 1, bT: 2, bRest: 1, detect: 1, limit: M, props: L}, in(func(c *Cfg) { c.dm = 3; c.dIncMark = true }))
	tx(Cfg{name: "n08c-mark-without-incarnation", want: "LOST", spec0: 1, bT: 1, bRest: 1, detect: 1, dedInc: true, bTick: 1, limit: M, props: L}, in(func(c *Cfg) { c.dm = 3 }))
	tx(Cfg{name: "n08d-label-at-commit", want: "LOST", spec0: 1, bT: 1, bRest: 1, detect: 1, dedInc: true, dIncMark: true, incAtCommit: true, limit: M, props: L}, in(func(c *Cfg) { c.dm = 3 }))
	rp(Cfg{name: "n08e-fixed-T", big: true, spec0: 1, bT: 2, bRest: 1, detect: 1, limit: M, ef: true}, in(nil))
	rp(Cfg{name: "n08f-fixed-D", big: true, spec0: 1, bD: 2, bRest: 1, detect: 1, limit: M, ef: true}, in(nil))
	rp(Cfg{name: "n08g-fixed-TD", big: true, spec0: 1, bT: 1, bD: 1, bRest: 1, detect: 1, limit: M}, in(nil))
	rp(Cfg{name: "n08h-fixed-T-tick-crash", big: true, spec0: 1, bT: 1, bRest: 1, bTick: 1, bCrash: 1, detect: 1, limit: M}, in(nil))
	rp(Cfg{name: "n08i-fixed-T-relaycrash", big: true, spec0: 1, bT: 2, bRest: 1, bRel: 1, detect: 1, limit: M}, in(nil))
	rp(Cfg{name: "n08j-no-ckIncRule", big: true, spec0: 1, bT: 2, bRest: 1, bRel: 1, detect: 1, limit: M, props: L}, in(func(c *Cfg) { c.ckIncRule = false }))
	rp(Cfg{name: "n08j2-pending-checkpoint-kept", big: true, want: "LOST", spec0: 1, bT: 2, bRest: 1, bRel: 1, detect: 1, pwKeep: true, limit: M, props: L}, in(nil))
	rp(Cfg{name: "n08k-listver-lstEq-passDetect", want: "LOST", spec0: 1, bT: 1, bRest: 1, limit: M, props: L}, in(func(c *Cfg) { c.lstEq = true; c.passDetect = true }))
	rp(Cfg{name: "n08l-fixed-leaseshort", big: true, spec0: 1, bT: 1, bRest: 1, bExp: 1, detect: 1, limit: M}, in(nil))
	rp(Cfg{name: "n08m-fixed-Ddel", big: true, spec0: 1, bDdel: 2, bRest: 1, detect: 1, limit: M}, in(nil))
	rp(Cfg{name: "n08n-reread-same-number", want: "I3STRICT", spec0: 1, bT: 2, bRest: 1, detect: 1, limit: M, props: []string{"I3"}}, in(nil))

	rp(Cfg{name: "n08o-small-T", big: true, spec0: 0, d0abs: true, bT: 1, bRest: 1, detect: 1, limit: 3 * M, ef: true}, in(nil))
	rp(Cfg{name: "n08p-small-D", big: true, spec0: 1, bD: 1, bRest: 1, detect: 1, limit: 3 * M, ef: true}, in(nil))
	rp(Cfg{name: "n08q-small-T-relaycrash", big: true, spec0: 0, d0abs: true, bT: 1, bRest: 1, bRel: 1, detect: 1, limit: 4000000}, in(nil))

	// 9 list edges
	tx(Cfg{name: "n09a-list-absent-first", big: true, spec0: 1, d0abs: true, bT: 1, bDdel: 2, bCrash: 1, limit: 5000000, ef: true}, dm(3))
	tx(Cfg{name: "n09b-list-gap-skips-list-edges", want: "LOST", spec0: 1, bDdel: 1, bGap: 1, gapListSkip: true, props: L}, dm(3))
	tx(Cfg{name: "n09c-list-gap", big: true, spec0: 1, bDdel: 2, bT: 1, bGap: 1, limit: M}, dm(3))
	tx(Cfg{name: "n09d-list-then-get-last", want: "LOST", spec0: 1, d0abs: true, bDdel: 1, bTick: 1, readTwice: true, recLast: true, props: L}, dm(3))
	tx(Cfg{name: "n09e-list-then-get-first", spec0: 1, d0abs: true, bDdel: 2, bTick: 1, readTwice: true, limit: M, ef: true}, dm(3))
	tx(Cfg{name: "n09f-list-relay-crash", spec0: 0, d0abs: true, bT: 1, bDdel: 2, bRel: 1, limit: M}, dm(3))

	// 11 two relays
	two := func(c *Cfg) { c.wake, c.dm = false, 3 }
	tx(Cfg{name: "n11a-two-relays-uncond", big: true, spec0: 1, bT: 1, bD: 1, bTwo: 1, bRel: 1, limit: M}, two)
	tx(Cfg{name: "n11b-two-relays-cond", big: true, spec0: 1, bT: 1, bD: 1, bTwo: 1, bRel: 1, ckCond: true, limit: M}, two)
	rp(Cfg{name: "n11c-two-restore-uncond", big: true, want: "LOST", spec0: 0, d0abs: true, bT: 2, bTwo: 1, bRest: 1, bRel: 1, detect: 1, limit: 8000000, props: L}, in(func(c *Cfg) { c.ckCond = false; c.ckIncRule = false }))
	rp(Cfg{name: "n11c2-two-restore-uncond-incrule", big: true, spec0: 0, d0abs: true, bT: 2, bTwo: 1, bRest: 1, bRel: 1, detect: 1, limit: 8000000, props: L}, in(func(c *Cfg) { c.ckCond = false }))
	rp(Cfg{name: "n11d-two-restore-cond", big: true, spec0: 1, bT: 1, bTwo: 1, bRest: 1, bRel: 1, detect: 1, limit: M}, in(nil))
	rp(Cfg{name: "n11e-two-restore-cond-2T", big: true, spec0: 1, bT: 2, bTwo: 1, bRest: 1, bRel: 0, detect: 1, limit: M}, in(nil))
	tx(Cfg{name: "n11f-two-relays-gap", big: true, spec0: 1, bD: 1, bDdel: 1, bTwo: 1, bGap: 1, limit: M}, two)

	// 12 forget
	tx(Cfg{name: "n12a-forget-expansion", spec0: 1, bTdel: 1, bD: 1, bCrash: 1, bRel: 1, limit: M, ef: true}, two)
	tx(Cfg{name: "n12b-forget-resync", big: true, spec0: 1, bTdel: 2, bRs: 1, bD: 1, limit: M}, two)
	tx(Cfg{name: "n12c-forget-resync-crash", big: true, spec0: 1, bTdel: 2, bRs: 1, bCrash: 1, limit: 5000000}, two)
	tx(Cfg{name: "n12d-forget-leak", big: true, spec0: 0, bT: 1, bTdel: 1, bD: 1, bExp: 1, bTick: 1, limit: M, props: []string{"LEAKTOLD"}}, two)
	tx(Cfg{name: "n12e-forget-leak-uncond", big: true, spec0: 0, bT: 1, bTdel: 1, bD: 1, bExp: 1, bTick: 1, fgUncond: true, limit: M, props: []string{"LEAKTOLD", "LOST"}}, two)
	tx(Cfg{name: "n12f-forget-leak-epTime-itemfirst", big: true, spec0: 0, bT: 1, bTdel: 1, bD: 1, bExp: 1, bTick: 1, epTime: true, fgItemFirst: true, limit: M, props: []string{"LEAKTOLD", "LOST"}}, two)
	rp(Cfg{name: "n12g-forget-restore-nodirtycond", want: "LOST", spec0: 1, bTdel: 1, bRest: 1, detect: 1, limit: M, props: L}, in(func(c *Cfg) { c.fgDirty = false }))
	rp(Cfg{name: "n12h-forget-restore-edges-first", big: true, want: "LOST", spec0: 1, bTdel: 1, bD: 1, bRest: 1, bCrash: 1, detect: 1, limit: 8000000, props: L}, in(func(c *Cfg) { c.fgItemFirst = false }))
	rp(Cfg{name: "n12h2-edges-first-but-rewritten", big: true, want: "LOST", spec0: 1, bTdel: 1, bD: 1, bRest: 1, bCrash: 1, detect: 1, limit: 8000000, props: L}, in(func(c *Cfg) { c.fgItemFirst = false; c.incEdges = true }))
	rp(Cfg{name: "n12i-forget-restore-fixed", big: true, spec0: 1, bTdel: 1, bD: 1, bRest: 1, bCrash: 1, detect: 1, limit: M}, in(nil))
	rp(Cfg{name: "n12j-forget-restore-zombie-noepTime", big: true, want: "LOST", spec0: 1, bTdel: 1, bD: 1, bRest: 1, bExp: 1, detect: 1, limit: M, props: L}, in(func(c *Cfg) { c.epTime = false }))
	rp(Cfg{name: "n12k-forget-restore-zombie-fixed", big: true, spec0: 1, bTdel: 1, bD: 1, bRest: 1, bExp: 1, detect: 1, limit: M}, in(nil))
	rp(Cfg{name: "n12l-forget-recreate-fixed", spec0: 1, bTdel: 2, bD: 1, bExp: 1, limit: M}, two)

	// small enough to be exhaustive
	tx(Cfg{name: "n30a-gap", spec0: 1, bDdel: 1, bGap: 1, bCrash: 1, limit: 3 * M, ef: true}, dm(3))
	tx(Cfg{name: "n30b-held-crash", big: true, spec0: 0, bT: 1, bTick: 1, bCrash: 1, limit: 3 * M, ef: true}, due)
	tx(Cfg{name: "n30c-keep-fence", big: true, spec0: 0, bT: 1, bExp: 1, bVis: 1, limit: 3 * M, ef: true}, cr(1, 1, true))
	tx(Cfg{name: "n30d-run-now-keep-fence", big: true, spec0: 0, bT: 1, bExp: 1, bVis: 1, limit: 3 * M, ef: true}, cr(2, 1, true))
	tx(Cfg{name: "n30e-budget", spec0: 0, bT: 1, bOver: 1, bCrash: 1, limit: 3 * M, ef: true}, due)
	tx(Cfg{name: "n30f-budget-observed", spec0: 0, bT: 1, bOver: 1, bCrash: 1, ovObs: true, limit: 3 * M, ef: true}, due)
	rp(Cfg{name: "n30g-two-restore", big: true, spec0: 0, d0abs: true, bT: 1, bTwo: 1, bRest: 1, detect: 1, limit: 12000000}, in(nil))
	rp(Cfg{name: "n30h-forget-restore-crash", big: true, spec0: 1, bTdel: 1, bRest: 1, bCrash: 1, detect: 1, limit: 3 * M}, in(nil))
	rp(Cfg{name: "n30i-forget-restore-fence", big: true, spec0: 1, bTdel: 1, bRest: 1, bExp: 1, detect: 1, limit: 3 * M}, in(nil))

	// all repairs together
	rp(Cfg{name: "n20a-all-TD-crash", spec0: 1, bT: 1, bD: 1, bCrash: 1, limit: M})
	rp(Cfg{name: "n20b-all-fail-crash-tick", big: true, spec0: 0, bT: 1, bFail: 1, bCrash: 1, bTick: 1, limit: M, ef: false})
	rp(Cfg{name: "n20c-all-D-leaseshort", big: true, spec0: 1, bD: 1, bExp: 1, bFail: 1, bTick: 1, limit: M})
	rp(Cfg{name: "n20d-all-crashcount-D", big: true, spec0: 1, bD: 1, bCrash: 2, bExp: 1, limit: M}, func(c *Cfg) { c.crash, c.bound = 2, 2 })
	rp(Cfg{name: "n20e-all-recreate", big: true, spec0: 1, bTdel: 2, bD: 1, bCrash: 1, limit: M})
	return all
}
