import { describe, expect, it } from 'vitest';
import { Invocation } from '../../../cli/command.ts';
import { type DoctorTools, examineStage } from '../../../cli/doctor/examine-stage.ts';
import { knownKinds } from '../../../cli/inspection/known-kinds.ts';
import { printList } from '../../../cli/list.ts';
import { localSecrets } from '../../../cli/state/local-secrets.ts';
import { functions } from '../../../infra/functions.ts';
import { resources } from '../../../infra/serverless-parts.ts';
import { parseStage } from '../../../infra/stage.ts';
import { Namespaces } from '../../../lib/core/resource-type.ts';
import { readCloudEnvironment } from '../../../lib/deployment/cloud/cloud-environment.ts';
import { cloudGroupParts } from '../../../lib/deployment/cloud/cloud-group-parts.ts';
import { cloudSettings } from '../../../lib/deployment/cloud/cloud-settings.ts';
import { connectGroups } from '../../../lib/deployment/groups/connect-groups.ts';
import { installedGroups } from '../../../lib/deployment/groups/installed-groups.ts';
import { GROUPS } from '../../../lib/deployment/groups/registered-groups.ts';
import { bundledControllers } from '../../../lib/deployment/installation/bundled-controllers.ts';
import { installedRegistry } from '../../../lib/deployment/installation/installed-registry.ts';
import { roleFiles } from '../../../lib/deployment/kubernetes/role-files.ts';
import { bundledDefinitions } from '../../../lib/deployment/package/manifests.ts';
import { parseSettings } from '../../../lib/deployment/settings/load-settings.ts';
import { settingsReference } from '../../../lib/deployment/settings/settings-reference.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { TEST_CLUSTER, World } from '../../../lib/testing/world.ts';
import { RecordedTerminal } from '../terminal/recorded-terminal.ts';
import { lantern } from './lantern/group.ts';
import { Lanterns } from './lantern/lanterns.ts';

/** The one line that registers the group. */
const WITH_LANTERN = [...GROUPS, lantern];

const settingsWith = (section: object) =>
  parseSettings(JSON.stringify({ groups: { lantern: section } }), 'settings.yaml', [], WITH_LANTERN);
const stageWith = (section: object, groups = WITH_LANTERN) =>
  parseStage('test', JSON.stringify({ settings: { groups: section }, cloud: {} }), 'stages/test.yml', groups);

describe('a group that was registered by one line', () => {
  it('R-6.9 the settings page shows the group and its settings', () => {
    const page = settingsReference(WITH_LANTERN);
    expect(page).toContain('| `groups.lantern.colour` | red or green | `red` | The colour of its light. |');
    expect(page).toContain('| `lantern` | Lights lanterns. | Lantern | [lantern.md](controllers/lantern.md) |');
    expect(page).toContain('  lantern:\n    colour: green\n');
    expect(settingsReference()).not.toContain('lantern');
  });

  it('R-6.4 a wrong setting of the group is refused with its place and what is allowed', () => {
    expect(() => settingsWith({ colour: 'blue' })).toThrow(
      'groups.lantern.colour: "blue" is not allowed here. Allowed: red or green. Example: `colour: green`',
    );
    expect(() => parseSettings('groups: {lantern: {}}', 'settings.yaml')).toThrow('groups.lantern: there is no such');
    expect(() => stageWith({ lantern: { oilFile: '/oil' } })).toThrow(
      'settings.groups.lantern.oilFile: a deployment makes its oil. Leave it out.',
    );
  });

  it('R-6.9 the template has its function, queues, role, secret and alarms, and changes nothing else', () => {
    const before = stageWith({ t4: {} }, [...GROUPS]);
    const stage = stageWith({ t4: {}, lantern: { colour: 'green' } });
    const added = Object.keys(resources(stage, '1')).filter((id) => !(id in resources(before, '1')));
    expect(added.every((id) => id.includes('Lantern'))).toBe(true);
    expect(added).toEqual(
      expect.arrayContaining([
        'LanternEventsQueue',
        'LanternResyncQueue',
        'ReconcileLanternRole',
        'LanternOil',
        'ReconcileLanternFailingAlarm',
        'LanternEventsBacklogAlarm',
      ]),
    );
    const { ReconcileT4Role, DigestKey, ReconcileLanternRole, LanternOil } = resources(stage, '1');
    expect({ ReconcileT4Role, DigestKey }).toEqual({
      ReconcileT4Role: resources(before, '1').ReconcileT4Role,
      DigestKey: resources(before, '1').DigestKey,
    });
    expect(JSON.stringify(ReconcileLanternRole)).toContain('"Sid":"ReadLanternOil"');
    expect(JSON.stringify(ReconcileLanternRole)).not.toContain('ReadDigestKey');
    expect(LanternOil?.Properties).toMatchObject({
      Name: 'evenkeel/test/lantern-oil',
      Description: 'Burns in lanterns',
    });
    expect(functions(stage, '1')['reconcile-lantern']?.environment).toMatchObject({
      EVENKEEL_LANTERN_OIL: 'evenkeel/test/lantern-oil',
    });
    // It needs no oil for a red light.
    expect(JSON.stringify(resources(stageWith({ lantern: {} }), '1'))).not.toContain('LanternOil');
  });

  it('R-5.12 R-6.9 the cluster roles of the group are written, and those of the other groups stay', () => {
    const files = roleFiles(WITH_LANTERN);
    const added = Object.keys(files).filter((file) => !(file in roleFiles()));
    const inFolder = (folder: string) =>
      ['roles.yaml', 'bindings.yaml', 'kustomization.yaml'].map((file) => `roles/${folder}/${file}`);
    expect(added).toEqual([...inFolder('lantern'), ...inFolder('lantern-oil')]);
    expect(files).toMatchObject(roleFiles());
    expect(files['roles/lantern/roles.yaml']).toContain(`rules:
  # One at a time.
  - apiGroups: [test.evenkeel.dev]
    resources: [lanterns]
    verbs: [get]
`);
    expect(files['roles/lantern/roles.yaml']).toContain('resourceNames: [evenkeel-lantern]');
    expect(files['roles/lantern/bindings.yaml']).toContain('name: evenkeel:lantern');
  });
});

describe('an installation with a group that was registered by one line', () => {
  async function world(section: object): Promise<World> {
    const settings = settingsWith(section);
    const installed = installedGroups(settings, WITH_LANTERN);
    const { clients } = connectGroups(installed, {
      clock: new ManualClock(),
      stageSecret: undefined,
      standIn: undefined,
    });
    const registry = installedRegistry(settings, { clients, groups: WITH_LANTERN });
    const made = new World({ controllers: registry.controllers });
    await made.install(bundledDefinitions(WITH_LANTERN));
    await made.create(Namespaces, { metadata: { name: 'evenkeel-system' } });
    const object = await made.create(Lanterns, { metadata: { name: 'porch', namespace: 'default' }, spec: {} });
    await made.sender.sendAll('events', [made.event(Lanterns, object, { cause: 'created' })]);
    await made.drain();
    return made;
  }

  it('R-6.9 the command line lists its objects by the short name of the kind', async () => {
    const settings = settingsWith({});
    const made = await world({});
    const { registry } = made;
    expect(registry.groups()).toEqual(['lantern']);
    const terminal = new RecordedTerminal();
    const inspection = {
      cluster: TEST_CLUSTER,
      registry,
      settings,
      kinds: knownKinds(
        registry.controllers.map(({ type }) => type),
        bundledDefinitions(WITH_LANTERN),
      ),
      store: made.store,
      sender: async () => made.sender,
      api: made.user,
      clock: made.clock,
      by: 'ann@laptop',
      [Symbol.asyncDispose]: async () => {},
    };
    await printList(inspection, new Invocation([], new Map([['kind', 'lan']])), terminal);
    expect(terminal.outLines[1]).toMatch(/^Lantern +default +porch +idle +- +settled/);
    expect((await made.user.get(Lanterns, { name: 'porch', namespace: 'default' })).status).toMatchObject({
      light: 'a red flame',
      hasOil: false,
    });
    expect(bundledControllers(WITH_LANTERN).map(({ group }) => group)).toContain('lantern');
  });

  it('R-6.9 the doctor checks its queues, permissions and Lease, and runs the checks of the group', async () => {
    const made = await world({});
    const settings = cloudSettings('prod', { groups: { lantern: {} } }, WITH_LANTERN);
    const queues = ['lantern-events', 'lantern-resync', 'wakes'].map((name) => ({
      name: `evenkeel-prod-${name}-dead`,
      count: name === 'lantern-resync' ? 2 : 0,
    }));
    const asked: string[] = [];
    const tools = {
      account: {
        table: async () => ({ arn: 'arn:table', status: 'ACTIVE' }),
        deleteEmptyTable: async () => false,
        concurrentExecutions: async () => 1_000,
        clockAheadMs: async () => 0,
      },
      letters: { queues: async () => queues },
      stack: {
        describe: async () => ({ status: 'UPDATE_COMPLETE', outputs: {} }),
        owns: async () => true,
        differences: async () => [],
      },
      parameters: { list: async () => [{ name: `/evenkeel/prod/clusters/${TEST_CLUSTER}`, value: '{}' }] },
      store: made.store,
      uses: { list: async () => [] },
      region: 'eu-central-1',
      clock: made.clock,
      controllerGroups: WITH_LANTERN,
      reach: (_parameter: unknown, identity: string) => ({
        api: made.api,
        access: {
          allows: async ({ verb, resource }: { verb: string; resource: string }) => {
            asked.push(`${identity} ${verb} ${resource}`);
            return identity !== 'lantern' || resource !== 'lanterns';
          },
        },
        schemas: { schemaOf: async () => undefined, serverVersion: async () => 'v1.37.2' },
        asMyself: false,
      }),
    };
    const findings = await examineStage('prod', settings, tools as unknown as DoctorTools, () => {});
    const lines = findings.map(({ level, text }) => `${level} ${text}`);
    expect(lines).toEqual(
      expect.arrayContaining([
        'trouble evenkeel-prod-lantern-resync-dead holds about 2 dead letters',
        'trouble lantern lacks permissions: get lanterns.test.evenkeel.dev; patch lanterns.test.evenkeel.dev/status',
        'note lantern is driven by no deployment yet',
        'note 1 lanterns burn red',
        'ok 1 lanterns are known',
      ]),
    );
    expect(asked).toContain('relay watch lanterns');
    // Only a green light needs those.
    expect(asked).not.toContain('relay watch configmaps');
  });

  it('R-6.9 a function of the cloud finds the secret of the group by its variable, and only the own function connects', async () => {
    const variables = {
      AWS_REGION: 'eu-central-1',
      EVENKEEL_STAGE: 'prod',
      EVENKEEL_VERSION: '1',
      EVENKEEL_SETTINGS: '{}',
      EVENKEEL_TABLE: 'table',
      EVENKEEL_DEPLOYMENT: 'arn',
      EVENKEEL_QUEUES: '{}',
      EVENKEEL_WAKES: 'https://sqs.eu-central-1.amazonaws.com/1/q',
      EVENKEEL_IDENTITY: 'lantern',
      EVENKEEL_LANTERN_OIL: 'evenkeel/prod/lantern-oil',
    };
    const settings = settingsWith({ colour: 'green' });
    const partsOf = (identity: string) => {
      const environment = readCloudEnvironment({ ...variables, EVENKEEL_IDENTITY: identity }, WITH_LANTERN);
      const read = async (name: string) => `the text of ${name}`;
      return cloudGroupParts(environment, settings, { read }, new ManualClock(), WITH_LANTERN);
    };
    expect((await partsOf('lantern')).secrets).toEqual({ 'lantern-oil': 'the text of evenkeel/prod/lantern-oil' });
    expect(Object.keys((await partsOf('lantern')).clients ?? {})).toEqual(['lantern']);
    expect(Object.keys((await partsOf('relay')).clients ?? {})).toEqual([]);
  });

  it('R-6.4 on one machine a file of a secret that cannot be read is reported with the setting that names it', () => {
    const settings = settingsWith({ colour: 'green', oilFile: '/nowhere/oil' });
    expect(() => localSecrets(installedGroups(settings, WITH_LANTERN), '/nowhere')).toThrow(
      '/nowhere/oil, which groups.lantern.oilFile names, cannot be read (ENOENT).',
    );
    expect(localSecrets(installedGroups(settingsWith({}), WITH_LANTERN), '/nowhere')).toEqual({});
  });
});
