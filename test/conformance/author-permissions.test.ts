import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transport } from '../../lib/adapters/kubernetes/transport.ts';
import { Secrets } from '../../lib/index.ts';
import { eventually } from '../e2e/support/eventually.ts';
import { compareWithRequests } from '../support/permits.ts';
import { type Permission, shownPermission } from '../support/role-permissions.ts';
import { AuthorCluster } from './author/author-cluster.ts';
import { type Facts, type Live, liveShelf, liveWebsite } from './author/author-life.ts';
import { watchChanges, watchedKinds } from './author/author-relay.ts';
import { StorageClasses } from './author/shelves.ts';

type Account = 'website' | 'shelf';
const LIVES: Readonly<Record<Account, Live>> = { website: liveWebsite, shelf: liveShelf };

/** Every permission in the roles of an account, and one thing that fails without it. */
const NEEDED: Readonly<Record<Account, Readonly<Record<string, string>>>> = {
  website: {
    'evenkeel-cluster-identity: get namespaces kube-system': 'knows its cluster',
    'evenkeel-website-deployment: create leases.coordination.k8s.io in evenkeel-system': 'holds its Lease',
    'evenkeel-website-deployment: get leases.coordination.k8s.io evenkeel-website in evenkeel-system':
      'holds its Lease',
    'evenkeel-website-deployment: patch leases.coordination.k8s.io evenkeel-website in evenkeel-system':
      'holds its Lease',
    'evenkeel-website: get secrets': 'serves its pages',
    'evenkeel-website: get configmaps': 'serves its pages',
    'evenkeel-website: list configmaps': 'leaves no ConfigMap',
    'evenkeel-website: create configmaps': 'serves its pages',
    'evenkeel-website: patch configmaps': 'repairs its pages',
    'evenkeel-website: delete configmaps': 'leaves no ConfigMap',
    'evenkeel-website: get services': 'has its Service',
    'evenkeel-website: list services': 'leaves no Service',
    'evenkeel-website: create services': 'has its Service',
    'evenkeel-website: patch services': 'repairs its Service',
    'evenkeel-website: delete services': 'leaves no Service',
    'evenkeel-website: get deployments.apps': 'has its Deployment',
    'evenkeel-website: list deployments.apps': 'leaves no Deployment',
    'evenkeel-website: create deployments.apps': 'has its Deployment',
    'evenkeel-website: patch deployments.apps': 'repairs its Deployment',
    'evenkeel-website: delete deployments.apps': 'leaves no Deployment',
    'evenkeel-website: get websites.example.com': 'serves its pages',
    'evenkeel-website: patch websites.example.com': 'has its finalizer',
    'evenkeel-website: patch websites.example.com/status': 'shows that it is ready',
    'evenkeel-website: create events.events.k8s.io': 'records an Event',
    'evenkeel-website: get events.events.k8s.io': 'counts a repeated Event',
    'evenkeel-website: patch events.events.k8s.io': 'counts a repeated Event',
  },
  shelf: {
    'evenkeel-cluster-identity: get namespaces kube-system': 'knows its cluster',
    'evenkeel-shelf-deployment: create leases.coordination.k8s.io in evenkeel-system': 'holds its Lease',
    'evenkeel-shelf-deployment: get leases.coordination.k8s.io evenkeel-shelf in evenkeel-system': 'holds its Lease',
    'evenkeel-shelf-deployment: patch leases.coordination.k8s.io evenkeel-shelf in evenkeel-system': 'holds its Lease',
    'evenkeel-shelf: get secrets': 'has its ConfigMap',
    'evenkeel-shelf: list secrets': 'has its ConfigMap',
    'evenkeel-shelf: get configmaps': 'has its ConfigMap',
    'evenkeel-shelf: list configmaps': 'shows what it lists',
    'evenkeel-shelf: create configmaps': 'has its ConfigMap',
    'evenkeel-shelf: patch configmaps': 'repairs its ConfigMap',
    'evenkeel-shelf: delete configmaps': 'removes its ConfigMap',
    'evenkeel-shelf: get shelves.example.com': 'has its ConfigMap',
    'evenkeel-shelf: patch shelves.example.com/status': 'shows what it lists',
    'evenkeel-shelf: create events.events.k8s.io': 'records an Event',
    'evenkeel-shelf: get events.events.k8s.io': 'counts a repeated Event',
    'evenkeel-shelf: patch events.events.k8s.io': 'counts a repeated Event',
    'evenkeel-shelf-cluster: get storageclasses.storage.k8s.io': 'has its ConfigMap',
    'evenkeel-shelf-cluster: list storageclasses.storage.k8s.io': 'has its ConfigMap',
  },
};

let cluster: AuthorCluster;
const transports: Partial<Record<Account | 'relay', Transport>> = {};
let lives = 0;

beforeAll(async () => {
  cluster = await AuthorCluster.start();
  for (const account of ['website', 'shelf', 'relay'] as const) transports[account] = await cluster.connect(account);
  const metadata = { namespace: 'default', name: 'password' };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { password: 'x' } };
  await cluster.real.user.create(Secrets, secret, { fieldManager: 'test' });
  const storage = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', provisioner: 'example.com/none' };
  const named = { ...storage, metadata: { name: 'slow' } };
  await cluster.real.user.create(StorageClasses, named, { fieldManager: 'test' });
});

afterAll(() => cluster[Symbol.asyncDispose]());

function live(account: Account): Promise<Facts> {
  lives += 1;
  return LIVES[account](transports[account] as Transport, cluster.real.user, `${account}-${lives}`);
}

/** Runs the relay until it reported a change of every kind but one, and was refused what concerns that one. */
async function watch(account: Account, withheld?: Permission) {
  lives += 1;
  const { offsetBytes } = await cluster.real.server.auditMark();
  const requests = () => cluster.requests('relay', offsetBytes);
  const kinds = watchedKinds(account).filter((kind) => kind !== withheld?.resource);
  const { [account]: group, relay } = transports as Record<string, Transport>;
  const heard = await watchChanges(account, {
    group: group as Transport,
    relay: relay as Transport,
    user: cluster.real.user,
    name: `watched-${lives}`,
    isOver: async (found) =>
      kinds.every((kind) => found.has(kind)) &&
      (withheld === undefined || (await requests()).some(({ status }) => status === 403)),
  });
  return { heard, requests };
}

/** The rights in the roles that the relay has for a group. */
const ofRelay = (account: Account) =>
  cluster.permissions('relay').filter(({ role }) => role.startsWith(`evenkeel-${account}`) && role.endsWith('-relay'));

const failed = (facts: Facts) => Object.keys(facts).filter((fact) => facts[fact] !== true);

describe.each(['website', 'shelf'] as const)('the group %s of an author as its own service account', (account) => {
  it('R-5.12 R-6.9 lives on the roles that manifests wrote, none of its requests is forbidden, and all that they permit is needed', async () => {
    const { offsetBytes } = await cluster.real.server.auditMark();
    expect(failed(await live(account))).toEqual([]);
    const requests = await cluster.requests(account, offsetBytes);
    expect(requests.filter(({ status }) => status === 403)).toEqual([]);
    const granted = cluster.permissions(account);
    const { missing, unused } = compareWithRequests(granted, requests);
    expect([missing, unused.map(shownPermission)]).toEqual([[], []]);
    expect(JSON.stringify(cluster.manifests.flatMap(({ rules = [] }) => rules))).not.toContain('"*"');
    expect(granted.map(shownPermission).sort()).toEqual(Object.keys(NEEDED[account]).sort());
  });

  it.each(Object.entries(NEEDED[account]))('R-5.12 R-6.9 without %s it no longer %s', async (shown, fact) => {
    const right = cluster.permissions(account).find((granted) => shownPermission(granted) === shown);
    if (right === undefined) throw new Error('the roles do not permit this');
    const { offsetBytes } = await cluster.real.server.auditMark();
    expect(failed(await cluster.without(account, [right], () => live(account)))).toContain(fact);
    const refused = (await cluster.requests(account, offsetBytes)).filter(({ status }) => status === 403);
    expect(compareWithRequests([right], refused)).toEqual({ missing: [], unused: [] });
  });
});

const WATCHED = (['website', 'shelf'] as const).flatMap((account) =>
  watchedKinds(account).flatMap((kind) => (['list', 'watch'] as const).map((verb) => ({ account, kind, verb }))),
);

describe('the relay as its own service account, on the roles that manifests wrote', () => {
  it.each(['website', 'shelf'] as const)(
    'R-5.12 R-6.9 it reports changes of every kind of the group %s, and its roles permit nothing else',
    async (account) => {
      const { heard, requests } = await watch(account);
      expect([...heard].sort()).toEqual(watchedKinds(account).sort());
      const granted = ofRelay(account);
      // The API server records a watch when it has ended.
      const unused = async () => compareWithRequests(granted, await requests()).unused.length === 0 || undefined;
      await eventually('a request for each permission', unused);
      expect((await requests()).filter(({ status }) => status === 403)).toEqual([]);
      const kinds = watchedKinds(account).sort();
      expect(granted.map(({ verb, resource }) => `${verb} ${resource}`).sort()).toEqual(
        ['list', 'watch'].flatMap((verb) => kinds.map((kind) => `${verb} ${kind}`)),
      );
    },
  );

  it.each(WATCHED)(
    'R-5.12 R-6.9 it is refused $kind and reports every other kind of the group $account when it may not $verb them',
    async ({ account, kind, verb }) => {
      const right = ofRelay(account).find((granted) => granted.verb === verb && granted.resource === kind);
      if (right === undefined) throw new Error('the roles do not permit this');
      const taken = cluster.permissions('relay').filter((each) => each.verb === verb && each.resource === kind);
      const { requests, heard } = await cluster.without('relay', taken, () => watch(account, right));
      const refused = (await requests()).filter(({ status }) => status === 403);
      expect(compareWithRequests([right], refused)).toEqual({ missing: [], unused: [] });
      if (verb === 'list') expect([...heard]).not.toContain(kind);
    },
  );
});
