package main

// A process that is gone (docs/decisions/0044): its leases and received messages are given back in one transaction. This
// happens at any moment after its end, also between two steps of other processes. A stopped process keeps what it holds.
func scenariosGone() []Cfg {
	var all []Cfg
	add := func(c Cfg, change func(*Cfg)) {
		c = rep(c)
		c.giveBack, c.wake, c.keepEp, c.oldItem, c.limit = true, false, true, true, 3000000
		if c.bRest > 0 {
			c.incr, c.detect = true, 1
			c.ign = append(c.ign, "I3STRICT")
		}
		if change != nil {
			change(&c)
		}
		all = append(all, c)
	}
	lost, waits, stolen := []string{"LOST"}, []string{"WAITS"}, []string{"STOLEN"}
	wake := func(c *Cfg) { c.wake = true }
	add(Cfg{name: "gone-r1-dependency", spec0: 1, bT: 1, bD: 1, bCrash: 1, ef: true}, nil)
	add(Cfg{name: "gone-r2-held", bT: 1, bTick: 1, bCrash: 1, ef: true}, nil)
	add(Cfg{name: "gone-r3-message-came-to-another", bT: 1, bVis: 1, bCrash: 1, ef: true}, wake)
	add(Cfg{name: "gone-r4-retry", bT: 1, bFail: 1, bCrash: 1, ef: true}, wake)
	add(Cfg{name: "gone-r5-two-ends", spec0: 1, bD: 1, bCrash: 2, ef: true}, nil)
	add(Cfg{name: "gone-r6-lease-ends", spec0: 1, bD: 1, bVis: 1, bExp: 1, bCrash: 1}, nil)
	add(Cfg{name: "gone-r7-forgotten", spec0: 1, bTdel: 1, bVis: 1, bCrash: 1, ef: true}, nil)
	add(Cfg{name: "gone-r8-counted", bT: 1, bCrash: 2, ef: true}, func(c *Cfg) { c.crash, c.bound = 2, 2 })
	add(Cfg{name: "gone-r9-late-write", spec0: 1, bT: 1, bD: 1, bCrash: 1, bLate: 1, ef: true}, nil)
	add(Cfg{name: "gone-r10-late-write-of-older-content", spec0: 1, bD: 2, bCrash: 1, bLate: 1, ef: true, ign: []string{"I3STRICT"}}, nil)
	add(Cfg{name: "gone-r11-ambiguous", bT: 1, bAmb: 1, bCrash: 1, ef: true}, nil)
	add(Cfg{name: "gone-r12-one-owner", bT: 1, bVis: 1, bExp: 1, bCrash: 1}, func(c *Cfg) { c.oneOwner, c.dueCov = true, true })
	add(Cfg{name: "gone-r13-restore", big: true, spec0: 1, bT: 1, bRest: 1, bCrash: 1}, nil)
	add(Cfg{name: "gone-r14-three", big: true, nw: 3, bT: 1, bTick: 1, bVis: 1, bCrash: 1}, nil)
	// Safety does not depend on the lock: owner and epoch fence a process that is given back by mistake.
	add(Cfg{name: "gone-r15-frozen", spec0: 1, bT: 1, bD: 1, bFroz: 1, ef: true}, nil)
	add(Cfg{name: "gone-r16-frozen-one-owner", bT: 2, bFroz: 1, ef: true}, func(c *Cfg) { c.oneOwner = true })
	// Not needed for safety: that it is one transaction, and that dirty marks stay.
	add(Cfg{name: "gone-r17-lease-first", spec0: 1, bD: 1, bTick: 1, bCrash: 1, ef: true}, func(c *Cfg) { c.gbApart = true })
	add(Cfg{name: "gone-r18-dirty-dropped-deadline-kept", bT: 1, bVis: 1, bCrash: 1, ef: true}, func(c *Cfg) { c.wake, c.gbDirty = true, true })

	add(Cfg{name: "gone-x1-late-write-of-older-content", spec0: 1, bD: 2, bCrash: 1, bLate: 1, props: []string{"I3STRICT"}, want: "I3STRICT"}, nil)
	add(Cfg{name: "gone-p1-frozen-commits-unfenced", bT: 2, bFroz: 1, props: lost, want: "LOST"}, func(c *Cfg) { c.noFence = true })
	add(Cfg{name: "gone-p2-frozen-fenced-by-owner-alone", bT: 1, bFroz: 1, props: stolen, want: "STOLEN"}, func(c *Cfg) { c.oneOwner, c.commitNoEp = true, true })
	add(Cfg{name: "gone-p3-epoch-put-back", bT: 1, bVis: 1, bExp: 1, bCrash: 1, props: stolen, want: "STOLEN"}, func(c *Cfg) { c.oneOwner, c.dueCov, c.gbEpoch = true, true, 1 })
	add(Cfg{name: "gone-p4-epoch-begins-again", bT: 2, bVis: 1, bExp: 1, bCrash: 1, props: stolen, want: "STOLEN"}, func(c *Cfg) { c.oneOwner, c.dueCov, c.gbEpoch = true, true, 2 })
	add(Cfg{name: "gone-p5-lease-kept", bT: 1, bCrash: 1, props: waits, want: "WAITS"}, func(c *Cfg) { c.gbKeepLease = true })
	add(Cfg{name: "gone-p6-marks-dropped", bT: 1, bVis: 1, bCrash: 1, props: lost, want: "LOST"}, func(c *Cfg) { c.gbMarks = true })
	return all
}
