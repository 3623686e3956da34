import { EvenkeelError, LeaseLostError } from '../../core/errors.ts';
import { retry } from '../../core/outcome.ts';
import type { RolloutHalt } from '../../core/rollout.ts';
import { cutToCodePoints } from '../../core/text.ts';
import { isApiError } from '../../ports/cluster-api.ts';
import type { TargetState } from '../../ports/state-store.ts';
import { endedTerminal, factsOf } from '../outcome-facts.ts';
import { type ChosenVersion, chooseVersion } from '../rollout/choose-version.ts';
import type { HeldApi } from '../rollout/held-api.ts';
import type { AttemptResult } from './attempt.ts';
import { describeFailure } from './failure.ts';
import type { Pass, PassDependencies } from './pass.ts';

/**
 * After this number of passes in a row without a commit, a version does not run. The table does not show which version
 * ran them, so an innocent one may be stopped too: then nothing is written, and a person decides.
 */
const CRASHES_TO_HALT = 2;
/** When a version has settled an object and then fails this often in a row, the version is stopped. */
const FAILURES_TO_HALT = 3;
const MAX_MESSAGE_CODE_POINTS = 512;
/** Failures that show nothing about the code of a version. */
const PASSING_TROUBLE = ['Conflict', 'Expired', 'TooManyRequests', 'ServerError', 'Timeout', 'Unreachable'] as const;

/** The part of a pass that is known before its version is chosen. */
type Beginning = Pick<Pass, 'event' | 'target' | 'controller' | 'api' | 'crashes'>;

/** The version that runs an acquired pass. @throws InfrastructureError */
export async function versionOfPass(
  deps: PassDependencies,
  pass: Beginning,
  state: TargetState,
): Promise<ChosenVersion> {
  const { controller: current, event, api, crashes, target } = pass;
  const rollout = deps.registry.rolloutOf(target.kind);
  const chosen = await chooseVersion({ current, rollout, event, state, api, store: deps.store });
  if (chosen.rollout === undefined || crashes < CRASHES_TO_HALT) return chosen;
  const message = `the last ${crashes} passes ended without a commit; it is not known which version ran them`;
  await halt(deps, { ...pass, controller: chosen.controller }, 'Failed', message);
  return { controller: current, takesOver: false };
}

/**
 * Stops the rollout when this attempt shows that the new version does something that its plan does not have, or fails
 * although the version before did not. The halt is stored before the pass is committed, so that a crash between the two
 * does not lose it.
 * @returns the result to commit: a write outside the plan is a failure, whatever the controller returned.
 */
export async function judgeVersion(
  deps: PassDependencies,
  pass: Pass,
  state: TargetState,
  result: AttemptResult,
  held: HeldApi | undefined,
): Promise<AttemptResult> {
  if (pass.rollout === undefined || result.type === 'gone') return result;
  const { failure } = factsOf(result.outcome);
  const isTrouble = failure !== undefined && isPassingTrouble(failure.error);
  const outside = held?.outsidePlan;
  if (outside !== undefined) {
    // A plan contains no status that reports trouble.
    if (!isTrouble && held?.isVersionsFault === true) await halt(deps, pass, 'OutsidePlan', outside.message);
    return { ...result, outcome: retry(outside) };
  }
  const fault = isTrouble ? undefined : faultOf(pass, state, result);
  if (fault !== undefined) await halt(deps, pass, 'Failed', fault);
  return result;
}

/** The reason in this attempt to stop the version; undefined when there is none. */
function faultOf(
  pass: Pass,
  state: TargetState,
  { outcome }: Extract<AttemptResult, { type: 'ran' }>,
): string | undefined {
  const { failure, terminal } = factsOf(outcome);
  const { failures, lastOutcome } = state;
  if (failure !== undefined) {
    const isNew = pass.takesOver ? failures === 0 : failures + 1 >= FAILURES_TO_HALT;
    const { reason, message } = describeFailure(failure.error);
    return isNew ? `${reason}: ${message}` : undefined;
  }
  // A plan contains the terminal errors that the version causes.
  const isPlanned = pass.rollout?.planned !== undefined;
  if (terminal === undefined || !pass.takesOver || isPlanned || endedTerminal(lastOutcome)) return undefined;
  return `${terminal.reason}: ${terminal.message}`;
}

function isPassingTrouble(error: unknown): boolean {
  return isApiError(error, ...PASSING_TROUBLE) || error instanceof LeaseLostError;
}

async function halt(
  { store, clock, metrics, logger }: PassDependencies,
  { target, controller }: Pick<Pass, 'target' | 'controller'>,
  reason: string,
  what: string,
): Promise<void> {
  const { cluster, kind, namespace, name } = target;
  const object = `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
  const message = cutToCodePoints(`${object}: ${what}`, MAX_MESSAGE_CODE_POINTS);
  const { version } = controller;
  const written: RolloutHalt = { version, reason, message, atMs: clock.now() };
  await store.haltRollout(cluster, kind, written);
  metrics.record('NeedsPerson', 1, { Group: controller.group, Kind: kind, Reason: 'RolloutHalted' });
  const fields = { cluster, kind, version, reason };
  const error = new EvenkeelError('ROLLOUT_HALTED', message);
  logger.error('a rollout was stopped: the new version reconciles no object any more', error, fields);
}
