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
  /** What a creation sends; undefined while nothing could be created. */
  readonly desired: DesiredObject | undefined;
  /** The repair. What it would change in the create response was changed by admission. */
  readonly repairOf: (object: KubeObject) => JsonObject;
}

/** Admission may not change owner references. */
const OWNERS = 'f:ownerReferences';

/** After these answers to a creation the API server has created nothing. */
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
 * An object that a controller makes and repairs, and that admission may change on its way. Whatever the answer to
 * one of our writes shows otherwise than it was sent is admission's: it is recorded, and left as it was answered. What
 * differs from that later is an edit, and is put back. Nothing that the object itself shows counts, because anybody who may
 * write it can copy its marks and use any field manager's name.
 */
export class MadeObject {
  readonly #context: ReconcileContext;
  readonly #options: MadeObjectOptions;
  /** Whether an earlier creation was open when this one was announced; undefined while none is announced. */
  #wasOpen: boolean | undefined;

  constructor(context: ReconcileContext, options: MadeObjectOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Marks a creation as open, before it is sent: when its answer is lost, the next pass takes what it made for ours. */
  async announce(): Promise<void> {
    if (this.#wasOpen !== undefined) return;
    this.#wasOpen = isOpen(this.#record);
    await this.#save({ ...this.#record, open: true });
  }

  /** Takes the announcement back when the creation made nothing. An earlier one may still have made an object. */
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
   * Takes the object for ours where nothing speaks against it: a creation is open, or an older release made it. That
   * happens once. What admission did to it is not known, so it is repaired as if admission had left it.
   */
  async adopt({ metadata }: KubeObject): Promise<void> {
    const record = this.#record;
    if (record?.uid === metadata.uid) return;
    if (record === undefined || isOpen(record)) await this.#save({ uid: metadata.uid });
  }

  /** Whether somebody else made the object, whatever it shows. */
  isMadeByOther({ metadata }: KubeObject): boolean {
    const record = this.#record;
    return record !== undefined && record.uid !== metadata.uid && !isOpen(record);
  }

  /** Repairs the object, but for what admission changed. @returns the object itself when nothing is to be done */
  async repair(observed: KubeObject, repairOf: MadeObjectOptions['repairOf']): Promise<KubeObject> {
    const patch = mergePatchBetween(observed, this.target(observed, repairOf) as unknown as JsonObject);
    if (patch === undefined) return observed;
    const patched = await this.#context.mergePatch(this.#options.type, observed, patch);
    if (patched === observed) return observed;
    const admitted = this.#unrecorded(patched, applied(patched, repairOf(patched)));
    if (admitted.length > 0) await this.#note(patched, admitted);
    return patched;
  }

  /** What a repair makes of the object. */
  target(observed: KubeObject, repairOf: MadeObjectOptions['repairOf']): KubeObject {
    const wanted = applied(observed, repairOf(observed));
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

  get #desired(): DesiredObject {
    const { desired, type } = this.#options;
    if (desired === undefined) throw new EvenkeelError('NOTHING_DESIRED', `nothing says what ${type.kind} to create`);
    return desired;
  }

  get #record(): AdmittedFields | undefined {
    return admittedFields(this.#context.values, this.#options.type);
  }

  /** From then on the object is known. */
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
