import { beforeEach, describe, expect, it } from 'vitest';
import { listClusters } from '../../cli/cluster-list.ts';
import type { Invocation } from '../../cli/command.ts';
import type { DoctorTools } from '../../cli/doctor/examine-stage.ts';
import { OpenApiSchemas } from '../../lib/adapters/kubernetes/open-api-schemas.ts';
import { MemoryClusterUseStore } from '../../lib/adapters/memory/memory-cluster-use-store.ts';
import { EvenkeelError } from '../../lib/core/errors.ts';
import type { DesiredObject } from '../../lib/core/kube-object.ts';
import { apiVersion, Leases, Namespaces } from '../../lib/core/resource-type.ts';
import { GROUPS } from '../../lib/deployment/groups/registered-groups.ts';
import { bundledDefinitions } from '../../lib/deployment/package/manifests.ts';
import { settingsSchema } from '../../lib/deployment/settings/settings-schema.ts';
import { World } from '../../lib/testing/world.ts';
import { RecordedTerminal } from '../deployment/terminal/recorded-terminal.ts';

const settings = settingsSchema.parse({ groups: { 'secret-contract': {} } });
const DEPLOYMENT = 'arn:table/evenkeel-prod';

let worlds: Record<string, World>;
let uses: MemoryClusterUseStore;

beforeEach(async () => {
  worlds = {};
  uses = new MemoryClusterUseStore();
  for (const name of ['east', 'west']) {
    const world = new World({ controllers: [] });
    await world.create(Namespaces, { metadata: { name: 'evenkeel-system' } });
    worlds[name] = world;
  }
  await worlds.east?.install(bundledDefinitions());
  await worlds.west?.install(bundledDefinitions().filter(isGrant));
});

function isGrant({ metadata }: DesiredObject): boolean {
  return metadata.name.startsWith('secretcontractgrants');
}

async function lease(cluster: string, holderIdentity: string): Promise<void> {
  const metadata = { namespace: 'evenkeel-system', name: 'evenkeel-secret-contract' };
  const object = { apiVersion: apiVersion(Leases), kind: 'Lease', metadata, spec: { holderIdentity } };
  await worlds[cluster]?.user.create(Leases, object, { fieldManager: 'test' });
}

async function list(output?: string) {
  const terminal = new RecordedTerminal();
  const names = ['east', 'north', 'west'];
  const tools = {
    uses,
    parameters: { list: async () => names.map((name) => ({ name: `/evenkeel/prod/clusters/${name}`, value: name })) },
    account: { table: async () => ({ arn: DEPLOYMENT, status: 'ACTIVE' }) },
    reach: ({ value }: { value: string }) => {
      const world = worlds[value];
      if (world === undefined) throw new EvenkeelError('BAD', 'parameter north: server: it has the wrong type.');
      return { api: world.api, schemas: new OpenApiSchemas(world.server, world.clock) };
    },
  } as unknown as DoctorTools;
  const invocation = { text: () => output } as unknown as Invocation;
  const code = await listClusters('prod', { settings, groups: GROUPS }, tools, invocation, terminal);
  return { code, lines: terminal.outLines };
}

describe('evenkeel cluster list', () => {
  it('R-6.4 lists each cluster with its version, whether its CRDs are older, and who drives it', async () => {
    await lease('east', DEPLOYMENT);
    await lease('west', 'arn:table/other');
    const { code, lines } = await list();
    expect(code).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(/^NAME {3}KUBERNETES\s+CRDS\s+RELEASE\s+DRIVEN BY$/),
      expect.stringMatching(/^east {3}v1\.\d+\.\S+\s+current\s+-\s+this stage$/),
      expect.stringMatching(/^north {2}-\s+unknown\s+-\s+parameter north: server: it has the wrong type\.$/),
      expect.stringMatching(/^west {3}v1\.\d+\.\S+\s+older\s+-\s+arn:table\/other$/),
    ]);
  });

  it('R-6.4 shows that nobody drives a cluster without a Lease, and the same as JSON', async () => {
    const { lines } = await list('json');
    const { items } = JSON.parse(lines.join('\n')) as { items: object[] };
    expect(items[0]).toMatchObject({ name: 'east', definitions: 'current', drivenBy: 'nobody' });
    expect(items[1]).toMatchObject({ name: 'north', fault: expect.stringContaining('wrong type') });
  });

  it('R-6.4 R-6.8 shows the release and the schemas that were recorded, and removed clusters that still have something', async () => {
    const use = {
      finalizers: {},
      leases: [],
      schemas: { 'evenkeel.dev/v1alpha1': 'AB12' },
      release: '0.2.0',
      sinceMs: 0,
    };
    await uses.record({ ...use, cluster: 'north' }, 1);
    await uses.record({ ...use, cluster: 'gone', leases: ['evenkeel-t4'] }, 1);
    await uses.record({ ...use, cluster: 'left' }, 1);
    const { lines } = await list();
    expect(lines).toHaveLength(5);
    expect(lines[2]).toMatch(/^north\s+-\s+unknown\s+0\.2\.0\s+parameter north/);
    expect(lines[4]).toMatch(
      /^gone\s+-\s+unknown\s+0\.2\.0\s+nobody: not registered any more, and has the Lease evenkeel-t4$/,
    );
    const { items } = JSON.parse((await list('json')).lines.join('\n')) as { items: object[] };
    expect(items[1]).toMatchObject({ name: 'north', release: '0.2.0', schemas: { 'evenkeel.dev/v1alpha1': 'AB12' } });
  });
});
