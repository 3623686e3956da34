import { applyMergePatch } from '../../lib/core/json-merge.ts';
import type { DesiredObject, JsonObject, KubeObject, ObjectName } from '../../lib/core/kube-object.ts';
import type { Propagation, ReconcileContext } from '../../lib/core/reconcile-context.ts';
import type { ResourceType } from '../../lib/core/resource-type.ts';
import { ApiError } from '../../lib/ports/cluster-api.ts';

type Used = Pick<ReconcileContext, 'get' | 'getAgain' | 'create' | 'apply' | 'mergePatch' | 'delete'>;

/** A cluster in a map. Records every call, e.g. `create app/web`, and can make the next call of a name fail. */
export class KitContext implements Used {
  readonly calls: string[] = [];
  private readonly objects = new Map<string, KubeObject>();
  private readonly failures = new Map<string, Error>();
  private uids = 0;

  /** For functions that need a whole context. Methods that are not faked here do not exist. */
  get whole(): ReconcileContext {
    return this as unknown as ReconcileContext;
  }

  put(object: KubeObject): KubeObject {
    this.objects.set(keyOf(object.metadata), object);
    return object;
  }

  stored(name: ObjectName): KubeObject | undefined {
    return this.objects.get(keyOf(name));
  }

  failNext(call: string, error: Error): void {
    this.failures.set(call, error);
  }

  async get(_: ResourceType, name: ObjectName): Promise<KubeObject | undefined> {
    this.record('get', keyOf(name));
    return this.objects.get(keyOf(name));
  }

  async getAgain(_: ResourceType, name: ObjectName): Promise<KubeObject | undefined> {
    this.record('getAgain', keyOf(name));
    return this.objects.get(keyOf(name));
  }

  async create(_: ResourceType, object: DesiredObject): Promise<KubeObject> {
    const key = keyOf(object.metadata);
    this.record('create', key);
    if (this.objects.has(key)) throw new ApiError('AlreadyExists', 'it is there');
    this.uids += 1;
    return this.put({ ...object, metadata: { ...object.metadata, uid: `made-${this.uids}`, resourceVersion: '1' } });
  }

  async apply(_: ResourceType, observed: KubeObject, object: DesiredObject): Promise<KubeObject> {
    this.record('apply', keyOf(observed.metadata));
    return this.put(applyMergePatch(observed, object as unknown as JsonObject) as unknown as KubeObject);
  }

  async mergePatch(_: ResourceType, observed: KubeObject, patch: JsonObject): Promise<KubeObject> {
    this.record('patch', keyOf(observed.metadata));
    return this.put(applyMergePatch(observed, patch) as unknown as KubeObject);
  }

  async delete(
    _: ResourceType,
    observed: KubeObject,
    { propagation }: { propagation?: Propagation } = {},
  ): Promise<void> {
    const key = keyOf(observed.metadata);
    this.record('delete', propagation === undefined ? key : `${key} ${propagation}`);
    if ((observed.metadata.finalizers ?? []).length === 0) this.objects.delete(key);
    else this.put({ ...observed, metadata: { ...observed.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
  }

  private record(verb: string, key: string): void {
    this.calls.push(`${verb} ${key}`);
    const failure = this.failures.get(verb);
    this.failures.delete(verb);
    if (failure !== undefined) throw failure;
  }
}

function keyOf({ namespace = '', name }: { namespace?: string; name: string }): string {
  return `${namespace}/${name}`;
}
