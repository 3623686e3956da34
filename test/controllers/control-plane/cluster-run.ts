import { setTimeout as delay } from 'node:timers/promises';
import { Gateways, ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import type { JsonValue, KubeObject } from '../../../lib/core/kube-object.ts';
import type { ResourceType } from '../../../lib/core/resource-type.ts';
import { playOperators } from '../../support/play-operators.ts';
import type { TransportFaults } from '../../support/transport-faults.ts';
import {
  type ControlPlaneOptions,
  type ControlPlaneWorld,
  createDatabase,
  createGateway,
  find,
  type OwnedObject,
  passOf,
} from './control-plane-world.ts';

/** An API server with its garbage collector and namespace controller, and a namespace for the test. */
export interface TestedCluster {
  readonly control: ControlPlaneWorld;
  /** Faults between evenkeel and the API server. */
  readonly faults: TransportFaults;
  close(): Promise<void>;
}

/** Opens a cluster for one test. */
export type OpenCluster = (options?: ClusterOptions) => Promise<TestedCluster>;

export type ClusterOptions = Pick<ControlPlaneOptions, 'wrapIdentity'>;

const LOOK_AGAIN_MS = 100;
const MAX_ROUNDS = 30;

/** The control plane on an API server whose own controllers run at the same time. */
export class ClusterRun {
  readonly control: ControlPlaneWorld;
  readonly faults: TransportFaults;
  /** The objects whose passes are run. */
  readonly targets: [ResourceType, KubeObject][] = [];

  constructor({ control, faults }: TestedCluster) {
    this.control = control;
    this.faults = faults;
  }

  /** evenkeel's requests that may have changed something. */
  writes(): string[] {
    return this.faults.writes('evenkeel');
  }

  /** Runs passes and the operators in turn, until nothing is written any more. */
  async settle(): Promise<void> {
    const { control } = this;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const before = this.writes().length;
      // Slower than the rate limit.
      await control.world.clock.advance(1_000 * this.targets.length);
      for (const [type, object] of this.targets) await passOf(control, type, object);
      const played = await playOperators(control.user, control.operators.options);
      if (this.writes().length === before && played === 0) return;
    }
    throw new Error(`it does not settle: ${this.writes().slice(-6).join(', ')}`);
  }

  /** Waits for the server's own controllers. Only the test's time limit ends the wait. */
  async settleUntil(isSo: () => Promise<boolean>): Promise<void> {
    for (;;) {
      await this.settle();
      if (await isSo()) return;
      await delay(LOOK_AGAIN_MS);
    }
  }

  async isGone(object: OwnedObject): Promise<boolean> {
    return (await find(this.control, object)) === undefined;
  }

  /** The place of a primary object, for looking it up. */
  placeOf(type: ResourceType, { metadata }: KubeObject): OwnedObject {
    return { type, namespace: metadata.namespace ?? '', name: metadata.name };
  }

  async read(type: ResourceType, { metadata }: KubeObject): Promise<KubeObject> {
    return await this.control.user.get(type, { namespace: metadata.namespace ?? '', name: metadata.name });
  }

  async patch(type: ResourceType, { metadata }: KubeObject, body: object, subresource?: 'status'): Promise<KubeObject> {
    return await this.control.user.patch(
      type,
      { namespace: metadata.namespace ?? '', name: metadata.name },
      { type: 'merge', patch: body as JsonValue },
      { fieldManager: 'test', ...(subresource && { subresource }) },
    );
  }

  async remove(type: ResourceType, { metadata }: KubeObject): Promise<void> {
    const name = { namespace: metadata.namespace ?? '', name: metadata.name };
    await this.control.user.delete(type, name, { preconditions: { uid: metadata.uid } });
  }

  async provisionDatabase(spec: object = {}): Promise<KubeObject> {
    const main = await createDatabase(this.control, spec);
    this.targets.push([ManagedDatabases, main]);
    await this.settle();
    return await this.read(ManagedDatabases, main);
  }

  /** A Gateway with its database. */
  async provision({ gateway = {}, database = {} }: { gateway?: object; database?: object } = {}) {
    const main = await this.provisionDatabase(database);
    const edge = await createGateway(this.control, gateway);
    this.targets.push([Gateways, edge]);
    await this.settle();
    return { gateway: await this.read(Gateways, edge), database: await this.read(ManagedDatabases, main) };
  }
}
