import {
  type CloudFormationClient,
  DescribeStackResourcesCommand,
  ListStackResourcesCommand,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import { describe, expect, it } from 'vitest';
import { checkKeptNames } from '../../infra/before-deployment.ts';
import { deployedFunctions } from '../../infra/deployed-functions.ts';
import { stackResources } from '../../infra/stack-resources.ts';
import { aStage } from './a-stage.ts';

const PAGE = 100;

/** CloudFormation's responses for this stack: a description contains the first 100 parts, a list has pages. */
function cloudFormation(parts: readonly Partial<StackResourceSummary>[] | Error): CloudFormationClient {
  const send = async (command: unknown) => {
    if (parts instanceof Error) throw parts;
    if (command instanceof DescribeStackResourcesCommand) return { StackResources: parts.slice(0, PAGE) };
    if (!(command instanceof ListStackResourcesCommand)) throw new Error('the fake has no such operation');
    const from = Number(command.input.NextToken ?? '0');
    const next = from + PAGE;
    return {
      StackResourceSummaries: parts.slice(from, next),
      ...(next < parts.length && { NextToken: String(next) }),
    };
  };
  return { send } as unknown as CloudFormationClient;
}

function part(id: string, physicalId = id, status = 'CREATE_COMPLETE') {
  return { LogicalResourceId: id, PhysicalResourceId: physicalId, ResourceStatus: status } as StackResourceSummary;
}

describe('the resources of a stack', () => {
  it.each([0, 1, 99, 100, 101, 200, 205])(
    'R-6.8 the plugin finds every resource when the stack has %i',
    async (count) => {
      const ids = Array.from({ length: count }, (_, index) => `Part${index}`);
      const found = await stackResources(cloudFormation(ids.map((id) => part(id))), 'evenkeel-test');
      expect([...found.keys()]).toEqual(ids);
    },
  );

  it('R-6.8 the plugin refuses to rename a role when it comes after 100 other resources', async () => {
    const stage = aStage();
    const [first] = deployedFunctions(stage);
    const others = Array.from({ length: 150 }, (_, index) => part(`Alarm${index}`));
    const client = cloudFormation([...others, part(first?.roleId ?? '', 'its-older-name')]);
    const existing = await stackResources(client, 'evenkeel-test');
    expect(() => checkKeptNames(stage, existing)).toThrow('the role its-older-name of this stack would be replaced');
  });

  it.each(['DELETE_COMPLETE', 'DELETE_SKIPPED'])(
    'R-6.8 a resource is no part of the stack when its status is %s',
    async (status) => {
      const found = await stackResources(cloudFormation([part('Kept'), part('Gone', 'gone', status)]), 'evenkeel-test');
      expect([...found.keys()]).toEqual(['Kept']);
    },
  );

  it('R-6.4 the plugin finds no resources when there is no stack, and reports every other failure', async () => {
    const absent = new Error('Stack with id evenkeel-test does not exist');
    expect((await stackResources(cloudFormation(absent), 'evenkeel-test')).size).toBe(0);
    await expect(stackResources(cloudFormation(new Error('denied')), 'evenkeel-test')).rejects.toThrow('denied');
  });
});
