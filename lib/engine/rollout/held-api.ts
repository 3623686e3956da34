import { EvenkeelError } from '../../core/errors.ts';
import type { DesiredObject, KubeObject, ObjectName } from '../../core/kube-object.ts';
import { ABSENT_VERSION, type ObjectKey, objectKey, versionNumber } from '../../core/observation.ts';
import {
  changedPaths,
  type PlannedWrite,
  type PlannedWrites,
  sentPaths,
  shownPath,
  unplannedPath,
} from '../../core/planned-writes.ts';
import { Events, kindId, type ResourceType } from '../../core/resource-type.ts';
import {
  type ClusterApi,
  type DeleteOptions,
  isApiError,
  type ListOptions,
  type PatchBody,
  type PatchOptions,
  type ReadOptions,
  type WatchOptions,
  type WriteOptions,
} from '../../ports/cluster-api.ts';
import type { TargetState } from '../../ports/state-store.ts';

/** A write that is not in the plan was not sent. */
export class OutsidePlanError extends EvenkeelError {
  constructor(message: string) {
    super('OUTSIDE_PLAN', message);
  }
}

export interface HeldApiOptions {
  readonly api: ClusterApi;
  readonly planned: PlannedWrites;
  /** The target after the last pass. */
  readonly last: Pick<TargetState, 'target' | 'observedVersion' | 'versions'>;
  /** Throws when too little of the pass's lease is left for a write. */
  readonly assertLease: () => void;
}

/**
 * The API of a pass that is limited to a plan. It sends only writes that the plan has, by object and field. To find the
 * changes of a patch it sends a dry run, because only the API server knows what an apply removes. After the first write
 * that is not in the plan it sends no more writes, whatever the controller does with the error.
 */
export class HeldApi implements ClusterApi {
  /** The first write that is not in the plan. */
  outsidePlan: OutsidePlanError | undefined;
  readonly #options: HeldApiOptions;
  readonly #written = new Set<ObjectKey>();
  #foundChange = false;
  #isVersionsFault = false;

  constructor(options: HeldApiOptions) {
    this.#options = options;
  }

  /**
   * Whether the version caused the write outside the plan: everything that the pass had read was as the last pass saw
   * it. No plan can contain the effects of a later change.
   */
  get isVersionsFault(): boolean {
    return this.#isVersionsFault;
  }

  async get(type: ResourceType, name: ObjectName, options?: ReadOptions): Promise<KubeObject> {
    try {
      const object = await this.#options.api.get(type, name, options);
      this.#compare(type, name, object.metadata.resourceVersion);
      return object;
    } catch (error) {
      if (isApiError(error, 'NotFound')) this.#compare(type, name, undefined);
      throw error;
    }
  }

  async list(type: ResourceType, options?: ListOptions) {
    const page = await this.#options.api.list(type, options);
    for (const { metadata } of page.items) {
      const { namespace = '', name, resourceVersion } = metadata;
      this.#compare(type, { namespace, name }, resourceVersion);
    }
    return page;
  }

  watch(type: ResourceType, options: WatchOptions) {
    return this.#options.api.watch(type, options);
  }

  async create(type: ResourceType, object: DesiredObject, options: WriteOptions): Promise<KubeObject> {
    const { namespace = '', name } = object.metadata;
    if (!isEvent(type)) {
      const planned = this.#plannedOf(type, { namespace, name });
      this.#assertStillPlanned();
      if (planned?.creates !== true) this.#refuse('create', type, { namespace, name });
      this.#assertPlanned(planned, type, { namespace, name }, sentPaths(object));
      this.#written.add(objectKey(kindId(type), { namespace, name }));
    }
    return await this.#options.api.create(type, object, options);
  }

  async patch(type: ResourceType, name: ObjectName, body: PatchBody, options: PatchOptions): Promise<KubeObject> {
    const { api, assertLease } = this.#options;
    if (isEvent(type)) return await api.patch(type, name, body, options);
    this.#assertStillPlanned();
    const { signal } = options;
    const before = await api.get(type, name, signal === undefined ? {} : { signal });
    const after = await api.patch(type, name, body, { ...options, dryRun: true });
    const sent = body.type === 'json' ? undefined : (body.patch as object);
    this.#assertPlanned(this.#plannedOf(type, name), type, name, changedPaths(before, after, sent));
    assertLease();
    this.#written.add(objectKey(kindId(type), name));
    return await api.patch(type, name, body, options);
  }

  async delete(type: ResourceType, name: ObjectName, options: DeleteOptions): Promise<void> {
    this.#assertStillPlanned();
    if (this.#plannedOf(type, name)?.deletes !== true) this.#refuse('delete', type, name);
    this.#written.add(objectKey(kindId(type), name));
    await this.#options.api.delete(type, name, options);
  }

  #plannedOf(type: ResourceType, name: ObjectName): PlannedWrite | undefined {
    return this.#options.planned.get(objectKey(kindId(type), name));
  }

  #assertPlanned(
    planned: PlannedWrite | undefined,
    type: ResourceType,
    name: ObjectName,
    paths: readonly (readonly string[])[],
  ): void {
    this.#assertStillPlanned();
    const path = unplannedPath(planned, paths);
    if (path !== undefined) this.#refuse(`change ${shownPath(path)} of`, type, name);
  }

  #assertStillPlanned(): void {
    if (this.outsidePlan !== undefined) throw this.outsidePlan;
  }

  #refuse(what: string, type: ResourceType, { namespace, name }: ObjectName): never {
    const object = `${kindId(type)} ${namespace === '' ? name : `${namespace}/${name}`}`;
    if (this.outsidePlan === undefined) this.#isVersionsFault = !this.#foundChange;
    this.outsidePlan ??= new OutsidePlanError(`the new version would ${what} ${object}, which its plan does not have`);
    throw this.outsidePlan;
  }

  #compare(type: ResourceType, name: ObjectName, resourceVersion: string | undefined): void {
    const key = objectKey(kindId(type), name);
    if (this.#written.has(key)) return;
    const recorded = this.#recorded(key);
    const found = resourceVersion === undefined ? ABSENT_VERSION : versionNumber(resourceVersion);
    if (recorded !== undefined && recorded !== found) this.#foundChange = true;
  }

  #recorded(key: ObjectKey): number | undefined {
    const { target, observedVersion, versions } = this.#options.last;
    return key === objectKey(target.kind, target) ? observedVersion : versions[key];
  }
}

/** Kubernetes Events are in no plan: they report what happened, and start no pass. */
function isEvent(type: ResourceType): boolean {
  return kindId(type) === kindId(Events);
}
