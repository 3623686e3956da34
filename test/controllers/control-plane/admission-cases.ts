/** A specification and admission's verdict. `fault` is a part of its message; absent when it admits the object. */
export interface AdmissionCase {
  readonly kind: 'Gateway' | 'ManagedDatabase';
  readonly title: string;
  readonly spec: object;
  readonly fault?: string;
}

export interface EditCase extends AdmissionCase {
  readonly before: object;
}

const GATEWAY = { image: 'registry.example:5000/hypershell/gateway:1.4', databaseRef: { name: 'main' } };
const DATABASE = { provider: 'cnpg', engineVersion: '17', storage: '10Gi', deletionPolicy: 'Delete' };
const gateway = (title: string, change: object, fault?: string): AdmissionCase => ({
  kind: 'Gateway',
  title,
  spec: { ...GATEWAY, ...change },
  ...(fault !== undefined && { fault }),
});
const database = (title: string, change: object, fault?: string): AdmissionCase => ({
  kind: 'ManagedDatabase',
  title,
  spec: { ...DATABASE, ...change },
  ...(fault !== undefined && { fault }),
});
const names = (count: number) => Array.from({ length: count }, (_, index) => `name-${index}.example.org`);

export const ADMISSION_CASES: readonly AdmissionCase[] = [
  gateway('the least', {}),
  gateway('everything', {
    image: `registry.example/a/b:1@sha256:${'0'.repeat(64)}`,
    serverDnsNames: names(16),
    replicas: 10,
    route: { host: 'a.example.org', enabled: true },
    identity: { realm: 'Shop_1', roles: ['admin', 'a:b.c'] },
    adoption: 'IfUnowned',
  }),
  gateway('no image', { image: undefined }, 'spec.image'),
  gateway('an image without a path', { image: 'nginx' }, 'spec.image'),
  gateway('an image with a space', { image: 'a.example/b c' }, 'spec.image'),
  gateway('a digest of the wrong length', { image: 'a.example/b@sha256:00' }, 'spec.image'),
  gateway('no database', { databaseRef: undefined }, 'spec.databaseRef'),
  gateway('a database of another namespace', { databaseRef: { name: 'other/main' } }, 'spec.databaseRef.name'),
  gateway('seventeen names', { serverDnsNames: names(17) }, 'spec.serverDnsNames'),
  gateway('a name twice', { serverDnsNames: ['a.b', 'a.b'] }, 'spec.serverDnsNames'),
  gateway('a name in capitals', { serverDnsNames: ['A.b'] }, 'spec.serverDnsNames'),
  gateway('no replicas at all', { replicas: 0 }),
  gateway('eleven replicas', { replicas: 11 }, 'spec.replicas'),
  gateway('minus one replica', { replicas: -1 }, 'spec.replicas'),
  gateway('a disabled route without host', { route: { enabled: false } }),
  gateway('a route without host', { route: {} }, 'a route needs a host'),
  gateway('a route with a wildcard', { route: { host: '*.example.org' } }, 'spec.route.host'),
  gateway('an identity without realm', { identity: {} }, 'spec.identity.realm'),
  gateway('a realm with a slash', { identity: { realm: 'a/b' } }, 'spec.identity.realm'),
  gateway('seventeen roles', { identity: { realm: 'a', roles: names(17) } }, 'spec.identity.roles'),
  gateway('another adoption', { adoption: 'Always' }, 'spec.adoption'),
  database('the least', {}),
  database('everything', {
    engineVersion: '17.5',
    instances: 9,
    storage: '1.5Ti',
    deletionPolicy: 'Retain',
    rebuild: true,
  }),
  database('another provider', { provider: 'rds' }, 'spec.provider'),
  database('no version', { engineVersion: undefined }, 'spec.engineVersion'),
  database('a version in words', { engineVersion: 'latest' }, 'spec.engineVersion'),
  database('no instances', { instances: 0 }, 'spec.instances'),
  database('ten instances', { instances: 10 }, 'spec.instances'),
  database('storage in words', { storage: 'much' }, 'storage must be a quantity above zero'),
  database('no storage', { storage: '0' }, 'storage must be a quantity above zero'),
  database('no policy', { deletionPolicy: undefined }, 'spec.deletionPolicy'),
  database('another policy', { deletionPolicy: 'Orphan' }, 'spec.deletionPolicy'),
];

/**
 * Hosts that no settings can permit. Admission refuses them; the controller has conditions for objects that were stored
 * without admission.
 */
export const HOST_CASES: readonly AdmissionCase[] = [
  ...[
    '169.254.169.254',
    '127.1',
    '0x7f.1',
    'localhost',
    'gateway',
    'gw.team.svc',
    'a.b.svc.cluster.local',
    'nas.local',
  ].map((host) => gateway(`a route to ${host}`, { route: { host } }, 'must be a name of a public server')),
  ...['10.0.0.1', 'gateway', 'gw.team.svc'].map((host) =>
    gateway(
      `an identity and the server name ${host}`,
      { identity: { realm: 'a' }, serverDnsNames: ['a.example.org', host] },
      'with identity every name must be one of a public server',
    ),
  ),
  gateway('server names of the cluster and no identity', { serverDnsNames: ['gateway', 'gw.team.svc', '10.0.0.1'] }),
  gateway('public names', {
    identity: { realm: 'a' },
    serverDnsNames: ['a-1.example.org', '1.2.example', 'local.example.org', 'xn--d1acufc.xn--p1ai'],
    route: { host: 'svc.example.org' },
  }),
];

const edit = (from: AdmissionCase, spec: object): EditCase => ({ ...from, before: from.spec, spec });
const WITH_IDENTITY = { identity: { realm: 'shop' } };

export const EDIT_CASES: readonly EditCase[] = [
  edit(gateway('another image', {}), { image: 'registry.example/a/b:2' }),
  edit(gateway('another database', {}, 'databaseRef is immutable'), { databaseRef: { name: 'other' } }),
  edit(gateway('another realm', WITH_IDENTITY, 'realm is immutable'), { identity: { realm: 'other' } }),
  edit(gateway('no identity any more', WITH_IDENTITY), { identity: null }),
  edit(gateway('an identity at last', {}), WITH_IDENTITY),
  edit(database('more storage', {}), { storage: '1Ti' }),
  edit(database('the same storage, written otherwise', {}), { storage: '10240Mi' }),
  edit(database('less storage', {}, 'must not shrink'), { storage: '9Gi' }),
  edit(database('another policy', {}, 'deletionPolicy is immutable'), { deletionPolicy: 'Retain' }),
  edit(database('more instances', {}), { instances: 3 }),
];
