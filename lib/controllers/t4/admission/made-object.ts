import { EvenkeelError } from '../../../core/errors.ts';
import { fieldManagerOf } from '../../../core/field-manager.ts';
import { applyMergePatch, mergePatchBetween } from '../../../core/json-merge.ts';
import type { DesiredObject, JsonObject, KubeObject } from '../../../core/kube-object.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import type { ResourceType } from '../../../core/resource-type.ts';
import {
  type AdmittedFields,
  admittedFields,
  digestOf,
  exceptAdmitted,
  sentBeforeAdmission,
  withAdmittedFields,
  withFields,
} from './admitted-fields.ts';
import { type FieldDifference, fieldAt, fieldDifferences } from './field-differences.ts';
import { type FieldPath, isWrittenBy } from './written-by.ts';

export interface MadeObjectOptions {
  readonly type: ResourceType;
  /** The name of the controller that makes it. */
  readonly controller: string;
  /** What a creation sends; undefined while nothing could be created. */
  readonly desired: DesiredObject | undefined;
  /** The repair. What it would change in the create response was changed by admission. */
  readonly repairOf: (object: KubeObject) => JsonObject;
}

/** Admission may not change owner references. */
const OWNERS = 'f:ownerReferences';

/**
 * An object that a controller makes and repairs, and that admission may change on its way. Whatever the answer to
 * one of our writes shows otherwise than it was sent is admission's: it is recorded, and left as it was answered. What
 * differs from that later is an edit, and is put back.
 */
export class MadeObject {
  readonly #context: ReconcileContext;
  readonly #options: MadeObjectOptions;

  constructor(context: ReconcileContext, options: MadeObjectOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Records what is to be sent, before a creation: when its answer is lost, the next pass still knows it. */
  async announce(): Promise<void> {
    const sent = digestOf(this.#desired);
    if (this.#record?.sent !== sent) await this.#save({ sent });
  }

  async create(): Promise<KubeObject> {
    const { type, repairOf } = this.#options;
    await this.announce();
    const created = await this.#context.create(type, this.#desired);
    await this.#note(created, this.#unrecorded(created, applied(created, repairOf(created))));
    return created;
  }

  /** Repairs the object, but for what admission changed. @returns the object itself when nothing is to be done */
  async repair(observed: KubeObject, repairOf: MadeObjectOptions['repairOf']): Promise<KubeObject> {
    const patch = mergePatchBetween(observed, (await this.target(observed, repairOf)) as JsonObject);
    if (patch === undefined) return observed;
    const patched = await this.#context.mergePatch(this.#options.type, observed, patch);
    if (patched === observed) return observed;
    const admitted = this.#unrecorded(patched, applied(patched, repairOf(patched)));
    if (admitted.length > 0) await this.#note(patched, admitted);
    return patched;
  }

  /** What a repair makes of the object. */
  async target(observed: KubeObject, repairOf: MadeObjectOptions['repairOf']): Promise<KubeObject> {
    const wanted = applied(observed, repairOf(observed));
    await this.#recognize(observed, wanted);
    return exceptAdmitted(this.#record, observed, wanted);
  }

  /** Where the object is neither as it is wanted nor as admission is known to have made it. */
  #unrecorded(object: KubeObject, wanted: KubeObject): FieldDifference[] {
    const left = differences(object, exceptAdmitted(this.#record, object, wanted));
    return left.map((difference) => ({ ...difference, wanted: fieldAt(wanted, difference.path) }));
  }

  /** A digest of what was sent for a field that admission changed to what it is now; undefined where it did not. */
  sentBeforeAdmission(observed: KubeObject, path: FieldPath): string | undefined {
    return sentBeforeAdmission(this.#record, observed, path, fieldAt(observed, path));
  }

  /**
   * The answer to a creation may be lost. The object then shows what admission did, in this one pass, where nobody else has
   * written the field and what was sent is what is wanted still.
   */
  async #recognize(observed: KubeObject, wanted: KubeObject): Promise<void> {
    const { controller, desired } = this.#options;
    const record = this.#record;
    if (record === undefined || record.uid === observed.metadata.uid) return;
    if (desired === undefined || record.sent !== digestOf(desired)) return;
    const manager = fieldManagerOf(controller);
    await this.#note(
      observed,
      differences(observed, wanted).filter(({ path }) => isWrittenBy(observed, manager, path)),
    );
  }

  get #desired(): DesiredObject {
    const { desired, type } = this.#options;
    if (desired === undefined) throw new EvenkeelError('NOTHING_DESIRED', `nothing says what ${type.kind} to create`);
    return desired;
  }

  get #record(): AdmittedFields | undefined {
    return admittedFields(this.#context.values, this.#options.type);
  }

  /** From then on the object is known, and only an answer to a write of ours adds to its record. */
  async #note(object: KubeObject, found: readonly FieldDifference[]): Promise<void> {
    await this.#save(withFields(this.#record ?? { sent: '' }, object, found));
  }

  async #save(record: AdmittedFields): Promise<void> {
    await this.#context.saveValues(withAdmittedFields(this.#context.values, this.#options.type, record));
  }
}

function applied(object: KubeObject, patch: JsonObject): KubeObject {
  return applyMergePatch(object, patch) as unknown as KubeObject;
}

function differences(object: KubeObject, wanted: KubeObject): FieldDifference[] {
  return fieldDifferences(object, wanted).filter(({ path }) => !path.includes(OWNERS));
}
