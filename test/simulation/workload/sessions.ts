import { type ConditionInput, mergeConditions, readConditions } from '../../../lib/core/conditions.ts';
import type { Controller, ReconcileResult } from '../../../lib/core/controller.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { retry, settled } from '../../../lib/core/outcome.ts';
import type { ReconcileContext } from '../../../lib/core/reconcile-context.ts';
import { ConfigMaps } from '../../../lib/core/resource-type.ts';
import { isApiError } from '../../../lib/ports/cluster-api.ts';
import type { User } from '../../../lib/testing/simulation/user.ts';
import type { ClusterView, Fault, Workload } from '../../../lib/testing/simulation/workload.ts';
import { definitionOf, isOwnedBy, ownerReference, simKind, specOf } from './sim-kind.ts';

/**
 * A Session has a Seat while a ConfigMap permits it, which may only be read by exact name. In doubt nothing changes; a
 * revoked Seat is removed.
 */
export const Sessions = simKind('Session');
const Seats = simKind('Seat');
const NAMESPACE = 'default';
const NAMES = ['n0', 'n1'] as const;
const PERMITS = ['p0', 'p1'] as const;

interface SessionSpec {
  readonly permit: string;
}

const controller: Controller = {
  name: 'session',
  group: 'polling',
  type: Sessions,
  owns: [Seats],
  reads: [{ type: ConfigMaps, mode: 'poll', pollIntervalMs: 30_000 }],
  version: '1',
  reconcile,
};

const readyOf = ({ status }: KubeObject) => readConditions(status).find(({ type }) => type === 'Ready');
const permitOf = (session: KubeObject) => ({ namespace: NAMESPACE, name: specOf<SessionSpec>(session).permit });
const seatOf = ({ metadata }: KubeObject) => ({ namespace: NAMESPACE, name: `seat-${metadata.name}` });
const permits = (permit: KubeObject | undefined) => (permit?.data as { allow?: string } | undefined)?.allow === 'yes';

async function reconcile(session: KubeObject, context: ReconcileContext): Promise<ReconcileResult> {
  let permit: KubeObject | undefined;
  try {
    permit = await context.get(ConfigMaps, permitOf(session));
  } catch (error) {
    if (!isApiError(error)) throw error;
    return { outcome: retry(error), status: statusOf(session, 'Unknown', 'PermitUnread', context.nowMs) };
  }
  const seat = await context.get(Seats, seatOf(session));
  const owned = seat !== undefined && isOwnedBy(seat, session);
  if (!permits(permit)) {
    if (owned) await context.delete(Seats, seat);
    return { outcome: settled(), status: statusOf(session, 'False', 'NotPermitted', context.nowMs) };
  }
  if (seat !== undefined && !owned)
    return { outcome: settled(), status: statusOf(session, 'False', 'SeatTaken', context.nowMs) };
  // The permission is read again immediately before it is used.
  if (seat === undefined && !permits(await context.getAgain(ConfigMaps, permitOf(session)))) {
    return {
      outcome: retry(new Error('the permit went')),
      status: statusOf(session, 'False', 'NotPermitted', context.nowMs),
    };
  }
  const desired = {
    apiVersion: 'sim.evenkeel.dev/v1',
    kind: Seats.kind,
    metadata: { ...seatOf(session), ownerReferences: [ownerReference(Sessions, session)] },
    spec: { permit: permitOf(session).name },
  };
  if (seat === undefined) await context.create(Seats, desired);
  else await context.apply(Seats, seat, desired);
  return { outcome: settled(), status: statusOf(session, 'True', 'Seated', context.nowMs) };
}

function statusOf(session: KubeObject, status: ConditionInput['status'], reason: string, nowMs: number) {
  const input = { type: 'Ready', status, reason, message: '' };
  const generation = session.metadata.generation ?? 0;
  const conditions = mergeConditions(readConditions(session.status), [input], generation, nowMs);
  return { conditions: conditions.map((condition) => ({ ...condition })) };
}

function check(cluster: ClusterView): Fault[] {
  const faults: Fault[] = [];
  const sessions = cluster.list(Sessions);
  for (const session of sessions) {
    const { name, generation } = session.metadata;
    const permitted = permits(cluster.get(ConfigMaps, permitOf(session)));
    const seat = cluster.get(Seats, seatOf(session));
    const owned = seat !== undefined && isOwnedBy(seat, session);
    const ready = readyOf(session);
    if (!permitted && owned) faults.push({ invariant: 'I10', what: `session ${name} keeps a seat that was revoked` });
    if (permitted && seat === undefined) faults.push(`session ${name} has no seat`);
    if (permitted && owned && (seat.spec as SessionSpec).permit !== permitOf(session).name)
      faults.push(`the seat of session ${name} is by an old permit`);
    const expected = permitted && owned ? 'True' : 'False';
    if (ready?.status !== expected && (seat === undefined || owned))
      faults.push(`session ${name} is ${ready?.status ?? 'silent'} instead of ${expected}`);
    if (ready?.observedGeneration !== generation) faults.push(`session ${name} speaks of an old generation`);
  }
  return faults;
}

const sessionNamed = (user: User) => ({ namespace: NAMESPACE, name: user.pick(NAMES) });
const permitNamed = (user: User) => ({ namespace: NAMESPACE, name: user.pick(PERMITS) });
const spec = (user: User) => ({ permit: user.pick(PERMITS) });

export function sessions(): Workload {
  return {
    controllers: [controller],
    definitions: [definitionOf(Sessions), definitionOf(Seats)],
    namespaces: [NAMESPACE],
    actions: {
      'writes a session': (user) => user.put(Sessions, { metadata: sessionNamed(user), spec: spec(user) }),
      'edits a session': (user) => user.edit(Sessions, sessionNamed(user), { spec: spec(user) }),
      'deletes a session': (user) => user.remove(Sessions, sessionNamed(user)),
      permits: (user) => user.put(ConfigMaps, { metadata: permitNamed(user), data: { allow: 'yes' } }),
      'revokes a permit': (user) => user.edit(ConfigMaps, permitNamed(user), { data: { allow: 'no' } }),
      'deletes a permit': (user) => user.remove(ConfigMaps, permitNamed(user)),
      'edits a seat': (user) => user.edit(Seats, seatNamed(user), { spec: { permit: 'edited' } }),
      'deletes a seat': (user) => user.remove(Seats, seatNamed(user)),
    },
    namesAreTaken: true,
    check,
    evidence: (session, seen) => {
      if (session.kind !== Sessions.kind || readyOf(session)?.status !== 'True') return undefined;
      const permit = seen.read(ConfigMaps, permitOf(session));
      if (permit === undefined || permit === 'absent' || !permits(permit))
        return 'it is Ready without a permit that was read';
      const seat = seen.read(Seats, seatOf(session));
      return seat === undefined || seat === 'absent' ? 'it is Ready without a seat that was read' : undefined;
    },
  };
}

const seatNamed = (user: User) => ({ namespace: NAMESPACE, name: `seat-${user.pick(NAMES)}` });
