import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HttpTransport } from '../../../lib/adapters/kubernetes/http-transport.ts';
import type { Transport } from '../../../lib/adapters/kubernetes/transport.ts';
import { EvenkeelFolder } from '../../e2e/support/evenkeel-process.ts';
import { eventually } from '../../e2e/support/eventually.ts';
import type { ClusterRequest } from '../../e2e/support/test-cluster.ts';
import type { RoleManifest } from '../../support/role-manifests.ts';
import { type Permission, permissionsOfAccount } from '../../support/role-permissions.ts';
import { applyKustomization, kustomized } from '../apply-kustomization.ts';
import { type Account, type RealCluster, realCluster, toRequest } from '../real-cluster.ts';
import { takeRight } from '../take-right.ts';

const MODULES = ['../../../examples/website/controllers.ts', './shelves.ts'].map((file) =>
  fileURLToPath(new URL(file, import.meta.url)),
);
const ACCOUNTS = 'system:serviceaccount:evenkeel-system:evenkeel-';

/** A real cluster that has what `evenkeel manifests` wrote for the controllers of an author, and no other role. */
export class AuthorCluster implements AsyncDisposable {
  readonly real: RealCluster;
  readonly manifests: readonly RoleManifest[];
  readonly #transports: HttpTransport[] = [];

  private constructor(real: RealCluster, manifests: readonly RoleManifest[]) {
    this.real = real;
    this.manifests = manifests;
  }

  static async start(): Promise<AuthorCluster> {
    await using folder = new EvenkeelFolder();
    const out = join(folder.path, 'manifests');
    const controllers = MODULES.flatMap((module) => ['--controllers', module]);
    const { code, err } = await folder.run(['manifests', ...controllers, '--out', out]);
    if (code !== 0) throw new Error(`evenkeel manifests ended with ${code}: ${err}`);
    const real = await realCluster({}, []);
    await applyKustomization(real.server, out);
    return new AuthorCluster(real, await kustomized(real.server, out));
  }

  /** A connection with the service account that the manifests created. */
  async connect(account: Account): Promise<Transport> {
    const transport = new HttpTransport({ connection: await this.real.connection(account) });
    this.#transports.push(transport);
    return transport;
  }

  /** Everything that the roles give the account. */
  permissions(account: Account): Permission[] {
    return permissionsOfAccount(this.manifests, `evenkeel-${account}`);
  }

  /** The requests of an account since the mark. */
  async requests(account: Account, offsetBytes: number): Promise<ClusterRequest[]> {
    const entries = await this.real.server.auditEntries({ offsetBytes });
    return entries.filter(({ user }) => user.username === ACCOUNTS + account).map(toRequest);
  }

  /**
   * Runs something while a right is missing. The API server has seen the change before it starts.
   * @param rights the right as each role of the account has it.
   */
  async without<Result>(account: Account, rights: readonly Permission[], run: () => Promise<Result>): Promise<Result> {
    const [right] = rights;
    if (right === undefined) throw new Error('no role permits this');
    const givenBack: (() => Promise<void>)[] = [];
    for (const each of rights) givenBack.push(await takeRight(this.real.server, each));
    try {
      await this.#permits(account, right, false);
      return await run();
    } finally {
      for (const giveBack of givenBack) await giveBack();
      await this.#permits(account, right, true);
    }
  }

  /** Waits until the API server decides about a request in this way. */
  async #permits(account: Account, { verb, resource, name, namespace }: Permission, expected: boolean): Promise<void> {
    const [kind = '', subresource] = resource.split('/');
    const [plural = '', ...group] = kind.split('.');
    const resourceAttributes = {
      verb,
      resource: plural,
      group: group.join('.'),
      ...(subresource !== undefined && { subresource }),
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
    };
    const body = { spec: { user: ACCOUNTS + account, resourceAttributes } };
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
    await eventually(`answer ${expected} for ${verb} ${resource}`, async () => {
      const review = await this.real.server.expectOk({ method: 'POST', path, body });
      return review.json<{ status: { allowed: boolean } }>().status.allowed === expected || undefined;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#transports.map((transport) => transport.close()));
    await this.real[Symbol.asyncDispose]();
  }
}
