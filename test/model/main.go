// Command model checks the protocol in an explicit-state model. See README.md.
//
// Usage: model [--all] [-v] [NAME...]. Runs the scenarios whose names begin with a NAME, or all of them.
package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	var o options
	var prefixes []string
	for _, a := range os.Args[1:] {
		switch a {
		case "-v":
			o.traces = true
		case "--all":
			o.all = true
		default:
			if strings.HasPrefix(a, "-") {
				fmt.Fprintf(os.Stderr, "unknown option %s. Usage: [--all] [-v] [NAME...]\n", a)
				os.Exit(2)
			}
			prefixes = append(prefixes, a)
		}
	}
	passed, failed, left := 0, 0, 0
	for _, s := range everything() {
		if !picked(s.title(), prefixes) {
			continue
		}
		if s.onlyWithAll() && !o.all && !named(s.title(), prefixes) {
			left++
			continue
		}
		v := s.run(o)
		if v.ok {
			passed++
		} else {
			failed++
		}
		fmt.Println(v)
		for _, l := range v.notes {
			fmt.Println("    " + l)
		}
	}
	if passed+failed+left == 0 {
		fmt.Fprintf(os.Stderr, "no scenario has a name that begins with %s\n", strings.Join(prefixes, " or "))
		os.Exit(2)
	}
	if left > 0 {
		fmt.Printf("%d scenarios with more states were left out: --all runs them too\n", left)
	}
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 {
		os.Exit(1)
	}
}

func everything() []scenario {
	var all []scenario
	for _, list := range [][]Cfg{scenariosFirst(), scenariosText(), scenariosAdditions(), scenariosForget(), scenariosSelf(), scenariosGone()} {
		for _, c := range list {
			all = append(all, &c)
		}
	}
	all = append(all, scripts()...)
	all = append(all, inequalities()...)
	all = append(all, pollScenarios()...)
	all = append(all, fanoutScenarios()...)
	all = append(all, addressScenarios()...)
	return append(all, clockScenarios()...)
}

func picked(name string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return len(prefixes) == 0
}

func named(name string, names []string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}
