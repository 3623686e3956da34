import { type Condition, readConditions } from '../../../core/conditions.ts';
import type { Controller } from '../../../core/controller.ts';
import { jsonEqual } from '../../../core/json-merge.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { kindId } from '../../../core/resource-type.ts';
import type { Target } from '../../../core/target.ts';
import type { CommitRecord } from '../../../ports/state-store.ts';
import type { CallOutcome, MessageScope, ObservedCall } from '../process.ts';
import type { Invariant, ObjectWrite } from './invariant.ts';
import { type Attempt, describeTarget, keyOf, type TargetRecord, targetKey } from './pass-record.ts';
import type { Report } from './violation.ts';

const DECLARED = ['Reconciling', 'Stalled'];
const MAIN_TYPES = ['Ready', 'Available'];
/** How a pass ends in which the controller came to a result. */
const RESULTS = ['settled', 'checkAt', 'terminal'];

/**
 * I13: a status shows Reconciling or Stalled, never both, and neither while it shows Ready; its generation never falls. A pass
 * adds no Ready or Available that its controller does not declare. What a failed pass showed is gone after the next result.
 */
export class Progress implements Invariant {
  readonly #report: Report;
  /** The declared types, by kind. */
  readonly #kinds: ReadonlyMap<string, readonly string[]>;
  /** The Reconciling that a failed pass left, by target. */
  readonly #leftByFailure = new Map<string, Condition>();
  /** Passes of which a call failed: the engine need not have been able to publish. */
  readonly #hindered = new WeakSet<MessageScope>();

  constructor(report: Report, controllers: readonly Controller[]) {
    this.#report = report;
    const showing = controllers.flatMap(({ type, conditions = [] }) =>
      DECLARED.every((each) => conditions.includes(each)) ? [[kindId(type), conditions] as const] : [],
    );
    this.#kinds = new Map(showing);
  }

  called({ scope }: ObservedCall, { ok }: CallOutcome): void {
    if (!ok && scope !== undefined) this.#hindered.add(scope);
  }

  unanswered({ scope }: ObservedCall): void {
    if (scope !== undefined) this.#hindered.add(scope);
  }

  wrote({ kind, before, after }: ObjectWrite, attempt: Attempt | undefined): void {
    if (attempt === undefined || after === undefined || kind !== attempt.pass.target.kind) return;
    const declared = this.#kinds.get(kind);
    if (declared === undefined) return;
    const target = describeTarget(attempt.pass.target);
    const shown = DECLARED.filter((type) => conditionOf(after, type)?.status === 'True');
    if (shown.length > 1) this.#report('I13', `${target} shows Reconciling and Stalled`);
    const main = MAIN_TYPES.find((type) => declared.includes(type));
    if (shown.length > 0 && main !== undefined && conditionOf(after, main)?.status === 'True') {
      this.#report('I13', `${target} shows ${main} and ${shown[0]}`);
    }
    const added = MAIN_TYPES.filter((type) => conditionOf(after, type) && !conditionOf(before, type));
    for (const type of added.filter((each) => !declared.includes(each))) {
      this.#report('I13', `${target} gets ${type}, which its controller does not declare`);
    }
    const [was, is] = [before, after].map((object) => observedOf(object?.status));
    if (was !== undefined && is !== undefined && is < was) {
      this.#report('I13', `${target} goes back from generation ${was} to ${is}`);
    }
  }

  committed({ pass, latest }: Attempt, _record: TargetRecord, { lastOutcome }: CommitRecord): void {
    const { target, scope } = pass;
    if (!this.#kinds.has(target.kind)) return;
    const key = targetKey(target);
    const object = latest.get(keyOf(target.kind, target));
    const reconciling = conditionOf(object, 'Reconciling');
    if (lastOutcome.type === 'retry') {
      if (reconciling !== undefined) this.#leftByFailure.set(key, reconciling);
      return;
    }
    if (!RESULTS.includes(lastOutcome.type) || this.#hindered.has(scope)) return;
    const left = this.#leftByFailure.get(key);
    this.#leftByFailure.delete(key);
    if (left === undefined) return;
    if (jsonEqual(reconciling, left)) this.#stillShows(target, 'Reconciling');
    for (const type of MAIN_TYPES) if (isUnknownFor(left, conditionOf(object, type))) this.#stillShows(target, type);
  }

  forgotten(target: Target): void {
    this.#leftByFailure.delete(targetKey(target));
  }

  #stillShows(target: Target, type: string): void {
    this.#report('I13', `${describeTarget(target)} still shows ${type} of a failed pass, after a pass with a result`);
  }
}

function conditionOf(object: KubeObject | undefined, type: string): Condition | undefined {
  return readConditions(object?.status).find((condition) => condition.type === type);
}

/** Whether a condition is Unknown with the same words: the failure is what made it so. */
function isUnknownFor({ reason, message }: Condition, main: Condition | undefined): boolean {
  return main?.status === 'Unknown' && main.reason === reason && main.message === message;
}

function observedOf(status: unknown): number | undefined {
  const { observedGeneration } = (status ?? {}) as { observedGeneration?: unknown };
  return typeof observedGeneration === 'number' ? observedGeneration : undefined;
}
