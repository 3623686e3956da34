package main

// A forgotten target keeps its epoch (docs/decisions/0020). One worker may be stopped between any two steps while its message
// comes to another one, which finds the target gone and forgets it.
func scenariosForget() []Cfg {
	var all []Cfg
	add := func(c Cfg, change func(*Cfg)) {
		c = rep(c)
		c.wake, c.keepEp, c.dueCov = false, true, true
		if c.bRest > 0 {
			c.incr, c.detect = true, 1
			c.ign = append(c.ign, "I3STRICT")
		}
		if change != nil {
			change(&c)
		}
		all = append(all, c)
	}
	M := 3000000
	leak := []string{"LEAKITEM"}
	add(Cfg{name: "g-r1-late-acquire", bTdel: 1, bVis: 1, bCrash: 1, limit: M, ef: true}, nil)
	add(Cfg{name: "g-r2-late-acquire-old-item", bTdel: 1, bVis: 1, bCrash: 1, limit: M, ef: true}, func(c *Cfg) { c.oldItem = true })
	add(Cfg{name: "g-r3-lease-ends", spec0: 1, bTdel: 1, bVis: 1, bExp: 1, limit: M, ef: true}, nil)
	add(Cfg{name: "g-r4-two-late", bTdel: 1, bVis: 2, bCrash: 1, limit: M}, nil)
	add(Cfg{name: "g-r5-dependency", big: true, spec0: 1, bTdel: 1, bD: 1, bVis: 1, bCrash: 1, limit: M}, nil)
	add(Cfg{name: "g-r6-restore", big: true, spec0: 1, bTdel: 1, bRest: 1, bCrash: 1, limit: M}, nil)
	add(Cfg{name: "g-r7-restore-lease-ends", big: true, spec0: 1, bTdel: 1, bRest: 1, bExp: 1, limit: M}, nil)
	add(Cfg{name: "g-r8-restore-late-acquire", big: true, spec0: 1, bTdel: 1, bRest: 1, bVis: 1, limit: M}, nil)
	add(Cfg{name: "g-r9-retry-deadline", big: true, bT: 1, bTdel: 1, bFail: 1, bVis: 1, bCrash: 1, limit: M}, func(c *Cfg) { c.wake = true })
	add(Cfg{name: "g-r3o-lease-ends-old-item", spec0: 1, bTdel: 1, bVis: 1, bExp: 1, limit: M, ef: true}, func(c *Cfg) { c.oldItem = true })
	add(Cfg{name: "g-r4o-two-late-old-item", bTdel: 1, bVis: 2, bCrash: 1, limit: M}, func(c *Cfg) { c.oldItem = true })
	add(Cfg{name: "g-r5o-dependency-old-item", big: true, spec0: 1, bTdel: 1, bD: 1, bVis: 1, bCrash: 1, limit: M}, func(c *Cfg) { c.oldItem = true })
	add(Cfg{name: "g-p5-begun-by-whoever-finds-it-forgotten-old-item", bTdel: 1, bVis: 1, bCrash: 1, props: leak, want: "LEAKITEM"}, func(c *Cfg) { c.oldItem, c.noName = true, true })
	add(Cfg{name: "g-p1-item-deleted", bTdel: 1, bVis: 1, bCrash: 1, props: leak, want: "LEAKITEM"}, func(c *Cfg) { c.keepEp = false })
	add(Cfg{name: "g-p2-begun-by-whoever-finds-it-forgotten", bTdel: 1, bVis: 1, bCrash: 1, props: leak, want: "LEAKITEM"}, func(c *Cfg) { c.noName = true })
	add(Cfg{name: "g-p3-no-second-look-at-the-clock", bTdel: 1, bVis: 1, bCrash: 1, props: leak, want: "LEAKITEM"}, func(c *Cfg) { c.noLook = true })
	add(Cfg{name: "g-p4-clock-read-when-the-message-comes", spec0: 1, bTdel: 1, bRest: 1, bVis: 1, limit: 8000000, props: []string{"MISSEDGE", "LOST"}, want: "MISSEDGE"}, func(c *Cfg) { c.keepEp, c.earlyClk = false, true })
	return all
}
