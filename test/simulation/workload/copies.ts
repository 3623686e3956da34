import type { Controller, FinalizeResult, ReconcileResult } from '../../../lib/core/controller.ts';
import { jsonEqual } from '../../../lib/core/json-merge.ts';
import type { JsonObject, KubeObject } from '../../../lib/core/kube-object.ts';
import { settled } from '../../../lib/core/outcome.ts';
import type { ReconcileContext } from '../../../lib/core/reconcile-context.ts';
import { ConfigMaps, Secrets } from '../../../lib/core/resource-type.ts';
import type { User } from '../../../lib/testing/simulation/user.ts';
import type { ClusterView, Fault, Workload } from '../../../lib/testing/simulation/workload.ts';
import { definitionOf, isOwnedBy, ownerReference, simKind, specOf } from './sim-kind.ts';

/**
 * A Copy owns two ConfigMaps that are made from a Secret, which it reads by name. Some Copies also count the Secrets of
 * their namespace by a list. Its finalizer removes the two in order, and confirms each one absent before the next.
 */
export const Copies = simKind('Copy');
const FINALIZER = 'sim.evenkeel.dev/copy';
const HOLD = 'sim.evenkeel.dev/hold';
const NAMESPACE = 'default';

interface CopySpec {
  readonly secret: string;
  readonly size: number;
  readonly counts: boolean;
}

const first = ({ metadata }: KubeObject) => ({ namespace: NAMESPACE, name: `first-${metadata.name}` });
const second = ({ metadata }: KubeObject) => ({ namespace: NAMESPACE, name: `second-${metadata.name}` });

const controller: Controller = {
  name: 'copier',
  group: 'sim',
  type: Copies,
  owns: [ConfigMaps],
  reads: [{ type: Secrets, mode: 'watch' }],
  version: '1',
  finalizer: FINALIZER,
  reconcile,
  finalize,
};

async function reconcile(copy: KubeObject, context: ReconcileContext): Promise<ReconcileResult> {
  const spec = specOf<CopySpec>(copy);
  const count = spec.counts ? (await context.list(Secrets, { namespace: NAMESPACE })).length : -1;
  const secret = await context.get(Secrets, { namespace: NAMESPACE, name: spec.secret });
  const made =
    (await ensure(copy, second(copy), { size: String(spec.size) }, context)) &&
    (await ensure(copy, first(copy), { value: contentOf(secret), size: String(spec.size) }, context));
  return { outcome: settled(), status: statusOf(copy, secret, count, made) };
}

/** @returns false when somebody else's object has the name. */
async function ensure(
  copy: KubeObject,
  name: { namespace: string; name: string },
  data: Record<string, string>,
  context: ReconcileContext,
): Promise<boolean> {
  const found = await context.get(ConfigMaps, name);
  const metadata = { ...name, ownerReferences: [ownerReference(Copies, copy)] };
  const desired = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
  if (found === undefined) await context.create(ConfigMaps, desired);
  else if (!isOwnedBy(found, copy)) return false;
  else if (!jsonEqual(found.data, data)) {
    // Read again immediately before it is used, so that a change in between is not missed.
    const now = await context.getAgain(ConfigMaps, name);
    if (now === undefined || !isOwnedBy(now, copy)) return false;
    await context.apply(ConfigMaps, now, desired);
  }
  return true;
}

async function finalize(copy: KubeObject, context: ReconcileContext): Promise<FinalizeResult> {
  for (const name of [first(copy), second(copy)]) {
    const found = await context.get(ConfigMaps, name);
    if (found === undefined || !isOwnedBy(found, copy)) continue;
    await context.delete(ConfigMaps, found);
    const left = await context.getAgain(ConfigMaps, name);
    if (left !== undefined && isOwnedBy(left, copy)) return { done: false, outcome: settled() };
  }
  return { done: true };
}

function contentOf(secret: KubeObject | undefined): string {
  return (secret?.data as { value?: string } | undefined)?.value ?? 'absent';
}

function statusOf({ metadata }: KubeObject, secret: KubeObject | undefined, count: number, made: boolean): JsonObject {
  return { generation: metadata.generation ?? 0, value: contentOf(secret), count, made };
}

const COPIES = ['w0', 'w1', 'w2'] as const;
const SECRETS = ['s0', 's1', 's2'] as const;

const copyNamed = (user: User) => ({ namespace: NAMESPACE, name: user.pick(COPIES) });
const spec = (user: User) => ({ secret: user.pick(SECRETS), size: user.number(50), counts: user.chance(0.4) });
const secretNamed = (user: User) => ({ namespace: NAMESPACE, name: user.pick(SECRETS) });
const secretData = (user: User) => ({ value: Buffer.from(String(user.number(1_000))).toString('base64') });
const madeBy = (user: User) => ({
  namespace: NAMESPACE,
  name: `${user.pick(['first', 'second'])}-${user.pick(COPIES)}`,
});

function check(cluster: ClusterView): Fault[] {
  const faults: Fault[] = [];
  const copies = cluster.list(Copies);
  const secrets = cluster.list(Secrets, NAMESPACE);
  for (const copy of copies) {
    const { name, deletionTimestamp } = copy.metadata;
    if (deletionTimestamp !== undefined) {
      if (copy.metadata.finalizers?.includes(HOLD) !== true) faults.push(`copy ${name} is still being deleted`);
      continue;
    }
    const { secret: wanted, size, counts } = specOf<CopySpec>(copy);
    const secret = secrets.find(({ metadata }) => metadata.name === wanted);
    const owned = [second(copy), first(copy)].map((object) => cluster.get(ConfigMaps, object));
    const foreign = owned.some((object) => object !== undefined && !isOwnedBy(object, copy));
    const expected = statusOf(copy, secret, counts ? secrets.length : -1, !foreign);
    // A Copy has no conditions: conditions on it belong to a user.
    const { conditions: _, ...said } = (copy.status ?? {}) as Record<string, unknown>;
    if (!jsonEqual(said, expected))
      faults.push(`copy ${name} says ${JSON.stringify(copy.status)}, and it should say ${JSON.stringify(expected)}`);
    if (foreign) continue;
    const data = [{ size: String(size) }, { value: contentOf(secret), size: String(size) }];
    if (!owned.every((object, index) => jsonEqual(object?.data, data[index])))
      faults.push(
        `copy ${name} has ${JSON.stringify(owned.map((object) => object?.data))} instead of ${JSON.stringify(data)}`,
      );
  }
  for (const { metadata } of cluster.list(ConfigMaps, NAMESPACE)) {
    const owner = metadata.ownerReferences?.find(({ kind }) => kind === Copies.kind);
    if (owner !== undefined && !copies.some((copy) => copy.metadata.uid === owner.uid))
      faults.push({ invariant: 'I6', what: `${metadata.name} is left of a copy that is gone` });
  }
  return faults;
}

export function copies(): Workload {
  return {
    controllers: [controller],
    definitions: [definitionOf(Copies)],
    namespaces: [NAMESPACE],
    actions: {
      'writes a copy': (user) => writeCopy(user),
      'edits a copy': (user) => user.edit(Copies, copyNamed(user), { spec: spec(user) }),
      'deletes a copy': (user) => user.remove(Copies, copyNamed(user)),
      'recreates a copy': (user) => user.replace(Copies, { metadata: copyNamed(user), spec: spec(user) }),
      'takes the finalizer off a copy': (user) => forceFinalizer(user),
      'writes a secret': (user) => user.put(Secrets, { metadata: secretNamed(user), data: secretData(user) }),
      'edits a secret': (user) => user.edit(Secrets, secretNamed(user), { data: secretData(user) }),
      'deletes a secret': (user) => user.remove(Secrets, secretNamed(user)),
      'edits what a copy owns': (user) => user.edit(ConfigMaps, madeBy(user), { data: { size: 'edited' } }),
      'deletes what a copy owns': (user) => user.remove(ConfigMaps, madeBy(user)),
      'holds what a copy owns': (user) => user.edit(ConfigMaps, madeBy(user), { metadata: { finalizers: [HOLD] } }),
      'releases what a copy owns': (user) => release(user, madeBy(user)),
      'takes a name first': (user) => takeName(user),
      'gives a name back': (user) => giveNameBack(user),
    },
    namesAreTaken: true,
    settle: async (user) => {
      for (const { metadata } of await user.list(ConfigMaps, NAMESPACE)) {
        await release(user, { namespace: NAMESPACE, name: metadata.name });
      }
      for (const copy of await user.list(Copies, NAMESPACE)) await letGo(user, copy);
    },
    check,
    evidence: (copy, seen) => {
      if (copy.kind !== Copies.kind) return undefined;
      const name = { namespace: NAMESPACE, name: specOf<CopySpec>(copy).secret };
      const secret = seen.read(Secrets, name);
      const value = contentOf(secret === 'absent' ? undefined : secret);
      if (secret === undefined || value !== (copy.status as { value?: string }).value)
        return 'it tells what was not read';
      return undefined;
    },
    finalized: (copy, seen) => {
      if (copy.kind !== Copies.kind) return undefined;
      for (const name of [first(copy), second(copy)]) {
        const found = seen.read(ConfigMaps, name);
        if (found === undefined) return `${name.name} was not looked at`;
        if (found !== 'absent' && isOwnedBy(found, copy)) return `${name.name} was last seen present`;
      }
      return undefined;
    },
  };
}

/** Sometimes a user adds a finalizer to a new one, too. */
async function writeCopy(user: User): Promise<void> {
  const copy = { metadata: copyNamed(user), spec: spec(user) };
  const isHeld = user.chance(0.15) && (await user.get(Copies, copy.metadata)) === undefined;
  await user.put(Copies, isHeld ? { ...copy, metadata: { ...copy.metadata, finalizers: [HOLD] } } : copy);
}

/** Removes the finalizer of the user, and no other. */
async function letGo(user: User, { metadata: { name, finalizers = [] } }: KubeObject): Promise<void> {
  if (!finalizers.includes(HOLD)) return;
  const left = finalizers.filter((each) => each !== HOLD);
  await user.edit(Copies, { namespace: NAMESPACE, name }, { metadata: { finalizers: left } });
}

/** Only from a copy that is already being deleted: the garbage collector then removes its owned objects. */
async function forceFinalizer(user: User): Promise<void> {
  const name = copyNamed(user);
  const found = await user.get(Copies, name);
  if (found?.metadata.deletionTimestamp !== undefined && user.chance(0.3)) await user.forceFinalizers(Copies, name);
}

/** An object with a user's finalizer is only being deleted after its deletion. */
async function release(user: User, name: { namespace: string; name: string }): Promise<void> {
  const found = await user.get(ConfigMaps, name);
  if (found?.metadata.finalizers?.includes(HOLD)) await user.forceFinalizers(ConfigMaps, name);
}

async function takeName(user: User): Promise<void> {
  const name = madeBy(user);
  const found = await user.get(ConfigMaps, name);
  if (found === undefined) await user.put(ConfigMaps, { metadata: name, data: { foreign: 'yes' } });
}

async function giveNameBack(user: User): Promise<void> {
  const name = madeBy(user);
  const found = await user.get(ConfigMaps, name);
  if (found !== undefined && found.metadata.ownerReferences === undefined) await user.remove(ConfigMaps, name);
}
