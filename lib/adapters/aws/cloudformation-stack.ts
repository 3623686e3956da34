import {
  type CloudFormationClient,
  CreateChangeSetCommand,
  DeleteChangeSetCommand,
  DescribeChangeSetCommand,
  type DescribeChangeSetOutput,
  DescribeStackDriftDetectionStatusCommand,
  DescribeStackResourceDriftsCommand,
  DescribeStacksCommand,
  DetectStackDriftCommand,
  ExecuteChangeSetCommand,
  ListStackResourcesCommand,
  type Stack,
  type StackResourceDrift,
} from '@aws-sdk/client-cloudformation';
import { InfrastructureError } from '../../core/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DeployedStack, PreparedRepair, StackChange, StackDifference } from '../../ports/deployed-stack.ts';
import { awsFailure } from './aws-failure.ts';

const POLL_MS = 2_000;
/** CloudFormation compares each part, and needs a minute to create a table. */
const LONGEST_MS = 15 * 60_000;
/** For CloudFormation, a change set without changes has failed. It has no error code for this case. */
const NOTHING_TO_CHANGE = /didn't contain changes|No updates are to be performed/;
/** Actions that may delete a part. With `Dynamic`, CloudFormation decides only while it runs the change set. */
const MAY_REMOVE: ReadonlySet<string> = new Set(['Remove', 'Dynamic']);
const MAY_REPLACE: ReadonlySet<string> = new Set(['True', 'Conditional']);
/** For a failure without a reason from CloudFormation. */
const NO_REASON = 'it gives no reason';

export interface CloudFormationStackOptions {
  readonly client: CloudFormationClient;
  readonly stackName: string;
  readonly clock: Clock;
  /** A unique name for a change set. It starts with a letter. */
  readonly newName: () => string;
}

/**
 * A stack in CloudFormation. A plain update compares templates, so it does not notice a part that somebody deleted by hand. The repair is a
 * drift-aware change set (DeploymentMode REVERT_DRIFT of CreateChangeSet): it compares the template with the parts as they are.
 */
export class CloudFormationStack implements DeployedStack {
  readonly #options: CloudFormationStackOptions;

  constructor(options: CloudFormationStackOptions) {
    this.#options = options;
  }

  async describe(): ReturnType<DeployedStack['describe']> {
    const stack = await this.#describe();
    if (stack === undefined) return undefined;
    const outputs = (stack.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]);
    return { status: stack.StackStatus ?? '', outputs: Object.fromEntries(outputs) as Record<string, string> };
  }

  async owns(physicalId: string): Promise<boolean> {
    const { client, stackName } = this.#options;
    return await this.#call('ListStackResources', async () => {
      let NextToken: string | undefined;
      do {
        const command = new ListStackResourcesCommand({ StackName: stackName, ...(NextToken && { NextToken }) });
        const page = await ofExisting(() => client.send(command));
        const parts = page?.StackResourceSummaries ?? [];
        if (
          parts.some((part) => part.PhysicalResourceId === physicalId && !/^DELETE_/.test(part.ResourceStatus ?? ''))
        ) {
          return true;
        }
        NextToken = page?.NextToken;
      } while (NextToken !== undefined);
      return false;
    });
  }

  async differences(): Promise<StackDifference[]> {
    const { client, stackName } = this.#options;
    return await this.#call('DetectStackDrift', async () => {
      const { StackDriftDetectionId } = await client.send(new DetectStackDriftCommand({ StackName: stackName }));
      await this.#until('drift detection', async () => {
        const command = new DescribeStackDriftDetectionStatusCommand({ StackDriftDetectionId });
        const { DetectionStatus, DetectionStatusReason = NO_REASON } = await client.send(command);
        // The parts that were compared are listed in this case too, so a part that was not compared would count as
        // unchanged.
        if (DetectionStatus === 'DETECTION_FAILED') {
          throw new InfrastructureError(
            `CloudFormation could not compare every part of stack ${stackName}: ${DetectionStatusReason}`,
          );
        }
        return DetectionStatus !== 'DETECTION_IN_PROGRESS';
      });
      const found: StackResourceDrift[] = [];
      let NextToken: string | undefined;
      do {
        const answer = await client.send(
          new DescribeStackResourceDriftsCommand({
            StackName: stackName,
            StackResourceDriftStatusFilters: ['DELETED', 'MODIFIED'],
            ...(NextToken !== undefined && { NextToken }),
          }),
        );
        found.push(...(answer.StackResourceDrifts ?? []));
        NextToken = answer.NextToken;
      } while (NextToken !== undefined);
      return found.map(difference);
    });
  }

  async prepareRepair(): Promise<PreparedRepair> {
    const { client, stackName, newName } = this.#options;
    const ChangeSetName = newName();
    const named = { StackName: stackName, ChangeSetName };
    const stack = await this.#describe();
    const discard = () =>
      this.#call('DeleteChangeSet', async () => void (await client.send(new DeleteChangeSetCommand(named))));
    return await this.#call('CreateChangeSet', async () => {
      await client.send(
        new CreateChangeSetCommand({
          ...named,
          ChangeSetType: 'UPDATE',
          DeploymentMode: 'REVERT_DRIFT',
          UsePreviousTemplate: true,
          Capabilities: ['CAPABILITY_NAMED_IAM'],
          Parameters: (stack?.Parameters ?? []).map(({ ParameterKey }) => ({ ParameterKey, UsePreviousValue: true })),
          ...(stack?.Tags !== undefined && { Tags: stack.Tags }),
        }),
      );
      let made: DescribeChangeSetOutput = {};
      await this.#until('change set', async () => {
        made = await client.send(new DescribeChangeSetCommand(named));
        return made.Status !== 'CREATE_PENDING' && made.Status !== 'CREATE_IN_PROGRESS';
      });
      const changes = await this.#changes(named, made);
      const { Status, StatusReason = NO_REASON } = made;
      if (Status === 'FAILED' && (changes.length > 0 || !NOTHING_TO_CHANGE.test(StatusReason))) {
        // The user needs the reason of the failure also when the change set cannot be deleted.
        await discard().catch(() => undefined);
        throw new InfrastructureError(`CloudFormation cannot repair stack ${stackName}: ${StatusReason}`);
      }
      return { changes, apply: () => this.#apply(named), discard };
    });
  }

  async #changes(named: { StackName: string; ChangeSetName: string }, first: DescribeChangeSetOutput) {
    const changes = [...(first.Changes ?? [])];
    for (let { NextToken } = first; NextToken !== undefined; ) {
      const page = await this.#options.client.send(new DescribeChangeSetCommand({ ...named, NextToken }));
      changes.push(...(page.Changes ?? []));
      NextToken = page.NextToken;
    }
    return changes.flatMap(({ ResourceChange: change }): StackChange[] => {
      if (change === undefined || change.Action === 'SyncWithActual') return [];
      const { LogicalResourceId = '', ResourceType = '', Action = '', Replacement, ResourceDriftStatus } = change;
      const isThere = ResourceDriftStatus !== 'DELETED';
      const loses = isThere && (MAY_REMOVE.has(Action) || MAY_REPLACE.has(Replacement ?? ''));
      return [{ logicalId: LogicalResourceId, type: ResourceType, action: Action, loses }];
    });
  }

  async #apply(named: { StackName: string; ChangeSetName: string }): Promise<void> {
    const { client, stackName } = this.#options;
    await this.#call('ExecuteChangeSet', async () => {
      await client.send(new ExecuteChangeSetCommand(named));
      let status = '';
      await this.#until('repair', async () => {
        status = (await this.#describe())?.StackStatus ?? '';
        return status !== '' && !status.endsWith('_IN_PROGRESS');
      });
      if (status !== 'UPDATE_COMPLETE') {
        throw new InfrastructureError(
          `the repair of stack ${stackName} ended with ${status}. Its events in CloudFormation say why.`,
        );
      }
    });
  }

  async #describe(): Promise<Stack | undefined> {
    const { client, stackName } = this.#options;
    return await this.#call('DescribeStacks', async () => {
      const answer = await ofExisting(() => client.send(new DescribeStacksCommand({ StackName: stackName })));
      return answer?.Stacks?.[0];
    });
  }

  async #until(what: string, isDone: () => Promise<boolean>): Promise<void> {
    const { clock, stackName } = this.#options;
    const startedAtMs = clock.monotonic();
    while (!(await isDone())) {
      if (clock.monotonic() - startedAtMs > LONGEST_MS) {
        throw new InfrastructureError(`the ${what} of stack ${stackName} has not ended after 15 minutes`);
      }
      await clock.sleep(POLL_MS);
    }
  }

  async #call<Answer>(operation: string, send: () => Promise<Answer>): Promise<Answer> {
    try {
      return await send();
    } catch (error) {
      if (error instanceof InfrastructureError) throw error;
      throw awsFailure('CloudFormation', operation, this.#options.stackName, error);
    }
  }
}

/** Undefined for a stack that does not exist: CloudFormation has no error of its own for this. */
async function ofExisting<Answer>(send: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(error.message))
      return undefined;
    throw error;
  }
}

function difference(drift: StackResourceDrift): StackDifference {
  const { LogicalResourceId = '', PhysicalResourceId = '', ResourceType = '', StackResourceDriftStatus } = drift;
  return {
    logicalId: LogicalResourceId,
    physicalId: PhysicalResourceId,
    type: ResourceType,
    state: StackResourceDriftStatus === 'DELETED' ? 'deleted' : 'changed',
    fields: (drift.PropertyDifferences ?? []).map(({ PropertyPath = '' }) => PropertyPath),
  };
}
