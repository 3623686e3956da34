import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, KubeConfig, type User } from '@kubernetes/client-node';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadKubeconfig } from '../../../../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { EvenkeelError } from '../../../../lib/core/errors.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { FILES_BESIDE, type GeneratedCase, generatedCases, writeCase } from './generated-kubeconfigs.ts';

let root: string;
let count = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'evenkeel-client-node-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Where client-node differs from kubectl, and how. It is no reference there. */
const DIFFERENCES: readonly {
  readonly what: string;
  readonly isSo: (cluster: Cluster, user: User | null) => boolean;
}[] = [
  { what: 'takes a server without a scheme as it stands', isSo: ({ server }) => !/^https?:/i.test(server) },
  { what: 'sends credentials to a server without TLS', isSo: ({ server }) => /^http:/i.test(server) },
  { what: 'reads no tokenFile', isSo: (_, user) => user?.token === undefined && user?.certData === undefined },
];

/** client-node's result for the first file; undefined when it refuses, or reads less than kubectl. */
async function byClientNode(path: string, context: string | undefined) {
  const config = new KubeConfig();
  try {
    config.loadFromFile(path);
  } catch {
    return undefined;
  }
  if (context !== undefined) config.setCurrentContext(context);
  const cluster = config.getCurrentCluster();
  const user = config.getCurrentUser();
  if (cluster === null || DIFFERENCES.some(({ isSo }) => isSo(cluster, user))) return undefined;
  return { cluster, user };
}

async function ours(file: string, context: string | undefined) {
  try {
    const options = { file, environment: {}, clock: new ManualClock(), ...(context === undefined ? {} : { context }) };
    return (await loadKubeconfig(options)).connection;
  } catch (error) {
    if (error instanceof EvenkeelError) return undefined;
    throw error;
  }
}

async function bothOf(wanted: GeneratedCase) {
  count += 1;
  const [path = ''] = await writeCase(join(root, String(count)), wanted);
  return { theirs: await byClientNode(path, wanted.context), connection: await ours(path, wanted.context) };
}

/** Data takes precedence over a file, and a file is given by name. */
function pem(data: string | undefined, file: string | undefined): string | undefined {
  if (data) return Buffer.from(data, 'base64').toString('utf8');
  const name = file?.split('/').at(-1) as keyof typeof FILES_BESIDE | undefined;
  return name === undefined ? undefined : FILES_BESIDE[name];
}

describe('R-6.3 a kubeconfig is read as @kubernetes/client-node reads it', () => {
  it('server, authority and identity are the same when both libraries accept a kubeconfig', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(generatedCases, async (wanted) => {
        const { theirs, connection } = await bothOf({ ...wanted, files: wanted.files.slice(0, 1) });
        if (theirs === undefined || connection === undefined) return;
        compared += 1;
        const { cluster, user } = theirs;
        expect(connection.server.replace(/\/+$/, '')).toBe(cluster.server.replace(/\/+$/, ''));
        expect(connection.certificateAuthority).toBe(pem(cluster.caData, cluster.caFile));
        expect(connection.insecureSkipTlsVerify ?? false).toBe(cluster.skipTLSVerify ?? false);
        expect(connection.tlsServerName).toBe(cluster.tlsServerName || undefined);
        expect(connection.clientCertificate?.certificate).toBe(pem(user?.certData, user?.certFile));
        expect(connection.clientCertificate?.key).toBe(pem(user?.keyData, user?.keyFile));
        if (connection.token?.kind === 'static') expect(await connection.token.current()).toBe(user?.token);
      }),
      { numRuns: 500 },
    );
    expect(compared).toBeGreaterThan(50);
  });
});
