import { EvenkeelError } from '../../../core/errors.ts';
import { applyMergePatch, mergePatchBetween } from '../../../core/json-merge.ts';
import type { DesiredObject, JsonObject, KubeObject } from '../../../core/kube-object.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import type { ResourceType } from '../../../core/resource-type.ts';
import { type ApiErrorReason, isApiError } from '../../../ports/cluster-api.ts';
import {
  type AdmittedFields,
  admittedFields,
  exceptAdmitted,
  isOpen,
  sentBeforeAdmission,
  withAdmittedFields,
  withFields,
} from './admitted-fields.ts';
import { type FieldDifference, type FieldPath, fieldAt, fieldDifferences } from './field-differences.ts';

export interface MadeObjectOptions {
  readonly type: ResourceType;
  /** The object that a create sends; undefined while nothing can be created. */
  readonly desired: DesiredObject | undefined;
  /** The repair. Every change that it would make to the answer of a create was made by admission. */
  readonly repairOf: (object: KubeObject) => JsonObject;
}

/** Admission may not change owner references. */
const OWNERS = 'f:ownerReferences';

/** Answers to a create that prove that the API server has created nothing. */
const REFUSALS: readonly ApiErrorReason[] = [
  'AlreadyExists',
  'BadRequest',
  'Conflict',
  'Forbidden',
  'Invalid',
  'KindMissing',
  'NotFound',
  'TooManyRequests',
  'Unauthorized',
];

/**
 * An object that a controller creates and repairs, and that admission may change. When the answer to one of
 * our writes has another value than the write, admission changed it: the value is recorded and not repaired. A later
 * difference is an edit, and is repaired. Nothing in the object itself counts as proof, because everybody who may write
 * the object can copy its marks and use the name of any field manager.
 */
export class MadeObject {
  readonly #context: ReconcileContext;
  readonly #options: MadeObjectOptions;
  /** Whether an earlier create was open when this one was announced; undefined when none is announced. */
  #wasOpen: boolean | undefined;

  constructor(context: ReconcileContext, options: MadeObjectOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Records a create as open before it is sent. If its answer is lost, the next pass counts the object as ours. */
  async announce(): Promise<void> {
    if (this.#wasOpen !== undefined) return;
    this.#wasOpen = isOpen(this.#record);
    await this.#save({ ...this.#record, open: true });
  }

  /** Records that the create made nothing. An earlier one may still have made an object. */
  async withdraw(): Promise<void> {
    if (this.#wasOpen === false) await this.#save({ ...this.#record, open: false });
    this.#wasOpen = undefined;
  }

  async create(): Promise<KubeObject> {
    const { type, repairOf } = this.#options;
    await this.announce();
    const created = await this.#created(type, this.#desired);
    await this.#note(created, this.#unrecorded(created, applied(created, repairOf(created))));
    return created;
  }

  async #created(type: ResourceType, desired: DesiredObject): Promise<KubeObject> {
    try {
      return await this.#context.create(type, desired);
    } catch (error) {
      if (isApiError(error, ...REFUSALS)) await this.withdraw();
      throw error;
    }
  }

  /**
   * Counts the object as ours if nothing proves the opposite: a create is open, or an older release made the object.
   * This happens once. The changes of admission are unknown, so the object is repaired as if admission had not changed
   * it.
   */
  async adopt({ metadata }: KubeObject): Promise<void> {
    const record = this.#record;
    if (record?.uid === metadata.uid) return;
    if (record === undefined || isOpen(record)) await this.#save({ uid: metadata.uid });
  }

  /** Whether somebody else made the object. Nothing in the object itself counts. */
  isMadeByOther({ metadata }: KubeObject): boolean {
    const record = this.#record;
    return record !== undefined && record.uid !== metadata.uid && !isOpen(record);
  }

  /** Repairs the object, except for the changes of admission. @returns the object itself when nothing changed */
  async repair(observed: KubeObject, repairOf: MadeObjectOptions['repairOf']): Promise<KubeObject> {
    const patch = mergePatchBetween(observed, this.target(observed, repairOf) as unknown as JsonObject);
    if (patch === undefined) return observed;
    const patched = await this.#context.mergePatch(this.#options.type, observed, patch);
    if (patched === observed) return observed;
    const admitted = this.#unrecorded(patched, applied(patched, repairOf(patched)));
    if (admitted.length > 0) await this.#note(patched, admitted);
    return patched;
  }

  /** The object after a repair. */
  target(observed: KubeObject, repairOf: MadeObjectOptions['repairOf']): KubeObject {
    const wanted = applied(observed, repairOf(observed));
    return exceptAdmitted(this.#record, observed, wanted);
  }

  /** The fields that are neither as wanted nor as admission is known to have changed them. */
  #unrecorded(object: KubeObject, wanted: KubeObject): FieldDifference[] {
    const left = differences(object, exceptAdmitted(this.#record, object, wanted));
    return left.map((difference) => ({ ...difference, wanted: fieldAt(wanted, difference.path) }));
  }

  /**
   * A digest of the value that was sent, for a field that admission changed to its present value; undefined when
   * admission did not change it.
   */
  sentBeforeAdmission(observed: KubeObject, path: FieldPath): string | undefined {
    return sentBeforeAdmission(this.#record, observed, path, fieldAt(observed, path));
  }

  get #desired(): DesiredObject {
    const { desired, type } = this.#options;
    if (desired === undefined) throw new EvenkeelError('NOTHING_DESIRED', `nothing says what ${type.kind} to create`);
    return desired;
  }

  get #record(): AdmittedFields | undefined {
    return admittedFields(this.#context.values, this.#options.type);
  }

  /** Records the object's UID: the object is known after that. */
  async #note(object: KubeObject, found: readonly FieldDifference[]): Promise<void> {
    await this.#save(withFields(this.#record, object, found));
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
