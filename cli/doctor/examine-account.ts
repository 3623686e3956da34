import { InfrastructureError } from '../../lib/core/errors.ts';
import { neededExecutions } from '../../lib/deployment/cloud/batching.ts';
import {
  deadLetterName,
  isDeadLetterNameOf,
  LANES,
  queueName,
  tableName,
  wakeQueueName,
} from '../../lib/deployment/installation/resource-names.ts';
import type { Settings } from '../../lib/deployment/settings/settings-schema.ts';
import type { CloudAccount } from '../../lib/ports/cloud-account.ts';
import type { DeadLetters } from '../../lib/ports/dead-letters.ts';
import { type Diagnosis, note, ok, trouble, warning } from './diagnosis.ts';

const ABOUT = 'AWS';

/** The SDKs of AWS correct a larger difference of clocks by themselves. Other AWS tools then fail. */
const TOLERATED_MS = 4_000;

/**
 * The table, the queues, the concurrent executions and the clock of a stage.
 * @param groups the names of those that are installed.
 * @param known the names of all that there are: one that was taken out of the settings may have left dead letters.
 */
export async function examineAccount(
  stage: string,
  groups: readonly string[],
  account: CloudAccount,
  letters: DeadLetters,
  settings: Pick<Settings, 'concurrency' | 'resyncConcurrency'>,
  known?: readonly string[],
): Promise<Diagnosis[]> {
  return [
    await examineTable(stage, account),
    ...(await examineQueues(stage, groups, letters, known)),
    await examineExecutions(account, neededExecutions(settings, groups.length)),
    await examineClock(account),
  ];
}

async function examineTable(stage: string, account: CloudAccount): Promise<Diagnosis> {
  const name = tableName(stage);
  const table = await account.table(name);
  if (table === undefined) {
    const advice = `If it was deleted, run evenkeel repair --stage ${stage}; otherwise deploy the stage: npx serverless deploy --stage ${stage}.`;
    return trouble(ABOUT, `there is no table ${name}`, advice);
  }
  if (table.status !== 'ACTIVE') {
    return trouble(
      ABOUT,
      `the table ${table.arn} is ${table.status}`,
      'Wait until it is ACTIVE, and run the doctor again.',
    );
  }
  return ok(ABOUT, `table ${table.arn}`);
}

async function examineQueues(
  stage: string,
  groups: readonly string[],
  letters: DeadLetters,
  known: readonly string[] | undefined,
): Promise<Diagnosis[]> {
  const wanted = [
    ...groups.flatMap((group) => LANES.map((lane) => queueName(stage, group, lane))),
    wakeQueueName(stage),
  ];
  const found = new Map((await letters.queues(stage)).map((queue) => [queue.name, queue.count]));
  const missing = wanted.map(deadLetterName).filter((name) => !found.has(name));
  if (missing.length > 0) {
    return [trouble(ABOUT, `queues are missing: ${missing.join(', ')}`, `Run evenkeel repair --stage ${stage}.`)];
  }
  const full = [...found].filter(([name, count]) => count > 0 && isDeadLetterNameOf(stage, name, known));
  if (full.length === 0) return [ok(ABOUT, `${wanted.length} queues, no dead letters`)];
  return full.map(([name, count]) =>
    trouble(
      ABOUT,
      `${name} holds about ${count} dead letters`,
      `Show the reasons with evenkeel redrive --stage ${stage} --dry-run. Remove the cause, then run it without --dry-run.`,
    ),
  );
}

async function examineExecutions(account: CloudAccount, needed: number): Promise<Diagnosis> {
  let permitted: number;
  try {
    permitted = await account.concurrentExecutions();
  } catch (error) {
    if (!(error instanceof InfrastructureError)) throw error;
    const advice = `It needs servicequotas:GetServiceQuota. The functions need ${needed}: look at the quota in the console of Service Quotas.`;
    return warning(ABOUT, `the quota of concurrent executions is not known: ${error.message}`, advice);
  }
  if (permitted >= needed) return ok(ABOUT, `${permitted} concurrent executions are permitted`);
  return trouble(
    ABOUT,
    `the account permits ${permitted} concurrent executions, and the functions use up to ${needed}`,
    'Lambda throttles them under load. Ask for a higher quota in Service Quotas (AWS Lambda, Concurrent executions), or lower concurrency and resyncConcurrency.',
  );
}

async function examineClock(account: CloudAccount): Promise<Diagnosis> {
  const aheadMs = await account.clockAheadMs();
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  if (Math.abs(aheadMs) <= TOLERATED_MS) return ok(ABOUT, "this machine's clock agrees with AWS'");
  return note(
    ABOUT,
    `this machine's clock is ${seconds} s ${aheadMs > 0 ? 'behind' : 'ahead of'} AWS'`,
    'Times in evenkeel explain are wrong by that much. The functions have their own clocks.',
  );
}
