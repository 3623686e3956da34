import { sha256Hex } from '../../../core/hash.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { textAt } from '../../../kit/value-at.ts';
import type { Finding } from '../finding.ts';
import type { Observation } from '../observation.ts';
import { type ContentDigests, contentChanged } from './content-digest.ts';
import type { RolledTarget, RolloutState } from './rollout-state.ts';

/** On a Deployment, `"true"`: contracts may roll it out. */
const ALLOW_MUTATION_LABEL = 'evenkeel.dev/allow-mutation';
/** In a pod template: the counter whose change rolls the Deployment out. */
export const SECRET_REVISION_ANNOTATION = 'evenkeel.dev/secret-revision';

export interface ObservedTarget {
  readonly name: string;
  readonly deployment: Observation<KubeObject>;
}

export interface RolloutPlan {
  /** Must be saved before a patch, so that a crash in between causes only one rollout (domain, "Mutation"). */
  readonly state: RolloutState;
  /** The Deployments to roll out, and the new counter of each. */
  readonly patches: readonly PlannedPatch[];
  readonly findings: readonly Finding[];
}

export interface PlannedPatch {
  readonly name: string;
  readonly deployment: KubeObject;
  readonly counter: number;
}

/**
 * Decides which Deployments roll out. The first observation of the content, and of each Deployment, is a baseline
 * without a rollout. A Deployment is due while its stored revision is lower than the newest one. Its annotation does
 * not decide this. So a Deployment does not roll out again when somebody undid a rollout or removed the annotation, and
 * the counter of another contract does not count as its rollout.
 */
export function planRollout(
  before: RolloutState | undefined,
  content: ContentDigests,
  targets: readonly ObservedTarget[],
): RolloutPlan {
  const revision = nextRevision(before, content, targets);
  const tracked = new Map<string, RolledTarget>();
  const patches: PlannedPatch[] = [];
  const findings: Finding[] = [];

  for (const { name, deployment } of targets) {
    const finding = (reason: string) => findings.push(mutationCondition(name, reason));
    const known = before?.targets.get(targetMark(name));
    switch (deployment.type) {
      case 'found': {
        const uidMark = targetMark(deployment.value.metadata.uid);
        const carried = counterOf(deployment.value) ?? 0;
        const rolled = known?.uidMark === uidMark ? rolledRevision(known, carried, before) : revision;
        const permitted = deployment.value.metadata.labels?.[ALLOW_MUTATION_LABEL] === 'true';
        if (!permitted) finding('MutationNotPermitted');
        if (rolled >= revision || !permitted) {
          tracked.set(targetMark(name), { uidMark, revision: rolled });
          break;
        }
        // Selected only after the Deployment was read: another contract may have set a higher one than ours.
        const counter = Math.max(revision, carried + 1);
        tracked.set(targetMark(name), { uidMark, revision: rolled, writing: counter });
        patches.push({ name, deployment: deployment.value, counter });
        break;
      }
      case 'absent':
        finding('TargetNotFound');
        break;
      case 'denied':
        if (known !== undefined) tracked.set(targetMark(name), known);
        finding('TargetAccessDenied');
        break;
      case 'failed':
      case 'kindMissing':
      case 'notRead':
        if (known !== undefined) tracked.set(targetMark(name), known);
        finding('TargetReadFailed');
        break;
    }
  }
  return { state: { content, revision, targets: tracked }, patches, findings };
}

/** The state after a Deployment was patched. */
export function withRolled(state: RolloutState, { name, deployment }: PlannedPatch): RolloutState {
  return withTarget(state, name, { uidMark: targetMark(deployment.metadata.uid), revision: state.revision });
}

/** The state after a patch that the API server certainly did not apply: the rollout is still due. */
export function withRefused(state: RolloutState, { name }: PlannedPatch): RolloutState {
  const known = state.targets.get(targetMark(name));
  if (known === undefined) return state;
  return withTarget(state, name, { uidMark: known.uidMark, revision: known.revision });
}

function withTarget(state: RolloutState, name: string, target: RolledTarget): RolloutState {
  return { ...state, targets: new Map([...state.targets, [targetMark(name), target]]) };
}

/**
 * The revision that a known Deployment runs with. When the answer of a patch is unknown, the Deployment's counter shows
 * whether the API server applied it: it was lower when the new counter was selected. In all other cases the annotation
 * is ignored, because another contract may have written it.
 */
function rolledRevision(known: RolledTarget, carried: number, before: RolloutState | undefined): number {
  return known.writing !== undefined && carried >= known.writing
    ? (before?.revision ?? known.revision)
    : known.revision;
}

export function mutationCondition(name: string, reason: string): Finding {
  return { key: `Deployment/${name}`, rule: 'mutation', reason };
}

/** A short mark for a name or UID, of the same length for all. */
export function targetMark(text: string): string {
  return sha256Hex(text).slice(0, 12);
}

/**
 * Higher than every counter that was read: the first release writes it unchanged, and no Deployment may have it
 * already.
 */
function nextRevision(
  before: RolloutState | undefined,
  content: ContentDigests,
  targets: readonly ObservedTarget[],
): number {
  if (before === undefined) return 0;
  if (!contentChanged(before.content, content)) return before.revision;
  const seen = targets.map(({ deployment }) => (deployment.type === 'found' ? counterOf(deployment.value) : 0));
  return Math.max(before.revision, ...seen.map((revision) => revision ?? 0)) + 1;
}

function counterOf({ spec }: KubeObject): number | undefined {
  const value = textAt(spec, 'template', 'metadata', 'annotations', SECRET_REVISION_ANNOTATION);
  return value !== undefined && /^[0-9]{1,15}$/.test(value) ? Number(value) : undefined;
}
