import { type ConditionStatus, PROGRESS_CONDITIONS } from '../../core/conditions.ts';
import type { Controller, ReadKind, ReconcileResult } from '../../core/controller.ts';
import { EvenkeelError } from '../../core/errors.ts';
import type { JsonObject, KubeObject } from '../../core/kube-object.ts';
import { earliestCheck, type Outcome, retry, terminal } from '../../core/outcome.ts';
import type { ReconcileContext } from '../../core/reconcile-context.ts';
import { reconcilerVersion } from '../../core/reconciler-version.ts';
import { Deployments, Secrets } from '../../core/resource-type.ts';
import { statusFields } from '../../kit/conditions.ts';
import { faultsMessage } from '../../kit/parse-spec.ts';
import type { ApiError } from '../../ports/cluster-api.ts';
import type { ObjectSeries } from '../../ports/object-series.ts';
import { compilePatterns } from './compile-patterns.ts';
import { ContractSeries } from './contract-series.ts';
import { contractStatus } from './contract-status.ts';
import { type Judgement, judge, judgeInvalid } from './judgement.ts';
import { ExternalSecrets, SecretContractGrants, SecretContracts } from './kinds.ts';
import { NOT_READ } from './observation.ts';
import { type InvalidContract, parseContract } from './parse-contract.ts';
import { boundaryMarks, newlyPassed } from './passed-boundary.ts';
import { PatternCache } from './pattern-cache.ts';
import { type PreviousStatus, readPreviousStatus } from './previous-status.ts';
import { readDependencies, readGrants } from './read-dependencies.ts';
import { type RolloutResult, rollOut } from './rollout/roll-out.ts';
import { saveFields } from './save-fields.ts';

export interface SecretContractSettings {
  /** Whether the installation permits rollouts for contracts that ask for them. If not, Deployments are not read. */
  readonly allowMutation: boolean;
  /** The installation's key for comparing content, at least 16 bytes when allowMutation is set. A secret. */
  readonly digestKey: string | Uint8Array;
  /** The interval for polling an ExternalSecret when the contract has none; 5 minutes by default. */
  readonly externalSecretsPollMs?: number;
  /** Receives each contract's Ready status. */
  readonly series?: ObjectSeries;
}

const MIN_DIGEST_KEY_LENGTH = 16;
const DEFAULT_POLL_INTERVAL_MS = 300_000;

/**
 * Reports whether Secrets satisfy their contracts. It owns nothing and has no finalizer. It changes only the pod
 * template annotation that contracts with `mutation: Annotate` ask for.
 * @throws EvenkeelError INVALID_SETTINGS
 */
export function secretContractController(settings: SecretContractSettings): Controller {
  if (settings.allowMutation && settings.digestKey.length < MIN_DIGEST_KEY_LENGTH) {
    throw new EvenkeelError(
      'INVALID_SETTINGS',
      `the secret-contract controller's digestKey must have at least ${MIN_DIGEST_KEY_LENGTH} bytes when mutation is allowed. Give it a longer random key.`,
    );
  }
  const shown = settings.series === undefined ? undefined : new ContractSeries(settings.series);
  const patterns = new PatternCache();
  return {
    name: 'secret-contract',
    group: 'secret-contract',
    type: SecretContracts,
    owns: [],
    reads: readKinds(settings),
    version: reconcilerVersion('1', settingsInVersion(settings)),
    conditions: ['Authorized', 'SecretExists', 'KeysValid', 'Fresh', 'Synced', 'Ready', ...PROGRESS_CONDITIONS],
    shownValues: ['revision'],
    released,
    async reconcile(object, context) {
      const { ready, ...result } = await reconcile(object, context, settings, patterns);
      shown?.set(context.cluster, object, ready);
      return result;
    },
    forgotten(contract) {
      shown?.remove(contract);
    },
  };
}

/**
 * The status of a deleting contract with finalizers of others. Its Secret is not read any more, and no check follows.
 */
function released({ status }: KubeObject): JsonObject {
  const { observedSecret: _, nextCheckTime: __, ...rest } = statusFields(status);
  return rest;
}

/** The settings that affect the judgement of contracts; a part of the controller's version. The key is left out. */
function settingsInVersion({
  allowMutation,
  externalSecretsPollMs = DEFAULT_POLL_INTERVAL_MS,
}: SecretContractSettings): object {
  return { allowMutation, externalSecretsPollMs };
}

function readKinds({ allowMutation, externalSecretsPollMs }: SecretContractSettings): ReadKind[] {
  const kinds: ReadKind[] = [
    // In another namespace a grant is looked for first. There no read is unconditional.
    { type: Secrets, mode: 'watch', unconditional: true },
    { type: SecretContractGrants, mode: 'watch' },
    { type: ExternalSecrets, mode: 'poll', pollIntervalMs: externalSecretsPollMs ?? DEFAULT_POLL_INTERVAL_MS },
  ];
  return allowMutation ? [...kinds, { type: Deployments, mode: 'watch' }] : kinds;
}

interface ContractResult extends ReconcileResult {
  readonly ready: ConditionStatus;
}

async function reconcile(
  object: KubeObject,
  context: ReconcileContext,
  settings: SecretContractSettings,
  patterns: PatternCache,
): Promise<ContractResult> {
  const parsed = parseContract(object, (expression) => ({ ok: true, pattern: patterns.defer(expression) }));
  if (!parsed.valid)
    return await publish(object, parsed.contract, await judgeFaulty(parsed.contract, context), context);

  const { contract } = parsed;
  const pollMs = contract.externalSecret?.pollIntervalMs ?? settings.externalSecretsPollMs ?? DEFAULT_POLL_INTERVAL_MS;
  const seen = await readDependencies(contract, context, pollMs);
  const invalid = compilePatterns(contract, seen, context.nowMs);
  if (invalid !== undefined) {
    return await publish(object, invalid, judgeInvalid(invalid, seen.grants, context.nowMs), context);
  }
  const judgement = judge(contract, seen, context.nowMs);
  const mayRollOut = readyStatus(judgement) === 'True' && judgement.mayCompare;
  const values = mayRollOut && seen.secret.type === 'found' ? seen.secret.value.values : undefined;
  const wasReady = wasReadyBefore(readPreviousStatus(object.status), object);
  const rollout = await rollOut(contract, { values, wasReady }, settings, context);
  return await publish(object, contract, judgement, context, rollout);
}

async function judgeFaulty(contract: InvalidContract, context: ReconcileContext): Promise<Judgement> {
  const { namespace } = contract.secret;
  const isForeign = namespace !== undefined && namespace !== contract.namespace;
  const grants = isForeign ? await readGrants(namespace, context) : NOT_READ;
  return judgeInvalid(contract, grants, context.nowMs);
}

async function publish(
  object: KubeObject,
  contract: Pick<InvalidContract, 'secret'>,
  judgement: Judgement,
  context: ReconcileContext,
  rollout?: RolloutResult,
): Promise<ContractResult> {
  const { nowMs } = context;
  const previous = readPreviousStatus(object.status);
  const status = contractStatus({
    previous,
    judgement,
    findings: [...judgement.findings, ...(rollout?.findings ?? [])],
    secretRef: contract.secret,
    generation: object.metadata.generation ?? 0,
    nowMs,
  });
  const failure = judgement.failure ?? rollout?.failure;
  const comeBackOnce = newlyPassed(context.values, judgement.passed);
  // A pass that is retried may not have seen every boundary, so the record stays.
  if (failure === undefined) await saveFields(context, { passed: boundaryMarks(judgement.passed) });
  const outcome = outcomeOf(judgement, failure, comeBackOnce, nowMs);
  // No timer brings the content that a contract asks for.
  return { outcome, progressing: false, status, ready: readyStatus(judgement) };
}

function outcomeOf(judgement: Judgement, failure: ApiError | undefined, comeBackOnce: boolean, nowMs: number): Outcome {
  if (failure !== undefined) return retry(failure);
  const times = [...judgement.deadlinesMs, ...(comeBackOnce ? [nowMs] : [])];
  if (judgement.faults.length > 0 && times.length === 0) {
    return terminal('InvalidRule', faultsMessage(judgement.faults));
  }
  return earliestCheck(nowMs, times);
}

/** Whether the last status is for the contract's present specification, with Ready True. */
function wasReadyBefore({ observedGeneration, conditions }: PreviousStatus, { metadata }: KubeObject): boolean {
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' && observedGeneration !== undefined && observedGeneration === metadata.generation;
}

function readyStatus({ conditions }: Judgement): ConditionStatus {
  return conditions.at(-1)?.status ?? 'Unknown';
}
