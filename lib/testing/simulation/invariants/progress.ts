import { readConditions } from '../../../core/conditions.ts';
import type { Controller } from '../../../core/controller.ts';
import { kindId } from '../../../core/resource-type.ts';
import type { Invariant, ObjectWrite } from './invariant.ts';
import { type Attempt, describeTarget } from './pass-record.ts';
import type { Report } from './violation.ts';

const DECLARED = ['Reconciling', 'Stalled'];

/**
 * I13: a status shows Reconciling or Stalled, never both, and neither of them while Ready is True. Its
 * observedGeneration never decreases.
 */
export class Progress implements Invariant {
  readonly #report: Report;
  readonly #kinds: ReadonlySet<string>;

  constructor(report: Report, controllers: readonly Controller[]) {
    this.#report = report;
    const showing = controllers.filter(({ conditions = [] }) => DECLARED.every((type) => conditions.includes(type)));
    this.#kinds = new Set(showing.map(({ type }) => kindId(type)));
  }

  wrote({ kind, before, after }: ObjectWrite, attempt: Attempt | undefined): void {
    if (attempt === undefined || after === undefined || kind !== attempt.pass.target.kind) return;
    if (!this.#kinds.has(kind)) return;
    const isTrue = (type: string) =>
      readConditions(after.status).some((condition) => condition.type === type && condition.status === 'True');
    const target = describeTarget(attempt.pass.target);
    const shown = DECLARED.filter(isTrue);
    if (shown.length > 1) this.#report('I13', `${target} shows Reconciling and Stalled`);
    if (shown.length > 0 && isTrue('Ready')) this.#report('I13', `${target} shows Ready and ${shown[0]}`);
    const [was, is] = [before, after].map((object) => observedOf(object?.status));
    if (was !== undefined && is !== undefined && is < was) {
      this.#report('I13', `${target} goes back from generation ${was} to ${is}`);
    }
  }
}

function observedOf(status: unknown): number | undefined {
  const { observedGeneration } = (status ?? {}) as { observedGeneration?: unknown };
  return typeof observedGeneration === 'number' ? observedGeneration : undefined;
}
