import { jsonEqual } from '../../../core/json-merge.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { kindId, type ResourceType } from '../../../core/resource-type.ts';
import type { Invariant, ObjectWrite } from './invariant.ts';
import { type Attempt, describeTarget, keyOf } from './pass-record.ts';
import type { Report } from './violation.ts';

/** Everything that one attempt read, for rules about conclusions from it. */
export interface Seen {
  /** The object as this attempt last read or wrote it; `absent`; or undefined when it did not read it. */
  read(type: ResourceType, name: { namespace: string; name: string }): KubeObject | 'absent' | undefined;
  /** Whether the attempt read a complete list of the kind in the namespace. */
  listed(type: ResourceType, namespace: string): boolean;
}

/** Returns the claim of a published status for which the attempt has no evidence; undefined when there is none. */
export type EvidenceRule = (published: KubeObject, seen: Seen) => string | undefined;

interface PublishedCondition {
  readonly type?: unknown;
  readonly status?: unknown;
  readonly observedGeneration?: unknown;
}

/** I4: no condition is True without evidence that the same pass read. */
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
    // A status in the middle of a pass records an object before its creation, and makes no new claim.
    if (claimsNothing(before, after)) return;
    const generation = attempt.latest.get(keyOf(kind, { namespace, name }))?.metadata.generation;
    const were = before === undefined ? [] : conditionsOf(before);
    for (const condition of conditionsOf(after)) {
      // An unchanged condition belongs to somebody else, or its generation shows that it was not computed again.
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
 * True in two cases. The conditions and their generation are unchanged. Or everything else is unchanged and no new
 * condition is True, as when the engine reports that a cleanup continues.
 */
function claimsNothing(before: KubeObject | undefined, after: KubeObject): boolean {
  if (before !== undefined && saysNoMore(before, after)) return true;
  const claimed = ({ status }: KubeObject) => {
    const { observedGeneration, conditions } = (status ?? {}) as Record<string, unknown>;
    return { observedGeneration, conditions };
  };
  return before !== undefined && conditionsOf(after).length > 0 && jsonEqual(claimed(before), claimed(after));
}

/** Reconciling and Stalled describe what the engine will do, not what it read. */
function claims({ type, status }: PublishedCondition): boolean {
  return status === 'True' && type !== 'Reconciling' && type !== 'Stalled';
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
    conditionsOf(after).every((condition) => !claims(condition) || !isNew(condition)) &&
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
