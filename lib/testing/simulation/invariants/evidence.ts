import { jsonEqual } from '../../../core/json-merge.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { kindId, type ResourceType } from '../../../core/resource-type.ts';
import type { Invariant, ObjectWrite } from './invariant.ts';
import { type Attempt, describeTarget, keyOf } from './pass-record.ts';
import type { Report } from './violation.ts';

/** What one attempt read, for rules of what may be concluded from it. */
export interface Seen {
  /** The object as this attempt read or wrote it last, `absent`, or undefined when it did not read it. */
  read(type: ResourceType, name: { namespace: string; name: string }): KubeObject | 'absent' | undefined;
  /** Whether the attempt read a complete list of the kind in the namespace. */
  listed(type: ResourceType, namespace: string): boolean;
}

/** Says what a published status claims without having read it, or undefined when all of it rests on evidence. */
export type EvidenceRule = (published: KubeObject, seen: Seen) => string | undefined;

interface PublishedCondition {
  readonly type?: unknown;
  readonly status?: unknown;
  readonly observedGeneration?: unknown;
}

/** I4: no condition is True without evidence that was read in that pass. */
export class Evidence implements Invariant {
  readonly #report: Report;
  readonly #rules: readonly EvidenceRule[];

  constructor(report: Report, rules: readonly EvidenceRule[]) {
    this.#report = report;
    this.#rules = rules;
  }

  wrote({ call, kind, namespace, name, before, after }: ObjectWrite, attempt: Attempt | undefined): void {
    const subresource = (call.args[3] as { subresource?: string } | undefined)?.subresource;
    if (attempt === undefined || subresource !== 'status' || after === undefined) return;
    const { target } = attempt.pass;
    if (kind !== target.kind || namespace !== target.namespace || name !== target.name) return;
    // What is published in the middle of a pass records what is about to be made, and claims no new condition.
    if (claimsNothing(before, after)) return;
    const generation = attempt.latest.get(keyOf(kind, { namespace, name }))?.metadata.generation;
    const were = before === undefined ? [] : conditionsOf(before);
    for (const condition of conditionsOf(after)) {
      // One that stands as it stood is of another, or was not looked at and says so by its generation.
      if (were.some((each) => jsonEqual(each, condition))) continue;
      const { type, status, observedGeneration } = condition;
      if (status !== 'True' || observedGeneration === undefined || observedGeneration === generation) continue;
      this.#report(
        'I4',
        `${describeTarget(target)}: ${type} is True for generation ${observedGeneration}; ${generation} was read`,
      );
    }
    if (after.status === before?.status) return;
    const seen = seenBy(attempt);
    for (const rule of this.#rules) {
      const fault = rule(after, seen);
      if (fault !== undefined) this.#report('I4', `${describeTarget(target)}: ${fault}`);
    }
  }
}

/**
 * Conditions and the generation that they speak of are as they were; or all else is as it was, and no condition is True that was
 * not, as where the engine says of an object that its cleanup goes on.
 */
function claimsNothing(before: KubeObject | undefined, after: KubeObject): boolean {
  if (before !== undefined && saysNoMore(before, after)) return true;
  const claims = ({ status }: KubeObject) => {
    const { observedGeneration, conditions } = (status ?? {}) as Record<string, unknown>;
    return { observedGeneration, conditions };
  };
  return before !== undefined && conditionsOf(after).length > 0 && jsonEqual(claims(before), claims(after));
}

function saysNoMore(before: KubeObject, after: KubeObject): boolean {
  const rest = ({ status }: KubeObject) => {
    const { observedGeneration: _, conditions: __, ...others } = (status ?? {}) as Record<string, unknown>;
    return others;
  };
  const had = conditionsOf(before);
  const isNew = (condition: PublishedCondition) => !had.some((each) => jsonEqual(each, condition));
  return (
    conditionsOf(after).some(isNew) &&
    conditionsOf(after).every((condition) => condition.status !== 'True' || !isNew(condition)) &&
    jsonEqual(rest(before), rest(after))
  );
}

export function seenBy({ latest, listings }: Attempt): Seen {
  return {
    read: (type, name) => {
      const key = keyOf(kindId(type), name);
      return latest.has(key) ? (latest.get(key) ?? 'absent') : undefined;
    },
    listed: (type, namespace) =>
      listings.some((listing) => listing.kind === kindId(type) && ['', namespace].includes(listing.namespace)),
  };
}

function conditionsOf({ status }: KubeObject): PublishedCondition[] {
  const conditions = (status as { conditions?: unknown } | undefined)?.conditions;
  return Array.isArray(conditions) ? (conditions as PublishedCondition[]) : [];
}
