package main

// fixed = the design with every fix found so far
func fixed(c Cfg) Cfg {
	c.markAlways, c.selfHeal, c.dropSet, c.edgeTx, c.gapEdges, c.pushEp = true, true, true, true, true, true
	if c.bExp > 0 { // a lease that ends under its owner leaves two passes alive: the commit tells them apart
		c.ign = append(c.ign, "TWOPASSES")
	}
	return c
}

func scenariosFirst() []Cfg {
	all := []Cfg{}
	add := func(c Cfg) { all = append(all, c) }
	fix := func(c Cfg) { all = append(all, fixed(c)) }
	L := []string{"LOST"}
	// planted bugs
	add(Cfg{name: "P1-no-dirty-check", want: "LOST", spec0: 1, bT: 1, bD: 1, bTick: 1, noDirty: true, props: L})
	add(Cfg{name: "P2-edge-after-read", want: "LOST", spec0: 0, bT: 1, bD: 1, edgeAfter: true, props: L})
	add(Cfg{name: "P3-checkpoint-before-send", want: "LOST", spec0: 1, bT: 1, bRel: 1, ckFirst: true, props: L})
	add(Cfg{name: "P4-held-refused-then-ack", want: "LOST", spec0: 1, bT: 1, bD: 1, bTick: 1, markFailAck: true, props: L})
	add(Cfg{name: "P5-held-marks-dirty-only", want: "LOST", spec0: 1, bT: 1, bD: 1, bCrash: 1, markNoDue: true, props: L})
	add(Cfg{name: "P8-status-without-rv", want: "LOST", spec0: 1, bT: 2, statusNoRv: true, props: L})
	add(Cfg{name: "P9-ambiguous-commit-taken-as-ok", want: "MISSEDGE", spec0: 1, bT: 1, bD: 1, bAmb: 1, bExp: 1, bTick: 1, ambOK: true, markAlways: true, limit: 20000000, props: []string{"LOST", "MISSEDGE"}})

	// the design as written
	add(Cfg{name: "D1-no-faults", big: true, spec0: 1, bT: 1, bD: 2, bTick: 1})
	add(Cfg{name: "D2-crash", want: "LATE", spec0: 1, bT: 1, bD: 1, bCrash: 1, props: []string{"LATE"}})
	add(Cfg{name: "D2h-crash-fail-LATE", want: "LATE", spec0: 0, bT: 1, bCrash: 1, bFail: 1, props: []string{"LATE"}})
	add(Cfg{name: "D2i-LATE-without-worker-crash", spec0: 1, bT: 1, bTick: 1, bFail: 1, bSw: 1, props: []string{"LATE"}})
	add(Cfg{name: "D3-leak-crash", want: "LEAKEDGE", spec0: 1, bT: 1, bD: 1, bCrash: 1, markAlways: true, props: []string{"LEAK"}})
	add(Cfg{name: "D3b-leak-before-commit", want: "LEAKEDGE", spec0: 0, bT: 2, bCrash: 1, markAlways: true, props: []string{"LEAK"}})
	add(Cfg{name: "D3c-leak-zombie", want: "LEAKEDGE", spec0: 0, bT: 2, bExp: 1, bTick: 1, markAlways: true, dropSet: true, props: []string{"LEAK"}})
	fix(Cfg{name: "F1-no-faults", big: true, spec0: 1, bT: 1, bD: 2, bTick: 1, ef: true})
	fix(Cfg{name: "F2-crash", big: true, spec0: 1, bT: 2, bD: 1, bCrash: 1, ef: true})
	fix(Cfg{name: "F2b-crash2", big: true, spec0: 1, bT: 1, bD: 1, bCrash: 2, ef: true})
	fix(Cfg{name: "F2c-crash-tick", big: true, spec0: 1, bT: 1, bD: 1, bCrash: 1, bTick: 1})
	fix(Cfg{name: "F3-crash-fail-sweepcrash", big: true, spec0: 0, bT: 1, bCrash: 1, bFail: 1, bSw: 1, bTick: 1})
	fix(Cfg{name: "F4-start0", big: true, spec0: 0, bT: 2, bD: 1, bCrash: 1})
	fix(Cfg{name: "F5-fresh", big: true, fresh: true, spec0: 1, bT: 1, bD: 1, bCrash: 1})
	// coarse dueAt
	add(Cfg{name: "N1-push-same-ms", want: "LATE", spec0: 1, bT: 1, bFail: 2, coarse: true, markAlways: true, props: []string{"LATE"}})
	fix(Cfg{name: "N1f-push-cond-epoch", big: true, spec0: 1, bT: 1, bD: 1, bFail: 2, bSw: 1, coarse: true})
	fix(Cfg{name: "N2-stale-due-acked", big: true, want: "LATE", spec0: 1, bT: 1, bD: 1, bFail: 1, bCrash: 1, bSw: 1, staleDue: true})
	// read twice
	add(Cfg{name: "R1-read-twice-last-version", want: "LOST", spec0: 1, bTick: 1, bD: 1, readTwice: true, recLast: true, props: L})
	fix(Cfg{name: "R1f-read-twice-first-version", big: true, spec0: 1, bTick: 1, bD: 2, bT: 1, readTwice: true})
	add(Cfg{name: "R2-read-twice-del-recreate-last", want: "LOST", spec0: 1, bTick: 1, bDdel: 2, readTwice: true, recLast: true, props: L})
	fix(Cfg{name: "R2f-read-twice-del-recreate-first", big: true, spec0: 1, bTick: 1, bDdel: 2, bD: 1, readTwice: true})
	fix(Cfg{name: "X1-D-delete-recreate", big: true, spec0: 1, bT: 1, bD: 1, bDdel: 2})
	fix(Cfg{name: "X2-D-absent-first", big: true, spec0: 0, d0abs: true, bT: 1, bDdel: 2, bCrash: 1})
	add(Cfg{name: "C1-child-apply-no-precond", want: "LOST", spec0: 1, bF: 1, bD: 1, child: true, props: L})
	fix(Cfg{name: "C1f-child-apply-precond", big: true, spec0: 1, bF: 1, bD: 1, bCrash: 1, child: true, childPre: true})
	add(Cfg{name: "L1-list-read", want: "LOST", spec0: 1, d0abs: true, bDdel: 1, listRead: true, props: L})
	add(Cfg{name: "E1-eventual-edge-query", want: "LOST", spec0: 0, bT: 1, bD: 1, staleEdge: true, props: L})
	add(Cfg{name: "G1-gap-D-deleted", want: "LOST", spec0: 1, bDdel: 1, bGap: 1, props: L})
	add(Cfg{name: "G2-gap-inventory-compare-once", want: "LOST", spec0: 0, bT: 1, bDdel: 1, bGap: 1, gapInv: true, markAlways: true, props: L})
	fix(Cfg{name: "G2f-gap-edge-enumeration", big: true, spec0: 0, bT: 1, bDdel: 1, bD: 1, bGap: 1})
	fix(Cfg{name: "G3f-gap-two-queues", big: true, spec0: 1, bT: 1, bD: 1, bGap: 1, bCrash: 1})
	add(Cfg{name: "G4-gap-T-deleted-noresync", want: "LEAKITEM", spec0: 1, bTdel: 2, bGap: 1, markAlways: true, props: []string{"LEAKITEM"}})
	fix(Cfg{name: "T1-recreate", big: true, spec0: 1, bTdel: 2, bD: 1, bCrash: 1})
	fix(Cfg{name: "T2-recreate-resync", big: true, spec0: 1, bTdel: 2, bRs: 1, bCrash: 1})
	fix(Cfg{name: "T3-recreate-skew", big: true, spec0: 0, bTdel: 2, bT: 1, bExp: 1, bTick: 1, limit: 25000000})
	fix(Cfg{name: "K1-lease-short-nack", big: true, spec0: 1, bT: 1, bD: 1, bExp: 1, bTick: 1, limit: 25000000})
	c := fixed(Cfg{name: "K1a-lease-short-ack", big: true, spec0: 1, bT: 1, bD: 1, bExp: 1, bTick: 1, limit: 25000000})
	c.ackLost = true
	add(c)
	fix(Cfg{name: "K2-lease-short-vis-short", big: true, spec0: 1, bT: 1, bD: 1, bExp: 1, bVis: 1, limit: 25000000})
	fix(Cfg{name: "K2b-I3strict", want: "I3STRICT", spec0: 1, bD: 2, bExp: 1, bTick: 1, bVis: 1, props: []string{"I3"}, limit: 25000000})
	fix(Cfg{name: "K2c-I3strict-sync-clocks", big: true, spec0: 1, bD: 2, bTick: 1, bVis: 1, limit: 25000000})
	fix(Cfg{name: "K3-vis-short-only", big: true, spec0: 1, bT: 1, bD: 1, bVis: 2, ef: true})
	fix(Cfg{name: "K5-grace<=skew", want: "LATE", spec0: 1, bT: 1, bCrash: 1, bAmb: 2, slowClock: true, props: []string{"LATE"}})
	fix(Cfg{name: "A1-ambiguous", big: true, spec0: 1, bT: 1, bD: 1, bAmb: 2, bCrash: 1})
	fix(Cfg{name: "A2-ambiguous-skew", big: true, spec0: 1, bT: 1, bD: 0, bAmb: 1, bExp: 1, bTick: 1, limit: 25000000})
	fix(Cfg{name: "W1-relay-crash", big: true, spec0: 1, bT: 1, bD: 1, bRel: 2, bCrash: 1})
	fix(Cfg{name: "W2-relay-crash-window-expired", big: true, ign: []string{"OVERFLOW"}, spec0: 1, bT: 1, bD: 1, bRel: 1, bSw: 1, noWindow: true})
	fix(Cfg{name: "S1-sweep-crash-retry", big: true, spec0: 1, bT: 1, bD: 1, bSw: 1, bFail: 1, bCrash: 1})
	fix(Cfg{name: "Q1-dlq-not-counted", big: true, spec0: 1, bT: 1, bD: 1, bCrash: 2, maxRecv: 2, props: L})
	fix(Cfg{name: "Q1c-dlq-counted", big: true, spec0: 1, bT: 1, bD: 1, bCrash: 2, maxRecv: 2, dlqCounts: true})
	c = fixed(Cfg{name: "Q2-dlq-ackLost", big: true, spec0: 1, bT: 1, bExp: 1, bTick: 1, bCrash: 1, maxRecv: 2, dlqCounts: false, props: L})
	c.ackLost = true
	add(c)
	fix(Cfg{name: "Q2n-dlq-nackLost", big: true, spec0: 1, bT: 1, bExp: 1, bTick: 1, bCrash: 1, maxRecv: 2, props: L})
	fix(Cfg{name: "Q4-acquire-sets-due-mark-dirty-only", big: true, spec0: 1, bT: 1, bD: 1, bCrash: 2, acqDue: true, markNoDue: true, ef: true})
	// final runs: every fix, small enough to be exhaustive
	M := 40000000
	fix(Cfg{name: "Y01-nofault", big: true, spec0: 1, bT: 1, bD: 1, bTick: 1, ef: true})
	fix(Cfg{name: "Y02-crash", big: true, spec0: 1, bT: 1, bD: 1, bCrash: 2, ef: true})
	fix(Cfg{name: "Y03-crash-tick", spec0: 1, bT: 1, bCrash: 1, bTick: 1, ef: true})
	fix(Cfg{name: "Y04-crash-tick-D", spec0: 1, bD: 1, bCrash: 1, bTick: 1, ef: true})
	fix(Cfg{name: "Y05-fail-crash-sweepcrash-tick", big: true, spec0: 0, bT: 1, bCrash: 1, bFail: 1, bTick: 1, bSw: 0, limit: M})
	fix(Cfg{name: "Y06-start0-2T-crash", big: true, spec0: 0, bT: 2, bCrash: 1, limit: M, ef: true})
	fix(Cfg{name: "Y07-fresh-crash", big: true, fresh: true, spec0: 1, bD: 1, bCrash: 1, limit: M, ef: true})
	fix(Cfg{name: "Y08-leaseshort-2T-tick", big: true, spec0: 0, bT: 2, bExp: 1, bTick: 1, limit: M})
	fix(Cfg{name: "Y09-leaseshort-TD-vis", big: true, spec0: 1, bT: 1, bD: 1, bExp: 1, bVis: 1, limit: M, ef: true})
	fix(Cfg{name: "Y10-leaseshort-D-tick-crash", big: true, spec0: 1, bD: 1, bExp: 1, bTick: 1, bCrash: 1, limit: M})
	fix(Cfg{name: "Y11-recreate-leaseshort", big: true, spec0: 1, bTdel: 2, bExp: 1, bTick: 1, limit: M})
	fix(Cfg{name: "Y12-recreate-crash-D", big: true, spec0: 1, bTdel: 2, bD: 1, bCrash: 1, limit: M})
	fix(Cfg{name: "Y13-ambiguous-leaseshort", big: true, spec0: 1, bT: 1, bAmb: 1, bExp: 1, bTick: 1, limit: M})
	fix(Cfg{name: "Y14-gap-crash", big: true, spec0: 1, bDdel: 1, bT: 1, bGap: 1, bCrash: 1, limit: M})
	fix(Cfg{name: "Y15-acqDue-leaseshort", big: true, spec0: 1, bT: 1, bD: 1, bExp: 1, bVis: 1, bCrash: 0, acqDue: true, markNoDue: true, limit: M})
	y := fixed(Cfg{name: "Y16-preclean-keeps-edgeMine", big: true, spec0: 0, bT: 1, bCrash: 1, bFail: 1, bTick: 1, preKeep: true, props: []string{"MISSEDGE"}, limit: M})
	all = append(all, y)
	fix(Cfg{name: "Y17-2workers-I3-sync", big: true, spec0: 1, bD: 2, bTick: 1, bVis: 1, limit: M})
	nh := func(c Cfg) { c = fixed(c); c.selfHeal = false; all = append(all, c) }
	nh(Cfg{name: "V1-noSelfHeal-crash", spec0: 1, bT: 1, bD: 1, bCrash: 1})
	nh(Cfg{name: "V2-noSelfHeal-2T-crash", spec0: 0, bT: 2, bCrash: 1})
	nh(Cfg{name: "V3-noSelfHeal-leaseshort", big: true, spec0: 0, bT: 2, bExp: 1, bVis: 1})
	nh(Cfg{name: "V4-noSelfHeal-recreate-crash", big: true, spec0: 1, bTdel: 2, bCrash: 1, bTick: 1})
	sh := func(c Cfg) {
		c.markAlways, c.selfHeal, c.edgeCond = true, true, true
		c.ign = append(c.ign, "LEAKEDGE", "TWOPASSES")
		all = append(all, c)
	}
	sh(Cfg{name: "V5-selfHeal-only", big: true, spec0: 1, bT: 1, bD: 2, bCrash: 1, props: []string{"LEAKTOLD"}})
	sh(Cfg{name: "V6-selfHeal-only-start0", big: true, spec0: 0, bT: 2, bD: 1, bCrash: 1, props: []string{"LEAKTOLD"}})
	sh(Cfg{name: "V7-selfHeal-edgeCond-leaseshort", big: true, spec0: 0, bT: 2, bD: 1, bExp: 1, bVis: 1, limit: 20000000})
	sh(Cfg{name: "V8-selfHeal-edgeCond-recreate", big: true, spec0: 1, bTdel: 2, bD: 1, bExp: 1, bVis: 1, limit: 20000000})
	fix(Cfg{name: "U1-read-twice-first", spec0: 1, bTick: 1, bD: 2, readTwice: true, limit: 30000000})
	fix(Cfg{name: "U2-read-twice-first-recreate", big: true, spec0: 1, bTick: 1, bDdel: 2, readTwice: true, limit: 30000000})
	fix(Cfg{name: "U3-obs-newest-after-409", big: true, spec0: 1, bT: 2, bTick: 1, bCrash: 0, obsAfter409: true, limit: 15000000})
	fix(Cfg{name: "U4-obs-newest-after-409-crash", big: true, spec0: 1, bT: 1, bD: 1, bTick: 1, bCrash: 0, bExp: 0, bVis: 1, obsAfter409: true, limit: 15000000})
	return all
}
