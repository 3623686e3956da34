import type { AdmissionRequest, AdmissionReview } from '../../../apiserver/state/admission.ts';
import type { CommitRecord } from '../../../ports/state-store.ts';
import type { ObservedCall } from '../process.ts';
import type { ObjectWrite } from './invariant.ts';
import { type Attempt, keyOf, targetKey } from './pass-record.ts';

interface Undone {
  readonly call: ObservedCall;
  readonly attempt: Attempt;
  /** Its pass committed, and not as a failure: the next one knows what admission makes of this write. */
  known: boolean;
}

/**
 * Writes that change nothing because admission undid them. No pass can know this for the first one. After a pass that
 * sent it has ended, the same write again breaks I5.
 */
export class UndoneWrites {
  /** By object: whether admission changed what was sent last. */
  readonly #rewritten = new Map<string, boolean>();
  /** By target, object, its UID and what was sent. */
  readonly #undone = new Map<string, Undone>();

  /** Admission has reviewed what a client sent. */
  reviewed({ group, resource, namespace, object }: AdmissionRequest, review: AdmissionReview): void {
    const { name = '' } = (object.metadata ?? {}) as { name?: string };
    const kind = group === '' ? resource : `${resource}.${group}`;
    const isRewritten = 'object' in review && JSON.stringify(review.object) !== JSON.stringify(object);
    this.#rewritten.set(keyOf(kind, { namespace, name }), isRewritten);
  }

  /** Whether a write that changed nothing is one that its pass could not know to change nothing. */
  excuses({ call, kind, namespace, name, before }: ObjectWrite, attempt: Attempt): boolean {
    const object = keyOf(kind, { namespace, name });
    if (this.#rewritten.get(object) !== true) return false;
    const key = `${targetKey(attempt.pass.target)} ${object} ${before?.metadata.uid} ${sentBy(call)}`;
    if (this.#undone.get(key)?.known === true) return false;
    this.#undone.set(key, { call, attempt, known: false });
    return true;
  }

  /** The pass does not know what its write came to. */
  unanswered(call: ObservedCall): void {
    for (const [key, undone] of this.#undone) if (undone.call === call) this.#undone.delete(key);
  }

  committed(attempt: Attempt, { lastOutcome }: CommitRecord): void {
    if (lastOutcome.type === 'retry') return;
    for (const undone of this.#undone.values()) if (undone.attempt === attempt) undone.known = true;
  }
}

/** What a patch asks for, without the version that it holds itself to. */
function sentBy({ args }: ObservedCall): string {
  const { patch } = args[2] as { readonly patch: { readonly metadata?: object } };
  const metadata = { ...patch.metadata, uid: undefined, resourceVersion: undefined };
  return JSON.stringify({ ...patch, metadata });
}
