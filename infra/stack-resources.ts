import {
  type CloudFormationClient,
  ListStackResourcesCommand,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';

/** States of resources in the list that an update deleted, or removed from the stack without deleting them. */
const GONE: ReadonlySet<string> = new Set(['DELETE_COMPLETE', 'DELETE_SKIPPED']);

/**
 * Physical ids by logical id; empty when there is no stack. They are listed in pages, because a description of the
 * stack has only its first 100 resources.
 */
export async function stackResources(
  client: CloudFormationClient,
  stackName: string,
): Promise<ReadonlyMap<string, string>> {
  const found: StackResourceSummary[] = [];
  try {
    let NextToken: string | undefined;
    do {
      const command = new ListStackResourcesCommand({ StackName: stackName, ...(NextToken && { NextToken }) });
      const page = await client.send(command);
      found.push(...(page.StackResourceSummaries ?? []));
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
  } catch (error) {
    if (error instanceof Error && /does not exist/.test(error.message)) return new Map();
    throw error;
  }
  return new Map(
    found
      .filter(({ ResourceStatus = '' }) => !GONE.has(ResourceStatus))
      .map(({ LogicalResourceId = '', PhysicalResourceId = '' }) => [LogicalResourceId, PhysicalResourceId]),
  );
}
