package main

import (
	"embed"
	"fmt"
	"strings"
)

// One scripted trace: the beginnings of the steps' names, one a line. For traces that a search cannot come to,
// since they need three workers and forty steps.
type script struct {
	name, file, want string
}

//go:embed *.script
var scriptFiles embed.FS

func scripts() []scenario {
	return []scenario{
		&script{"Z1-script-edge-without-condition", "edge-without-condition.script", "MISSEDGE"},
		&script{"Z2-script-edge-with-condition", "edge-with-condition.script", ""},
		&script{"Z3-script-edge-in-transaction", "edge-in-transaction.script", ""},
	}
}

func (r *script) title() string     { return r.name }
func (r *script) onlyWithAll() bool { return false }
func (r *script) run(o options) verdict {
	text, err := scriptFiles.ReadFile(r.file)
	if err != nil {
		panic(err)
	}
	steps := strings.Split(strings.TrimSpace(string(text)), "\n")
	c := scriptCfg(strings.TrimSuffix(r.file, ".script"))
	s := initial(c)
	var found, done []string
	for k, wanted := range steps {
		var ns State
		label, v, had := "", uint32(0), []string{}
		next(c, &s, func(n *State, what, a, b uint8, fault bool) {
			x := labelOf(&s, n, what, a, b)
			had = append(had, x)
			if label == "" && strings.HasPrefix(x, wanted) {
				label = x
				n.compact()
				v = check(c, n) &^ (1 << pTWO)
				n.viol = 0
				ns = *n
			}
		})
		if label == "" {
			found = append(found, fmt.Sprintf("NO SUCH STEP %q, only: %s", wanted, strings.Join(had, " | ")))
			break
		}
		s = ns
		for p := 0; p < nProps; p++ {
			if v&(1<<p) != 0 {
				found = append(found, propName[p])
			}
		}
		done = append(done, fmt.Sprintf("%2d %-58s %s", k+1, label, show(c, &s)))
	}
	v := judge(r.name, r.want, found, false, false)
	v.states, v.trans, v.depth = len(done), len(done), len(done)
	if o.traces {
		v.notes = done
	}
	return v
}

func scriptCfg(name string) *Cfg {
	c := Cfg{name: name, nw: 3, bT: 3, bExp: 1, bVis: 1, bTick: 1, markAlways: true}
	switch name {
	case "edge-without-condition":
	case "edge-with-condition":
		c.edgeCond, c.selfHeal = true, true
	case "edge-in-transaction":
		c = fixed(c)
	default:
		panic("no configuration " + name)
	}
	return &c
}
