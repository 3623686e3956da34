import type { Controller } from '../../../lib/core/controller.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { checkAt, settled } from '../../../lib/core/outcome.ts';
import type { ReconcileContext } from '../../../lib/core/reconcile-context.ts';
import type { Clock } from '../../../lib/ports/clock.ts';
import type { ControllerHost } from '../../../lib/testing/simulation/controller-host.ts';
import type { User } from '../../../lib/testing/simulation/user.ts';
import type { ClusterView, Fault, Workload } from '../../../lib/testing/simulation/workload.ts';
import { type Account, AccountClient, AccountServer } from './account-server.ts';
import { definitionOf, simKind, specOf } from './sim-kind.ts';

/**
 * A Tenant has one account in an external system that knows neither owners nor versions: a second create makes a second
 * account. So everything depends on the lease, on what is recorded before the create, and on a read before each action.
 */
const Tenants = simKind('Tenant');
const FINALIZER = 'sim.evenkeel.dev/tenant';
const PLANS = ['small', 'large'] as const;
const NAMES = ['t0', 't1'] as const;
/** No event reports the end of a removal. */
const LOOK_AGAIN_MS = 2_000;

interface TenantSpec {
  readonly plan: string;
}

function controllerOf(accounts: AccountClient, clock: Clock): Controller {
  return {
    name: 'tenant',
    group: 'sim',
    type: Tenants,
    owns: [],
    reads: [],
    version: '1',
    finalizer: FINALIZER,
    async reconcile(tenant, context) {
      const account = await ensureAccount(accounts, clock, tenant, context);
      // Its removal was requested before a restore brought the tenant back.
      if (account.removing) return { outcome: checkAt(context.nowMs + LOOK_AGAIN_MS) };
      const generation = tenant.metadata.generation ?? 0;
      return { outcome: settled(), status: { account: account.id, plan: account.plan, generation } };
    },
    async finalize(tenant, context) {
      const account = await accounts.find(tenant.metadata.uid);
      if (account === undefined) return { done: true };
      context.assertLease();
      await accounts.remove(account.id, clock.now());
      const left = await accounts.find(tenant.metadata.uid);
      return left === undefined ? { done: true } : { done: false, outcome: checkAt(context.nowMs + LOOK_AGAIN_MS) };
    },
  };
}

async function ensureAccount(
  accounts: AccountClient,
  clock: Clock,
  tenant: KubeObject,
  context: ReconcileContext,
): Promise<Account> {
  const { uid } = tenant.metadata;
  const { plan } = specOf<TenantSpec>(tenant);
  await context.saveValues({ ...context.values, account: uid });
  const found = await accounts.find(uid);
  if (found?.plan === plan || found?.removing === true) return found;
  context.assertLease();
  return found === undefined
    ? await accounts.create(uid, plan, clock.now())
    : await accounts.change(found.id, plan, clock.now());
}

function check(server: AccountServer, cluster: ClusterView): Fault[] {
  const faults: Fault[] = server.faults.map((what) => ({ invariant: 'I1', what }));
  const tenants = cluster.list(Tenants);
  for (const tenant of tenants) {
    const { name, uid, generation = 0, deletionTimestamp } = tenant.metadata;
    const { plan } = specOf<TenantSpec>(tenant);
    const account = server.find(uid);
    const status = (tenant.status ?? {}) as { account?: string; plan?: string; generation?: number };
    if (deletionTimestamp !== undefined) faults.push(`tenant ${name} is still being deleted`);
    else if (account?.plan !== plan)
      faults.push(`tenant ${name} has ${account?.plan ?? 'no account'} instead of ${plan}`);
    else if (status.account !== account.id || status.plan !== plan || status.generation !== generation)
      faults.push(`tenant ${name} says ${JSON.stringify(status)}, and its account is ${account.id}`);
  }
  for (const { id, owner } of server.all()) {
    // Nobody can know which objects a restore removed.
    if (!cluster.restored && !tenants.some(({ metadata }) => metadata.uid === owner))
      faults.push({ invariant: 'I6', what: `account ${id} is left of a tenant that is gone` });
  }
  return faults;
}

const tenantNamed = (user: User) => ({ namespace: 'default', name: user.pick(NAMES) });
const spec = (user: User) => ({ plan: user.pick(PLANS) });

export function tenants(): Workload {
  const server = new AccountServer();
  return {
    controllers: ({ reach, clock }: ControllerHost) => [
      controllerOf(reach(new AccountClient(server, clock), 'accounts'), clock),
    ],
    definitions: [definitionOf(Tenants)],
    namespaces: ['default'],
    drift: async () => server.drift(),
    actions: {
      'writes a tenant': (user) => user.put(Tenants, { metadata: tenantNamed(user), spec: spec(user) }),
      'edits a tenant': (user) => user.edit(Tenants, tenantNamed(user), { spec: spec(user) }),
      'deletes a tenant': (user) => user.remove(Tenants, tenantNamed(user)),
      'recreates a tenant': (user) => user.replace(Tenants, { metadata: tenantNamed(user), spec: spec(user) }),
      'slows the accounts down': async () => {
        server.isSlow = true;
      },
      'speeds the accounts up': async () => {
        server.isSlow = false;
      },
    },
    settle: async () => {
      server.isSlow = false;
    },
    lastChange: (user) => user.put(Tenants, { metadata: tenantNamed(user), spec: spec(user) }),
    check: (cluster) => check(server, cluster),
    finalized: ({ metadata }) => {
      if (metadata.finalizers?.includes(FINALIZER) !== true) return undefined;
      const left = server.find(metadata.uid);
      return left === undefined ? undefined : `account ${left.id} is still there`;
    },
  };
}
