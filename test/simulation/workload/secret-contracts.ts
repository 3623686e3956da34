import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { SecretContractGrants, SecretContracts } from '../../../lib/controllers/secret-contract/kinds.ts';
import { secretContractController } from '../../../lib/controllers/secret-contract/secret-contract-controller.ts';
import { readConditions } from '../../../lib/core/conditions.ts';
import type { Controller } from '../../../lib/core/controller.ts';
import type { JsonObject, KubeObject } from '../../../lib/core/kube-object.ts';
import { MINIMUM_CHECK_DELAY_MS } from '../../../lib/core/outcome.ts';
import { Namespaces, Secrets } from '../../../lib/core/resource-type.ts';
import type { User } from '../../../lib/testing/simulation/user.ts';
import type { ClusterView, Fault, Workload } from '../../../lib/testing/simulation/workload.ts';

/**
 * The real controller with its CRDs, for Secrets of its own namespace and of another one in which grants may permit it.
 */
const DEFINITIONS = ['secretcontracts', 'secretcontractgrants'].map((plural) => {
  const file = new URL(`../../../infra/kubernetes/crds/${plural}.evenkeel.dev.yaml`, import.meta.url);
  return parse(readFileSync(file, 'utf8')) as object;
});
const HOME = 'default';
const VAULT = 'vault';
const CONTRACTS = ['k0', 'k1'] as const;
const SECRETS = ['a', 'b'] as const;
const GRANTS = ['g0', 'g1'] as const;
/** So close to an expiry or the limit of an age, both answers are right. */
const NEAR_MS = 30_000;

interface ContractSpec {
  readonly secretRef: { readonly name: string; readonly namespace?: string };
  readonly keys: readonly { readonly name: string }[];
  readonly maxAge?: string;
}

interface GrantSpec {
  readonly secretNames: readonly string[];
  readonly expiresAt?: string;
}

const MAX_AGE_MS = 120_000;

function spec(user: User): JsonObject {
  const secretRef = { name: user.pick(SECRETS), ...(user.chance(0.5) ? { namespace: VAULT } : {}) };
  const keys = [{ name: user.pick(['password', 'token']) }];
  return { secretRef, keys, ...(user.chance(0.3) ? { maxAge: `${MAX_AGE_MS / 1_000}s` } : { maxAge: null }) };
}

/** In a merge patch null means absent; in a create it does not. */
function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

function grantSpec(user: User): JsonObject {
  const expiresAt = new Date(user.nowMs + user.number(180_000)).toISOString().replace(/\.\d+Z$/, 'Z');
  const secretNames = user.pick([['a'], ['b'], ['a', 'b']]);
  return { from: [{ namespace: HOME }], secretNames, ...(user.chance(0.5) ? { expiresAt } : {}) };
}

async function putContract(user: User): Promise<void> {
  const metadata = { namespace: HOME, name: user.pick(CONTRACTS) };
  const found = await user.get(SecretContracts, metadata);
  const wanted = spec(user);
  await user.put(SecretContracts, { metadata, spec: found === undefined ? withoutNulls(wanted) : wanted });
}

const secretNamed = (user: User) => ({ namespace: user.pick([HOME, VAULT]), name: user.pick(SECRETS) });
const grantNamed = (user: User) => ({ namespace: VAULT, name: user.pick(GRANTS) });
const content = (user: User) => ({
  [user.pick(['password', 'token'])]: Buffer.from(user.chance(0.8) ? 'x'.repeat(1 + user.number(9)) : '').toString(
    'base64',
  ),
});

/** Whether the contract may read its Secret; undefined when a grant is about to expire, or has just expired. */
function isAuthorized(cluster: ClusterView, { secretRef }: ContractSpec): boolean | undefined {
  if ((secretRef.namespace ?? HOME) === HOME) return true;
  const grants = cluster.list(SecretContractGrants, VAULT).filter(({ spec: given }) => {
    return (given as GrantSpec).secretNames.includes(secretRef.name);
  });
  const leftMs = grants.map(({ spec: given }) => {
    const { expiresAt } = given as GrantSpec;
    return expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - cluster.nowMs;
  });
  if (leftMs.some((ms) => ms > NEAR_MS)) return true;
  return leftMs.some((ms) => ms > -NEAR_MS) ? undefined : false;
}

function check(cluster: ClusterView): Fault[] {
  return cluster.list(SecretContracts).flatMap((contract): Fault[] => {
    const { name, generation } = contract.metadata;
    const wanted = contract.spec as unknown as ContractSpec;
    const conditions = readConditions(contract.status);
    const statusOf = (type: string) => conditions.find((condition) => condition.type === type)?.status;
    const authorized = isAuthorized(cluster, wanted);
    if (authorized === undefined) return [];
    const about = `contract ${name}`;
    if ((contract.status as { observedGeneration?: number } | undefined)?.observedGeneration !== generation)
      return [`${about} speaks of another generation than ${generation}`];
    if (!authorized) {
      if (statusOf('Authorized') !== 'False')
        return [{ invariant: 'I10', what: `${about} is ${statusOf('Authorized')} authorized without a grant` }];
      return statusOf('Ready') === 'False' ? [] : [`${about} is Ready without being authorized`];
    }
    if (statusOf('Authorized') !== 'True') return [`${about} is not authorized`];
    const { namespace = HOME, name: secretName } = wanted.secretRef;
    const secret = cluster.get(Secrets, { namespace, name: secretName });
    const expectedExists = secret === undefined ? 'False' : 'True';
    if (statusOf('SecretExists') !== expectedExists)
      return [`${about} says ${statusOf('SecretExists')} of its Secret's existence`];
    if (secret === undefined) return [];
    const data = (secret.data ?? {}) as Record<string, string>;
    const valid = wanted.keys.every((key) => (data[key.name] ?? '') !== '');
    if ((statusOf('KeysValid') === 'True') !== valid) return [`${about} says ${statusOf('KeysValid')} of its keys`];
    const leftMs = ageLeftMs(cluster, wanted, secret);
    if (Math.abs(leftMs) < NEAR_MS) return [];
    return (statusOf('Fresh') === 'True') === leftMs > 0
      ? []
      : [`${about} says ${statusOf('Fresh')} of its Secret's age`];
  });
}

function ageLeftMs({ nowMs }: ClusterView, { maxAge }: ContractSpec, { metadata }: KubeObject): number {
  if (maxAge === undefined) return Number.POSITIVE_INFINITY;
  return Date.parse(metadata.creationTimestamp ?? '') + MAX_AGE_MS - nowMs;
}

/**
 * The limit of passes in a row that each ask for another one a second later. No change of a contract's inputs explains
 * more.
 */
const RESTLESS_PASSES = 20;

/** Counts, by contract, passes in a row that ask for another one after the minimum. */
class Restlessness {
  readonly #inARow = new Map<string, number>();
  readonly #names = new Set<string>();

  observe(controller: Controller): Controller {
    return {
      ...controller,
      reconcile: async (object, context) => {
        const result = await controller.reconcile(object, context);
        const { outcome } = result;
        const comesBack = outcome.type === 'checkAt' && outcome.atMs <= context.nowMs + MINIMUM_CHECK_DELAY_MS;
        const { uid, name } = object.metadata;
        const count = comesBack ? (this.#inARow.get(uid) ?? 0) + 1 : 0;
        this.#inARow.set(uid, count);
        if (count >= RESTLESS_PASSES) this.#names.add(name);
        return result;
      },
    };
  }

  faults(): Fault[] {
    return [...this.#names].map((name) => ({ invariant: 'I5', what: `contract ${name} comes back each second` }));
  }
}

export function secretContracts(): Workload {
  const restlessness = new Restlessness();
  const controller = secretContractController({ allowMutation: false, digestKey: '' });
  return {
    controllers: [restlessness.observe(controller)],
    definitions: DEFINITIONS,
    namespaces: [HOME, VAULT],
    prepare: (user) => user.put(Namespaces, { metadata: { name: VAULT } }),
    actions: {
      'writes a contract': putContract,
      'rewrites a contract': putContract,
      'deletes a contract': (user) => user.remove(SecretContracts, { namespace: HOME, name: user.pick(CONTRACTS) }),
      'writes a contracted secret': (user) => user.put(Secrets, { metadata: secretNamed(user), data: content(user) }),
      'edits a contracted secret': (user) => user.edit(Secrets, secretNamed(user), { data: content(user) }),
      'deletes a contracted secret': (user) => user.remove(Secrets, secretNamed(user)),
      'recreates a contracted secret': (user) =>
        user.replace(Secrets, { metadata: secretNamed(user), data: content(user) }),
      grants: (user) => user.put(SecretContractGrants, { metadata: grantNamed(user), spec: grantSpec(user) }),
      'revokes a grant': (user) => user.remove(SecretContractGrants, grantNamed(user)),
    },
    check: (cluster) => [...restlessness.faults(), ...check(cluster)],
    evidence: (contract, seen) => {
      if (contract.kind !== SecretContracts.kind) return undefined;
      const { secretRef } = contract.spec as unknown as ContractSpec;
      const { namespace = HOME, name } = secretRef;
      const isTrue = (type: string) =>
        readConditions(contract.status).some((found) => found.type === type && found.status === 'True');
      const secret = seen.read(Secrets, { namespace, name });
      if (isTrue('SecretExists') && (secret === undefined || secret === 'absent'))
        return 'its Secret exists, and was not read';
      if (isTrue('Authorized') && namespace !== HOME && !seen.listed(SecretContractGrants, namespace))
        return 'it is authorized, and no grants were read';
      return undefined;
    },
  };
}
