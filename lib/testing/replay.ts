import type { Transport } from '../adapters/kubernetes/transport.ts';
import type { ApiServer } from '../apiserver/api-server.ts';
import type { JsonObject } from '../apiserver/json.ts';
import type { RequestRecord } from '../apiserver/request-log.ts';
import type { Controller } from '../core/controller.ts';
import { EvenkeelError } from '../core/errors.ts';
import type { KubeObject } from '../core/kube-object.ts';
import { objectKey } from '../core/observation.ts';
import { kindId } from '../core/resource-type.ts';
import { isApiError } from '../ports/cluster-api.ts';
import type { TargetState } from '../ports/state-store.ts';
import { type Fixture, parseFixture } from './fixture.ts';
import { seedRecordedState } from './recorded-state.ts';
import { TEST_CLUSTER, World } from './world.ts';

/** One request that a replayed pass would have sent. */
export interface ReplayedWrite {
  readonly verb: string;
  /** The id of the kind. */
  readonly kind: string;
  /** '' or `status`. */
  readonly subresource: string;
  readonly namespace: string;
  /** '' for a create. */
  readonly name: string;
}

/** What a replayed pass did. */
export interface Replay {
  /** The end of the pass; `thrown` is the error of the controller's code. */
  readonly report: World['reports'][number] | undefined;
  /** In order, without Kubernetes Events. */
  readonly writes: readonly ReplayedWrite[];
  /** The reconciled object after the pass; undefined when it is gone. */
  readonly object: KubeObject | undefined;
}

/**
 * Runs one pass of a controller with what an earlier pass read, at the time of that pass. A read of an object that is
 * not in the capture fails the pass, because it is not known whether the object existed.
 * @param fixture the file of `evenkeel capture`, parsed from JSON.
 * @throws EvenkeelError INVALID_FIXTURE, or OTHER_KIND when the controller reconciles another kind.
 */
export async function replay(fixture: unknown, controller: Controller): Promise<Replay> {
  const captured = parseFixture(fixture);
  const { target, takenAtMs } = captured;
  const { type } = controller;
  if (kindId(type) !== target.kind) {
    throw new EvenkeelError(
      'OTHER_KIND',
      `the capture is of ${target.kind}, and ${controller.name} reconciles ${kindId(type)}`,
    );
  }
  const wrapTransport = (server: ApiServer) => onlyCaptured(server, captured);
  const world = new World({ controllers: [controller], isPart: true, startMs: takenAtMs, wrapTransport });
  for (const object of loadOrder(captured.objects)) world.server.load(structuredClone(object) as unknown as JsonObject);
  const object = await world.user.get(type, target);
  const { uid } = object.metadata;
  const known = {
    target: { ...target, uid, cluster: TEST_CLUSTER },
    values: captured.values,
  } as unknown as TargetState;
  await seedRecordedState(
    world.store,
    (async function* () {
      yield known;
    })(),
    TEST_CLUSTER,
    world.clock.now(),
  );
  world.server.requests.clear();
  await world.worker().handle(world.event(type, object, { cause: 'requested' }));
  const requests = world.server.requests.writes({ userAgent: 'evenkeel' });
  return {
    report: world.reports.at(-1),
    writes: requests.filter(({ resource }) => resource !== 'events').map(writeOf),
    object: await world.user.get(type, target).catch((error: unknown) => {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }),
  };
}

/**
 * Definitions first, because they define the kinds of the others. Then a namespace for each object whose namespace was
 * not captured.
 */
function loadOrder(objects: readonly KubeObject[]): KubeObject[] {
  const isDefinition = ({ kind }: KubeObject) => kind === 'CustomResourceDefinition';
  const there = new Set(objects.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name));
  const needed = new Set(
    objects.flatMap(({ metadata }) => metadata.namespace ?? []).filter((name) => !there.has(name)),
  );
  const namespaces = [...needed].map((name): KubeObject => {
    return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, uid: `namespace-${name}`, resourceVersion: '1' } };
  });
  return [...objects.filter(isDefinition), ...namespaces, ...objects.filter((object) => !isDefinition(object))];
}

function onlyCaptured(server: ApiServer, { absent, listed }: Fixture): Transport {
  const known = new Set([...absent, ...listed]);
  return {
    send: async (request) => {
      const response = await server.send(request);
      const [path = ''] = request.path.split('?', 1);
      const records = server.requests.find({ path });
      const [last] = records.slice(-1);
      const key = last && keyOf(last);
      // An object that was read before was captured, so the pass deleted it.
      const wasThere = records.some(({ verb, status }) => verb === 'get' && status === 200);
      if (key !== undefined && !known.has(key) && !wasThere) {
        throw new EvenkeelError(
          'NOT_CAPTURED',
          `the pass reads ${key}, which the capture does not hold. Capture the object again.`,
        );
      }
      return response;
    },
  };
}

/** The key of a read that this server cannot answer with certainty; undefined for every other request. */
function keyOf({ verb, group, resource, namespace, name, status }: RequestRecord): string | undefined {
  const kind = kindId({ group, plural: resource });
  if (verb === 'list') return `${kind}/${namespace}/*`;
  return verb === 'get' && status === 404 ? objectKey(kind, { namespace, name }) : undefined;
}

function writeOf({ verb, group, resource, subresource, namespace, name }: RequestRecord): ReplayedWrite {
  return { verb, kind: kindId({ group, plural: resource }), subresource, namespace, name };
}
