import { jsonEqual } from '../../../core/json-merge.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { FOREIGN_TYPE } from '../forgeries.ts';
import type { Invariant, ObjectWrite } from './invariant.ts';
import { type Attempt, describeTarget } from './pass-record.ts';
import type { Report } from './violation.ts';

/** I3, for conditions: a condition of a type that no controller owns does not change. */
export class ForeignConditions implements Invariant {
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  wrote({ before, after }: ObjectWrite, attempt: Attempt | undefined): void {
    if (attempt === undefined || before === undefined || after === undefined) return;
    const left = foreignOf(after);
    for (const [type, condition] of foreignOf(before)) {
      if (jsonEqual(left.get(type), condition)) continue;
      const how = left.has(type) ? 'changes' : 'removes';
      this.#report('I3', `${describeTarget(attempt.pass.target)} ${how} the condition ${type}, which is not its own`);
    }
  }
}

function foreignOf({ status }: KubeObject): Map<string, object> {
  const { conditions } = (status ?? {}) as { conditions?: unknown };
  const all = Array.isArray(conditions) ? (conditions as { type?: unknown }[]) : [];
  return new Map(
    all.flatMap((each) =>
      typeof each.type === 'string' && each.type.startsWith(FOREIGN_TYPE) ? [[each.type, each] as const] : [],
    ),
  );
}
