import type { AdmissionRequest, AdmissionReview } from '../../../apiserver/state/admission.ts';
import type { CommitRecord } from '../../../ports/state-store.ts';
import type { ObservedCall } from '../process.ts';
import type { ObjectWrite } from './invariant.ts';
import { type Attempt, keyOf, targetKey } from './pass-record.ts';

interface Undone {
  readonly call: ObservedCall;
  readonly attempt: Attempt;
  /** Whether the pass committed without a failure: then the next pass knows what admission does with this write. */
  known: boolean;
}

/**
 * Writes that change nothing because admission undid them. No pass can know this for the first one. After a pass that
 * sent it has ended, the same write again breaks I5.
 */
export class UndoneWrites {
  /** By object: whether admission changed the last request. */
  readonly #rewritten = new Map<string, boolean>();
  /** By target, object, its UID and the request. */
  readonly #undone = new Map<string, Undone>();

  /** Admission has reviewed the request of a client. */
  reviewed({ group, resource, namespace, object }: AdmissionRequest, review: AdmissionReview): void {
    const { name = '' } = (object.metadata ?? {}) as { name?: string };
    const kind = group === '' ? resource : `${resource}.${group}`;
    const isRewritten = 'object' in review && JSON.stringify(review.object) !== JSON.stringify(object);
    this.#rewritten.set(keyOf(kind, { namespace, name }), isRewritten);
  }

  /** Whether the pass could not know that its write would change nothing. */
  excuses({ call, kind, namespace, name, before }: ObjectWrite, attempt: Attempt): boolean {
    const object = keyOf(kind, { namespace, name });
    if (this.#rewritten.get(object) !== true) return false;
    const key = `${targetKey(attempt.pass.target)} ${object} ${before?.metadata.uid} ${sentBy(call)}`;
    if (this.#undone.get(key)?.known === true) return false;
    this.#undone.set(key, { call, attempt, known: false });
    return true;
  }

  /** The pass does not know the result of its write. */
  unanswered(call: ObservedCall): void {
    for (const [key, undone] of this.#undone) if (undone.call === call) this.#undone.delete(key);
  }

  committed(attempt: Attempt, { lastOutcome }: CommitRecord): void {
    if (lastOutcome.type === 'retry') return;
    for (const undone of this.#undone.values()) if (undone.attempt === attempt) undone.known = true;
  }
}

/** The content of a patch, without its version precondition. */
function sentBy({ args }: ObservedCall): string {
  const { patch } = args[2] as { readonly patch: { readonly metadata?: object } };
  const metadata = { ...patch.metadata, uid: undefined, resourceVersion: undefined };
  return JSON.stringify({ ...patch, metadata });
}
