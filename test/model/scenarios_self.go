package main

// An object that is in a list which it reads itself: its own changes come as events of a dependency. The last pass may have
// read no list, as one that only cleans up. Then the version at which it observed the object is all that can cover them.
func scenariosSelf() []Cfg {
	var all []Cfg
	add := func(c Cfg, change func(*Cfg)) {
		c = rep(c)
		c.wake, c.selfDep, c.limit = false, true, 3000000
		if c.bRest > 0 {
			c.incr, c.detect = true, 1
			c.ign = append(c.ign, "I3STRICT")
		}
		if change != nil {
			change(&c)
		}
		all = append(all, c)
	}
	lost := []string{"LOST"}
	old := func(c *Cfg) { c.oldItem = true }
	add(Cfg{name: "s-r1-edits", bT: 2, bTick: 1, ef: true}, nil)
	add(Cfg{name: "s-r2-crash", bT: 1, bTick: 1, bCrash: 1, ef: true}, nil)
	add(Cfg{name: "s-r3-lease-ends", bT: 1, bTick: 1, bExp: 1}, nil)
	add(Cfg{name: "s-r4-new-uid-under-the-name", bT: 1, bTdel: 1, ef: true}, nil)
	add(Cfg{name: "s-r5-dependency", bT: 1, bD: 1, bTick: 1, ef: true}, nil)
	add(Cfg{name: "s-r6-watch-gap", big: true, spec0: 1, bT: 1, bD: 1, bGap: 1}, nil)
	add(Cfg{name: "s-r7-restore", big: true, spec0: 1, bT: 1, bRest: 1}, nil)
	add(Cfg{name: "s-r7a-restore-small", d0abs: true, bT: 1, bRest: 1}, nil)
	add(Cfg{name: "s-r7b-restore-small-old-item", d0abs: true, bT: 1, bRest: 1}, old)
	add(Cfg{name: "s-r8-old-item", spec0: 1, bT: 1, bD: 1, bCrash: 1}, old)
	add(Cfg{name: "s-p1-of-another-incarnation", spec0: 1, bT: 1, bRest: 1, props: lost, want: "LOST"}, func(c *Cfg) { c.selfInc = true })
	add(Cfg{name: "s-p2-of-any-object", bT: 1, bD: 1, props: lost, want: "LOST"}, func(c *Cfg) { c.selfAny = true })
	return all
}
