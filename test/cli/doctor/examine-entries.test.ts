import { describe, expect, it } from 'vitest';
import type { Diagnosis } from '../../../cli/doctor/diagnosis.ts';
import { examineEntries } from '../../../cli/doctor/examine-entries.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import { certificateAuthority } from '../../adapters/kubernetes/certificates.ts';

const ARN = 'arn:aws:iam::111122223333:role/evenkeel-prod-';
const OUTPUTS = {
  RelayRoleArn: `${ARN}relay`,
  ResyncRoleArn: `${ARN}resync`,
  ReconcileT4RoleArn: `${ARN}reconcile-t4`,
};
const WHOLE: Readonly<Record<string, readonly string[]>> = {
  [`${ARN}relay`]: ['evenkeel:relay'],
  [`${ARN}resync`]: ['others', 'evenkeel:relay'],
  [`${ARN}reconcile-t4`]: ['evenkeel:t4'],
  'arn:aws:iam::111122223333:role/node-role': ['system:nodes'],
};
const CA = Buffer.from(certificateAuthority().certificate).toString('base64');

async function examine(
  entries: Readonly<Record<string, readonly string[]>>,
  {
    outputs = OUTPUTS as Record<string, string>,
    auth = { type: 'eks', clusterName: 'shop' } as object,
    fault = false,
  } = {},
): Promise<{ regions: string[]; found: Diagnosis[] }> {
  const regions: string[] = [];
  const value = JSON.stringify({ server: 'https://api.example', certificateAuthority: CA, auth });
  const found = await examineEntries('east', { name: '/evenkeel/prod/clusters/east', value }, ['relay', 't4'], {
    stage: 'prod',
    region: 'eu-central-1',
    stack: { describe: async () => ({ status: 'UPDATE_COMPLETE', outputs }) },
    accessEntries: (region) => {
      regions.push(region);
      return {
        groupsOf: async (_cluster, arn) => {
          if (fault)
            throw new InfrastructureError('EKS DescribeAccessEntry on shop failed with InvalidRequestException');
          return entries[arn];
        },
        principals: async () => Object.keys(entries),
      };
    },
  });
  return { regions, found };
}

describe('the doctor on the access entries of EKS', () => {
  it('R-5.23 is content when each role of the stage has an entry with its user group', async () => {
    const { found, regions } = await examine(WHOLE);
    expect(found).toEqual([
      { about: 'east', level: 'ok', text: 'EKS cluster shop has an access entry for each of 3 roles' },
    ]);
    expect(regions).toEqual(['eu-central-1']);
  });

  it('R-5.23 names each role without an entry, and the entry of the role that was there before', async () => {
    const { [`${ARN}relay`]: _relay, ...others } = WHOLE;
    const before = `${ARN}relay-eu-central-1`;
    const { found } = await examine({ ...others, [before]: ['evenkeel:relay'] });
    expect(found.map(({ level, text }) => `${level} ${text}`)).toEqual([
      `trouble EKS cluster shop has no access entry for ${ARN}relay`,
      `note EKS cluster shop has an access entry for ${before}, which is no role of this stage in this region`,
    ]);
    expect(found[0]?.advice).toContain('evenkeel cluster add east --context CONTEXT --stage prod --eks shop');
    expect(found[1]?.advice).toContain(`delete-access-entry --cluster-name shop --principal-arn ${before}`);
  });

  it('R-5.23 names an entry that lacks the user group', async () => {
    const { found } = await examine({ ...WHOLE, [`${ARN}reconcile-t4`]: ['evenkeel:relay'] });
    expect(found).toMatchObject([
      {
        level: 'trouble',
        text: expect.stringContaining('reconcile-t4 in EKS cluster shop lacks the user group evenkeel:t4'),
      },
    ]);
  });

  it.each([
    ['the entries cannot be read', { fault: true }, 'InvalidRequestException', 'aws-auth'],
    [
      'the stack does not name a role',
      { outputs: { RelayRoleArn: `${ARN}relay` } },
      'has no output ReconcileT4RoleArn',
      '',
    ],
  ])('R-5.23 warns when %s', async (_title, options, text, advice) => {
    const { found } = await examine(WHOLE, options);
    expect(found).toMatchObject([{ level: 'warning', text: expect.stringContaining(text) }]);
    expect(found[0]?.advice).toContain(advice);
  });

  it('R-5.23 looks at no entry of a cluster that authenticates by tokens', async () => {
    expect(await examine({}, { auth: { type: 'token' } })).toEqual({ regions: [], found: [] });
  });
});
