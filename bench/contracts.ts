import { SecretContracts } from '../lib/controllers/secret-contract/kinds.ts';
import type { KubeObject } from '../lib/core/kube-object.ts';
import { Namespaces, Secrets } from '../lib/core/resource-type.ts';
import { type ClusterApi, isApiError } from '../lib/ports/cluster-api.ts';
import { inParallel } from './statistics.ts';

export const BENCH_NAMESPACE = 'bench';
const OPTIONS = { fieldManager: 'bench' };
const name = (index: number) => ({ namespace: BENCH_NAMESPACE, name: `contract-${index}` });
const secretName = (index: number) => ({ namespace: BENCH_NAMESPACE, name: `secret-${index}` });

/** Creates a namespace with `count` contracts, each with its Secret. */
export async function createContracts(api: ClusterApi, count: number, concurrency = 16): Promise<void> {
  await api
    .create(Namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: BENCH_NAMESPACE } }, OPTIONS)
    .catch(() => undefined);
  await inParallel(count, concurrency, (index) => createContract(api, index));
}

async function createSecret(api: ClusterApi, index: number): Promise<void> {
  const data = { username: 'YWRtaW4=', password: Buffer.from(`password-${index}`).toString('base64') };
  await api.create(Secrets, { apiVersion: 'v1', kind: 'Secret', metadata: secretName(index), data }, OPTIONS);
}

/** Deletes the Secrets of the first `count` contracts. */
export async function takeSecretsAway(api: ClusterApi, count: number): Promise<void> {
  await inParallel(count, 16, async (index) => {
    const { metadata } = await api.get(Secrets, secretName(index), { metadataOnly: true });
    await api.delete(Secrets, secretName(index), { preconditions: { uid: metadata.uid } });
  });
}

/** Creates them again. */
export async function restoreSecrets(api: ClusterApi, count: number): Promise<void> {
  await inParallel(count, 16, (index) => createSecret(api, index));
}

async function createContract(api: ClusterApi, index: number): Promise<void> {
  await createSecret(api, index);
  const spec = {
    secretRef: { name: secretName(index).name },
    keys: [{ name: 'username' }, { name: 'password' }],
    maxAge: '720h',
  };
  await api.create(
    SecretContracts,
    { apiVersion: 'evenkeel.dev/v1alpha1', kind: 'SecretContract', metadata: name(index), spec },
    OPTIONS,
  );
}

/** Removes every contract's status, so that the next controller starts from nothing. */
export async function clearStatuses(api: ClusterApi, count: number, concurrency = 16): Promise<void> {
  const patch = { status: null };
  await inParallel(count, concurrency, async (index) => {
    await api.patch(SecretContracts, name(index), { type: 'merge', patch }, { ...OPTIONS, subresource: 'status' });
  });
}

/** Changes a contract's spec so that it stays satisfied. Resolves with the generation of the edit. */
export async function editContract(api: ClusterApi, index: number, revision: number): Promise<number> {
  // A prime, so that no edit of a contract repeats the one before, which would change nothing.
  const patch = { spec: { maxAge: `${720 + (revision % 997)}h` } };
  const edited = await api.patch(SecretContracts, name(index), { type: 'merge', patch }, OPTIONS);
  return edited.metadata.generation ?? 0;
}

/** Whether the status is right for the object's own generation. */
export function isRight(contract: KubeObject): boolean {
  const status = contract.status as
    | { observedGeneration?: number; conditions?: { type: string; status: string }[] }
    | undefined;
  return (
    status?.observedGeneration === contract.metadata.generation &&
    status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True'
  );
}

/** Follows every contract's status. It shows when all are right, and when each generation was published. */
export class StatusWatch {
  private readonly api: ClusterApi;
  private readonly stop = new AbortController();
  private readonly published = new Map<string, number>();
  private readonly right = new Set<string>();
  private readonly waiting = new Set<() => void>();
  private finished: Promise<void> = Promise.resolve();

  constructor(api: ClusterApi) {
    this.api = api;
  }

  async start(): Promise<void> {
    this.finished = this.follow(await this.list());
  }

  async end(): Promise<void> {
    this.stop.abort();
    await this.finished;
  }

  get rightCount(): number {
    return this.right.size;
  }

  isPublished(index: number, generation: number): boolean {
    return (this.published.get(name(index).name) ?? 0) >= generation;
  }

  /** Resolves when the condition holds. It is checked after each event. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.waiting.add(resolve));
  }

  private async list(): Promise<string> {
    const page = await this.api.list(SecretContracts, { namespace: BENCH_NAMESPACE, limit: 5_000 });
    for (const item of page.items) this.see(item);
    return page.resourceVersion;
  }

  /** An API server ends the watch of a slow client, in a storm this one too: it continues from where it was. */
  private async follow(from: string): Promise<void> {
    let resourceVersion = from;
    const { signal } = this.stop;
    while (!signal.aborted) {
      const options = { namespace: BENCH_NAMESPACE, resourceVersion, timeoutSeconds: 3_600, signal };
      try {
        for await (const event of this.api.watch(SecretContracts, options)) {
          if (event.type === 'UNREADABLE') continue;
          resourceVersion = event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion;
          if (event.type !== 'BOOKMARK') this.see(event.object);
        }
      } catch (error) {
        if (signal.aborted) return;
        if (!isApiError(error, 'Expired')) throw error;
        resourceVersion = await this.list();
      }
    }
  }

  private see(contract: KubeObject): void {
    const status = contract.status as { observedGeneration?: number } | undefined;
    this.published.set(contract.metadata.name, status?.observedGeneration ?? 0);
    if (isRight(contract)) this.right.add(contract.metadata.name);
    else this.right.delete(contract.metadata.name);
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}

/** A status in the form of the controller, so that the bare requests are the same work for the server. */
export function statusOf(contract: KubeObject, revision: number): object {
  return {
    ...(contract.status as object),
    lastCheckedTime: new Date(1_700_000_000_000 + revision * 1_000).toISOString().replace('.000', ''),
  };
}

/** GET contract, GET Secret, PATCH status: only the requests of a pass that changes something. */
async function barePass(api: ClusterApi, index: number, revision: number): Promise<void> {
  const contract = await api.get(SecretContracts, name(index));
  await api.get(Secrets, secretName(index));
  await api.patch(
    SecretContracts,
    name(index),
    { type: 'merge', patch: { status: statusOf(contract, revision) as never } },
    { ...OPTIONS, subresource: 'status' },
  );
}

/** Makes `count` bare passes, like a controller without an engine. Resolves with passes a second. */
export async function barePasses(
  api: ClusterApi,
  contracts: number,
  passes: number,
  concurrency = 32,
): Promise<number> {
  const started = performance.now();
  await inParallel(passes, concurrency, (pass) => barePass(api, pass % contracts, pass));
  return (passes / (performance.now() - started)) * 1_000;
}

/**
 * The milliseconds from an edit to the end of a bare pass that follows it, one edit after the other. No controller can
 * be faster than this.
 */
export async function bareLatenciesMs(api: ClusterApi, contracts: number, passes: number): Promise<number[]> {
  const latenciesMs: number[] = [];
  for (let pass = 0; pass < passes; pass += 1) {
    const index = (pass * 37) % contracts;
    const started = performance.now();
    await editContract(api, index, pass + 500);
    await barePass(api, index, pass + 1_000_000);
    latenciesMs.push(performance.now() - started);
  }
  return latenciesMs;
}
