import { describe, expect, it } from 'vitest';
import { unpermittedObjects } from '../../infra/unpermitted-objects.ts';

const PROD = { name: 'prod', groups: ['control-plane', 'secret-contract'] };
const finding = (text: string, reason?: string) => ({ about: 'east', level: 'note', text, ...(reason && { reason }) });
const answer = (...items: object[]) => JSON.stringify({ items });
const told = (text: string, stage: { name: string; groups: string[] } = PROD) =>
  unpermittedObjects(stage, async () => text);

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

  it('R-3.8 nothing is said when all is permitted, and the stage is not looked at when none of its groups lists such objects', async () => {
    expect(await told(answer(finding('the settings permit what 2 Gateways ask for')))).toEqual([]);
    const none = unpermittedObjects({ name: 'dev', groups: ['t4'] }, () => Promise.reject(new Error('asked')));
    expect(await none).toEqual([]);
  });

  it.each(['', 'evenkeel: no credentials', '{}', '{"items": [5]}'])(
    'R-3.8 the command to list them is named, and the deployment goes on, when the doctor answers %j',
    async (text) => {
      const line = expect.stringContaining('To list them: npx evenkeel doctor --stage prod --settings stages/prod.yml');
      expect(await told(text)).toEqual([line]);
      expect(await unpermittedObjects(PROD, () => Promise.reject(new Error('no table')))).toEqual([line]);
    },
  );
});
