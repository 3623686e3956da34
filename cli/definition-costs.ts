import { EvenkeelError } from '../lib/core/errors.ts';
import type { VersionCost } from './wiring-definitions.ts';

const SHOWN_FIELDS = 3;

/**
 * One line for each definition with rules: the share of the API server's limit that the rules use.
 * @throws EvenkeelError RULE_COST with a line for each rule that costs too much: the fields without a bound, or that
 * the rule must become simpler.
 */
export function costLines(costs: readonly VersionCost[]): string[] {
  const faults = costs.flatMap(faultsOf);
  if (faults.length > 0) {
    throw new EvenkeelError('RULE_COST', ['The API server would refuse these rules:', ...faults].join('\n'));
  }
  return costs
    .filter(({ rules }) => rules.length > 0)
    .map(({ definition, version, total, limit, rules }) => {
      const highest = Math.max(...rules.map((rule) => rule.cost / rule.limit));
      return `${definition} ${version}: rules use ${share(total / limit)} of the cost that the API server allows, and the most expensive one ${share(highest)} of its own`;
    });
}

function faultsOf({ definition, version, total, limit, rules }: VersionCost): string[] {
  const tooMuch = rules.filter((rule) => rule.cost > rule.limit);
  if (tooMuch.length === 0 && total > limit) {
    const all = [...rules].sort((one, other) => other.cost - one.cost).flatMap(({ missing }) => missing);
    return [`${definition} ${version}: its rules cost ${times(total / limit)} together. ${remedy(all)}`];
  }
  return tooMuch.map(({ field, text, cost, limit: most, missing }) => {
    const where = field === '' ? 'a rule of the whole object' : `a rule of ${field}`;
    return `${definition} ${version}: ${where} costs ${times(cost / most)}: ${text}. ${remedy(missing)}`;
  });
}

function remedy(missing: readonly string[]): string {
  const bounds = [...new Set(missing)].sort();
  if (bounds.length === 0) return 'Compare less, or lower the bounds of what it reads.';
  const more = bounds.length > SHOWN_FIELDS ? ` and ${bounds.length - SHOWN_FIELDS} more` : '';
  return `Give a bound to ${bounds.slice(0, SHOWN_FIELDS).join(', ')}${more}.`;
}

function times(factor: number): string {
  return factor > 100 ? 'more than 100 times the limit' : `${factor.toFixed(1)} times the limit`;
}

function share(part: number): string {
  if (part > 0 && part < 0.0005) return 'less than 0.1 %';
  return `${(part * 100).toFixed(1)} %`;
}
