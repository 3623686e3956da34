import { LeaseLostError } from '../../../lib/core/errors.ts';
import { applyMergePatch, jsonEqual } from '../../../lib/core/json-merge.ts';
import type { JsonObject, KubeObject, ObjectName } from '../../../lib/core/kube-object.ts';
import { listKey, objectKey } from '../../../lib/core/observation.ts';
import type { DurableValues, ReconcileContext } from '../../../lib/core/reconcile-context.ts';
import { kindId, type ResourceType } from '../../../lib/core/resource-type.ts';
import { ApiError, type ApiErrorReason } from '../../../lib/ports/cluster-api.ts';
import { NOW_MS } from './objects.ts';

/** A cluster in a map, with the item's values. Records every call, and can make any call fail. */
export class FakeContext implements ReconcileContext {
  readonly cluster = 'test';
  readonly signal = new AbortController().signal;
  nowMs = NOW_MS;
  randomValue = 0.5;
  values: DurableValues = {};
  /** Keys read or listed, in order. */
  readonly reads: string[] = [];
  /** Keys patched, in order. */
  readonly patches: string[] = [];
  readonly polls = new Map<string, number | undefined>();
  valueSaves = 0;
  private readonly objects = new Map<string, KubeObject>();
  private readonly failures = new Map<string, () => Error>();
  private versions = 1_000;

  random(): number {
    return this.randomValue;
  }

  put(type: ResourceType, object: KubeObject): void {
    this.objects.set(keyOf(type, object), object);
  }

  drop(type: ResourceType, object: KubeObject): void {
    this.objects.delete(keyOf(type, object));
  }

  stored(type: ResourceType, name: ObjectName): KubeObject | undefined {
    return this.objects.get(objectKey(kindId(type), name));
  }

  /** Makes reads of an object or list key, or `patch <key>`, or `saveValues <n>` (the n-th, from 1), fail from now on. */
  fail(call: string, error: ApiErrorReason | Error): void {
    this.failures.set(call, () => (error instanceof Error ? error : new ApiError(error, `raw server text of ${call}`)));
  }

  heal(call: string): void {
    this.failures.delete(call);
  }

  forgetCalls(): void {
    this.reads.length = 0;
    this.patches.length = 0;
    this.valueSaves = 0;
  }

  async get(type: ResourceType, name: ObjectName, options: { pollIntervalMs?: number } = {}) {
    const key = objectKey(kindId(type), name);
    this.reads.push(key);
    this.polls.set(key, options.pollIntervalMs);
    this.throwFor(key);
    return this.objects.get(key);
  }

  getAgain(type: ResourceType, name: ObjectName) {
    return this.get(type, name);
  }

  async list(type: ResourceType, { namespace }: { namespace: string }) {
    const key = listKey(kindId(type), namespace);
    this.reads.push(key);
    this.throwFor(key);
    return [...this.objects].filter(([name]) => name.startsWith(key.slice(0, -1))).map(([, object]) => object);
  }

  async mergePatch(type: ResourceType, observed: KubeObject, patch: JsonObject): Promise<KubeObject> {
    const key = keyOf(type, observed);
    const patched = applyMergePatch(observed, patch) as unknown as KubeObject;
    if (jsonEqual(patched, observed)) return observed;
    this.patches.push(key);
    this.throwFor(`patch ${key}`);
    this.versions += 1;
    patched.metadata = { ...patched.metadata, resourceVersion: String(this.versions) };
    this.objects.set(key, patched);
    return patched;
  }

  async saveValues(values: DurableValues): Promise<void> {
    if (jsonEqual(values, this.values)) return;
    this.throwFor(`saveValues ${this.valueSaves + 1}`);
    this.valueSaves += 1;
    this.values = values;
  }

  assertLease(): void {}
  within = () => this.refuse('within');
  create = () => this.refuse('create');
  apply = () => this.refuse('apply');
  delete = () => this.refuse('delete');
  recordEvent = () => this.refuse('recordEvent');
  publishStatus = () => this.refuse('publishStatus');

  private throwFor(call: string): void {
    const failure = this.failures.get(call);
    if (failure !== undefined) throw failure();
  }

  private async refuse(call: string): Promise<never> {
    throw new Error(`a SecretContract never calls ${call}`);
  }
}

export function leaseLost(): Error {
  return new LeaseLostError('taken over');
}

function keyOf(type: ResourceType, { metadata }: KubeObject): string {
  return objectKey(kindId(type), { namespace: metadata.namespace ?? '', name: metadata.name });
}
