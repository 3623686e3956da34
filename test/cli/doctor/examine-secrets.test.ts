import { describe, expect, it } from 'vitest';
import { examineSecrets } from '../../../cli/doctor/examine-secrets.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import { withAuthorGroups } from '../../../lib/deployment/author/author-groups.ts';
import { installedGroups } from '../../../lib/deployment/groups/installed-groups.ts';
import { zoneController } from '../../kit/group/groups.ts';

const NAME = 'evenkeel/prod/dns/api-token';
const installed = installedGroups(
  { groups: { dns: { server: 'https://dns.example.com' }, 'secret-contract': { mutation: { allow: true } } } },
  withAuthorGroups([zoneController()]),
);
const examine = (read: (name: string) => Promise<string | undefined>) => examineSecrets('prod', installed, { read });

describe('the check of the secrets of a stage', () => {
  it('R-6.4 says that a secret is there and not what it is', async () => {
    const asked: string[] = [];
    const read = async (name: string) => {
      asked.push(name);
      return 'canary';
    };
    expect(await examine(read)).toEqual([{ about: 'AWS', level: 'ok', text: `the secret ${NAME} is there` }]);
    // The digest key is created by the deployment: its part of the stack is checked elsewhere.
    expect(asked).toEqual([NAME]);
  });

  it.each([[undefined], [' \n']])(
    'R-6.4 names the secret, its group and the command when its text is %j',
    async (text) => {
      expect(await examine(async () => text)).toEqual([
        {
          about: 'AWS',
          level: 'trouble',
          text: `there is no secret ${NAME}, or it is empty: the token of the DNS account. Group dns needs it`,
          advice: `Create it: aws secretsmanager create-secret --name ${NAME} --secret-string file://FILE`,
        },
      ]);
    },
  );

  it('R-6.4 warns when the secret could not be read', async () => {
    const refused = async () => {
      throw new InfrastructureError('AccessDenied');
    };
    expect(await examine(refused)).toMatchObject([{ level: 'warning', text: `the secret ${NAME} could not be read` }]);
  });
});
