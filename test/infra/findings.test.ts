import { describe, expect, it } from 'vitest';
import { checkDefinitions, findingsOf, unpermittedObjects } from '../../infra/findings.ts';

const PROD = { name: 'prod', groups: ['control-plane', 'secret-contract'] };
const finding = (text: string, reason?: string) => ({ about: 'east', level: 'note', text, ...(reason && { reason }) });
const answer = (...items: object[]) => JSON.stringify({ items });
const told = async (text: string, stage: { name: string; groups: string[] } = PROD) =>
  unpermittedObjects(stage, await findingsOf(async () => text));

describe('what is said before a stage is deployed', () => {
  it('R-3.8 the objects that the new settings do not permit are listed, with the command that shows them again', async () => {
    const lines = await told(
      answer(
        finding('Gateway a/b may not have the realm c', 'NotPermitted'),
        finding('its clock differs'),
        finding('Gateway a/d may not have the route host e.example.org', 'NotPermitted'),
      ),
    );
    expect(lines).toEqual([
      expect.stringContaining('do not permit 2 things that objects ask for'),
      'cluster east: Gateway a/b may not have the realm c',
      'cluster east: Gateway a/d may not have the route host e.example.org',
    ]);
    expect(lines[0]).toContain('npx evenkeel doctor --stage prod --settings stages/prod.yml');
  });

  it('R-3.8 one is counted as one', async () => {
    expect(await told(answer(finding('Gateway a/b', 'NotPermitted')))).toEqual([
      expect.stringContaining('do not permit one thing that an object asks for'),
      'cluster east: Gateway a/b',
    ]);
  });

  it('R-3.8 nothing is printed when all is permitted, or when none of its groups lists such objects', async () => {
    expect(await told(answer(finding('the settings permit what 2 Gateways ask for')))).toEqual([]);
    expect(unpermittedObjects({ name: 'dev', groups: ['t4'] }, undefined)).toEqual([]);
  });

  it.each(['', 'evenkeel: no credentials', '{}', '{"items": [5]}'])(
    'R-3.8 the command to list them is named, and the deployment continues, when the doctor answers %j',
    async (text) => {
      const line = expect.stringContaining('To list them: npx evenkeel doctor --stage prod --settings stages/prod.yml');
      expect(await told(text)).toEqual([line]);
      const none = await findingsOf(() => Promise.reject(new Error('no table')));
      expect(unpermittedObjects(PROD, none)).toEqual([line]);
    },
  );
});

describe('the CRDs before a stage is deployed', () => {
  const item = (about: string, reason?: string) => ({
    about,
    text: `CRD gateways.evenkeel.dev in ${about} lacks spec.host`,
    advice: 'Install the CRDs: kubectl apply.',
    ...(reason && { reason }),
  });

  it('R-6.4 a deployment is refused with each older CRD and the command when a cluster has one', () => {
    const found = [
      item('east', 'DefinitionOlder'),
      item('north', 'DefinitionsUnknown'),
      item('west', 'DefinitionOlder'),
    ];
    expect(() => checkDefinitions(PROD, found)).toThrow(
      /^cluster east: CRD .*\ncluster west: CRD .*\nNothing was deployed\. Install the CRDs: kubectl apply\./,
    );
  });

  it('R-6.4 a deployment continues and names the clusters when their CRDs cannot be compared', () => {
    const found = [item('east', 'DefinitionsUnknown'), item('east', 'DefinitionsUnknown'), item('west')];
    const line = expect.stringMatching(/^The CRDs of east were not compared .*kubectl diff/);
    expect(checkDefinitions(PROD, found)).toEqual([line]);
    const all = expect.stringMatching(/^The CRDs of the clusters were not compared/);
    expect(checkDefinitions(PROD, undefined)).toEqual([all]);
  });

  it('R-6.4 a deployment says nothing of CRDs when those of every cluster are as new as the release', () => {
    expect(checkDefinitions(PROD, [item('east'), item('west', 'NotPermitted')])).toEqual([]);
  });
});
