import {
  CreateAccessEntryCommand,
  DeleteAccessEntryCommand,
  DescribeAccessEntryCommand,
  type EKSClient,
  ListAccessEntriesCommand,
  ResourceInUseException,
  ResourceNotFoundException,
  UpdateAccessEntryCommand,
} from '@aws-sdk/client-eks';
import type { AccessEntries } from '../../ports/access-entries.ts';
import type { AccessPrincipals } from '../../ports/access-principals.ts';
import { awsFailure } from './aws-failure.ts';

/** Access entries of EKS. They have no access policy: the roles of the cluster hold all permissions. */
export class EksAccessEntries implements AccessEntries, AccessPrincipals {
  readonly #client: Pick<EKSClient, 'send'>;

  constructor(client: Pick<EKSClient, 'send'>) {
    this.#client = client;
  }

  async groupsOf(clusterName: string, principalArn: string): Promise<readonly string[] | undefined> {
    return await this.#call('DescribeAccessEntry', clusterName, async () => {
      const { accessEntry } = await this.#client.send(new DescribeAccessEntryCommand({ clusterName, principalArn }));
      return accessEntry?.kubernetesGroups ?? [];
    });
  }

  async principals(clusterName: string): Promise<readonly string[]> {
    const found: string[] = [];
    await this.#call('ListAccessEntries', clusterName, async () => {
      let nextToken: string | undefined;
      do {
        const page = await this.#client.send(
          new ListAccessEntriesCommand({ clusterName, ...(nextToken !== undefined && { nextToken }) }),
        );
        found.push(...(page.accessEntries ?? []));
        nextToken = page.nextToken;
      } while (nextToken !== undefined);
    });
    return found;
  }

  async put(clusterName: string, principalArn: string, groups: readonly string[]): Promise<void> {
    const entry = { clusterName, principalArn, kubernetesGroups: [...groups] };
    await this.#call('CreateAccessEntry', clusterName, async () => {
      try {
        await this.#client.send(new CreateAccessEntryCommand(entry));
      } catch (error) {
        if (!(error instanceof ResourceInUseException)) throw error;
        await this.#client.send(new UpdateAccessEntryCommand(entry));
      }
    });
  }

  async remove(clusterName: string, principalArn: string): Promise<void> {
    await this.#call('DeleteAccessEntry', clusterName, async () => {
      await this.#client.send(new DeleteAccessEntryCommand({ clusterName, principalArn }));
    });
  }

  /** @returns undefined for an entry that does not exist. */
  async #call<Answer>(
    operation: string,
    clusterName: string,
    send: () => Promise<Answer>,
  ): Promise<Answer | undefined> {
    try {
      return await send();
    } catch (error) {
      const isAbsent = error instanceof ResourceNotFoundException && operation !== 'CreateAccessEntry';
      if (isAbsent) return undefined;
      throw awsFailure('EKS', operation, clusterName, error);
    }
  }
}
