import { describe, expect, it } from 'vitest';
import { parseClusterParameter } from '../../../lib/deployment/cloud/cluster-parameter.ts';
import { certificateAuthority } from '../../adapters/kubernetes/certificates.ts';

const PEM = certificateAuthority().certificate;
const NAME = '/evenkeel/prod/clusters/east';
const GOOD = { server: 'https://api.example:6443', certificateAuthority: PEM, auth: { type: 'token' } };

function parse(value: unknown, name = NAME) {
  return parseClusterParameter({ name, value: typeof value === 'string' ? value : JSON.stringify(value) }, 'eu-west-1');
}

describe('parseClusterParameter', () => {
  it('R-6.4 the last part of its name is the cluster, and the authority may be PEM or the base64 of a kubeconfig', () => {
    expect(parse(GOOD)).toEqual({ name: 'east', ...GOOD });
    const base64 = Buffer.from(PEM).toString('base64');
    expect(parse({ ...GOOD, certificateAuthority: base64, tlsServerName: 'inner' })).toEqual({
      name: 'east',
      ...GOOD,
      tlsServerName: 'inner',
    });
  });

  it('R-6.4 an EKS cluster lies in the region of the deployment unless it says otherwise', () => {
    const eks = { ...GOOD, auth: { type: 'eks', clusterName: 'prod_1' } };
    expect(parse(eks).auth).toEqual({ type: 'eks', clusterName: 'prod_1', region: 'eu-west-1' });
    const far = { ...eks, auth: { ...eks.auth, region: 'us-gov-west-1' } };
    expect(parse(far).auth).toMatchObject({ region: 'us-gov-west-1' });
  });

  it.each<[string, unknown]>([
    ['its value is not JSON. Write it like {"server"', '{'],
    ['its value is no JSON object.', '[]'],
    ['its value is no JSON object.', 'null'],
    ['server: it is missing.', { ...GOOD, server: undefined }],
    ['server: it is no URL; give one such as https://host:443.', { ...GOOD, server: 'api.example' }],
    ['server: it has the wrong type.', { ...GOOD, server: 7 }],
    ['servr: there is no such field. Did you mean "server"?', { ...GOOD, servr: 'x' }],
    ['certificateAuthority: it is neither PEM nor base64 of it', { ...GOOD, certificateAuthority: 'eA==' }],
    ['auth: it is missing.', { ...GOOD, auth: undefined }],
    ['auth.type: it must be "eks" or "token".', { ...GOOD, auth: { type: 'exec' } }],
    ['auth.clusterName: it is missing.', { ...GOOD, auth: { type: 'eks' } }],
    ['auth.clusterName: it is no name of an EKS cluster.', { ...GOOD, auth: { type: 'eks', clusterName: 'a b' } }],
    ['auth.region: it is no AWS region.', { ...GOOD, auth: { type: 'eks', clusterName: 'a', region: 'mars' } }],
    ['auth.token: there is no such field.', { ...GOOD, auth: { type: 'token', token: 'abc' } }],
  ])('R-6.4 the parameter and the field are named: %s', (fault, value) => {
    expect(() => parse(value)).toThrow(`parameter ${NAME}: ${fault}`);
  });

  it('R-6.4 all errors are reported at once', () => {
    expect(() => parse({ server: 5, auth: { type: 'token' } })).toThrow(
      `parameter ${NAME}: server: it has the wrong type.\nparameter ${NAME}: certificateAuthority: it is missing.`,
    );
  });

  it.each(['Upper', '-a', 'a-', 'a_b', 'a'.repeat(41)])('R-6.4 %s cannot name a cluster', (name) => {
    expect(() => parse(GOOD, `/evenkeel/prod/clusters/${name}`)).toThrow(`"${name}" cannot name a cluster.`);
  });

  it('R-1.24 no message quotes a value: it may be a token in the wrong field', () => {
    const value = { server: 'hunter2', certificateAuthority: 'hunter2', auth: { type: 'hunter2' } };
    expect(() => parse(value)).toThrow(expect.not.stringContaining('hunter2'));
  });
});
