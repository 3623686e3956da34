import { describe } from 'vitest';
import type { Transport, TransportRequest } from '../../../lib/adapters/kubernetes/transport.ts';
import type { DesiredObject, JsonValue, KubeObject } from '../../../lib/core/kube-object.ts';
import { ConfigMaps, CustomResourceDefinitions, Namespaces } from '../../../lib/core/resource-type.ts';
import type { ClusterApi, WatchEvent, WatchOptions } from '../../../lib/ports/cluster-api.ts';
import { isApiError } from '../../../lib/ports/cluster-api.ts';
import { Gadgets, gadgetDefinition } from './gadget.ts';

/** One API server, used through the port, or through the transport where the port hides the behaviour under test. */
export interface ClusterApiTarget {
  readonly api: ClusterApi;
  readonly transport: Transport;
  /** The same server for a user without any permission. Absent where every user may do everything. */
  readonly stranger?: ClusterApi;
  /** The same server with another token. Absent in process, where no token is needed. The caller closes it. */
  readonly withToken?: (token: string) => Transport & { close(): Promise<void> };
  /** Makes the server forget its history, so that earlier versions and continue tokens have expired. */
  expireHistory(): Promise<void>;
  close(): Promise<void>;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The body, whose shape is what such tests are about; undefined when it is no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests walk freely through answers.
  readonly json: any;
}

/** The field manager of these tests, unless a test needs more than one. */
export const manager = { fieldManager: 'contract' };

/** The environment of every test of the suite: the target, a kind of its own, and new namespaces. */
export class World {
  #target: ClusterApiTarget | undefined;
  #namespaces = 0;

  async open(target: ClusterApiTarget): Promise<void> {
    this.#target = target;
    await this.api.create(CustomResourceDefinitions, gadgetDefinition(), manager);
    await eventually(async () => {
      await this.api.list(Gadgets);
    });
  }

  async close(): Promise<void> {
    await this.#target?.close();
  }

  get target(): ClusterApiTarget {
    if (this.#target === undefined) throw new Error('the world is opened before the first test');
    return this.#target;
  }

  get api(): ClusterApi {
    return this.target.api;
  }

  /** A new namespace that no other test uses. */
  async namespace(): Promise<string> {
    this.#namespaces += 1;
    const name = `contract-${this.#namespaces}`;
    const namespace: DesiredObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await this.api.create(Namespaces, namespace, manager);
    return name;
  }

  createGadget(namespace: string, name: string, fields: GadgetFields = {}): Promise<KubeObject> {
    return this.api.create(Gadgets, gadget(namespace, name, fields), manager);
  }

  createConfigMap(namespace: string, name: string, fields: ConfigMapFields = {}): Promise<KubeObject> {
    return this.api.create(ConfigMaps, configMap(namespace, name, fields), manager);
  }

  /** The events of a watch up to the first that satisfies the condition. Then the watch is closed. */
  async watchUntil(
    options: Partial<WatchOptions> & Pick<WatchOptions, 'resourceVersion'>,
    satisfied: (event: WatchEvent) => boolean,
    type = Gadgets,
  ): Promise<WatchEvent[]> {
    const events: WatchEvent[] = [];
    for await (const event of this.api.watch(type, { timeoutSeconds: 20, ...options })) {
      events.push(event);
      if (satisfied(event)) return events;
    }
    throw new Error(`the watch ended before that event; it had ${JSON.stringify(events.map(({ type }) => type))}`);
  }

  async raw(
    method: TransportRequest['method'],
    path: string,
    body?: JsonValue | DesiredObject | string,
    headers: Record<string, string> = {},
  ): Promise<RawAnswer> {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const response = await this.target.transport.send({
      method,
      path,
      headers: {
        accept: 'application/json',
        'user-agent': 'contract',
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(text === undefined ? {} : { body: text }),
    });
    const answer = await response.text();
    return { status: response.status, headers: response.headers, text: answer, json: parsed(answer) };
  }
}

interface ConfigMapFields {
  readonly data?: Record<string, string>;
  readonly metadata?: Partial<DesiredObject['metadata']>;
}

export interface GadgetFields {
  readonly spec?: Record<string, JsonValue>;
  readonly metadata?: Partial<DesiredObject['metadata']>;
  readonly status?: Record<string, JsonValue>;
}

/** A valid gadget. Its spec has the required fields and the given ones. */
export function gadget(
  namespace: string,
  name: string,
  { spec = {}, metadata = {}, ...rest }: GadgetFields = {},
): DesiredObject {
  return {
    apiVersion: 'contract.evenkeel.dev/v1',
    kind: 'Gadget',
    metadata: { namespace, name, ...metadata },
    spec: { size: 1, ...spec },
    ...rest,
  };
}

export function configMap(namespace: string, name: string, fields: ConfigMapFields = {}): DesiredObject {
  const { data = {}, metadata = {} } = fields;
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name, ...metadata }, data };
}

export function nameOf({ metadata }: KubeObject): { namespace: string; name: string } {
  return { namespace: metadata.namespace ?? '', name: metadata.name };
}

/** An owner reference to this object, which was read from the server. */
export function ownedBy(owner: KubeObject, fields: { controller?: boolean; blockOwnerDeletion?: boolean } = {}) {
  const { apiVersion, kind, metadata } = owner;
  return { ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid, ...fields }] };
}

/** Retries until the attempt does not throw. For changes that the server makes some time after its response. */
export async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  const givenUpAt = performance.now() + 60_000;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > givenUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}

/** Resolves when a read finds that the object is gone. */
export async function gone(api: ClusterApi, object: KubeObject, type = ConfigMaps): Promise<void> {
  await eventually(async () => {
    try {
      await api.get(type, nameOf(object));
    } catch (error) {
      if (isApiError(error, 'NotFound')) return;
      throw error;
    }
    throw new Error(`${object.metadata.name} is still there`);
  });
}

/** A group of the suite's tests. */
export function area(title: string, tests: (world: () => World) => void): (world: () => World) => void {
  return (world) => describe(title, () => tests(world));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
