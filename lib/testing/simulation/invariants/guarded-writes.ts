import type { Invariant, ObjectWrite } from './invariant.ts';
import { type Attempt, describeTarget, keyOf } from './pass-record.ts';
import type { Report } from './violation.ts';

/** Kinds whose objects are changed by the caller that counts repetitions. */
const SHARED_KINDS = new Set(['events.events.k8s.io']);

/**
 * I3: no write of a pass reaches another UID or version than the pass read. One case is allowed: a restored cluster
 * assigns versions again, and the API server compares only the version in the patch of a status. Such a write can
 * reach, once, the object that has the version now; the event of the write then corrects it.
 */
export class GuardedWrites implements Invariant {
  readonly #report: Report;
  readonly #wasRestored: () => boolean;

  /** @param wasRestored whether the cluster was restored from a backup earlier. */
  constructor(report: Report, wasRestored: () => boolean) {
    this.#report = report;
    this.#wasRestored = wasRestored;
  }

  wrote({ call, kind, namespace, name, before }: ObjectWrite, attempt: Attempt | undefined): void {
    if (attempt === undefined || call.method === 'create' || SHARED_KINDS.has(kind)) return;
    const key = keyOf(kind, { namespace, name });
    const read = attempt.latest.get(key);
    const about = `${describeTarget(attempt.pass.target)}: a ${call.method} of ${key}`;
    if (read === undefined) this.#report('I3', `${about} that its attempt had not read`);
    else if (read.metadata.uid !== before?.metadata.uid) {
      const isSameVersion = read.metadata.resourceVersion === before?.metadata.resourceVersion;
      if (!isSameVersion || !this.#wasRestored()) this.#report('I3', `${about} landed on another UID`);
    } else if (read.metadata.resourceVersion !== before.metadata.resourceVersion) {
      const versions = `${before.metadata.resourceVersion}, and ${read.metadata.resourceVersion} was read`;
      this.#report('I3', `${about} landed on version ${versions}`);
    }
  }
}
