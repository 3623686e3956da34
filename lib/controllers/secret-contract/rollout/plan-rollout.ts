import { sha256Hex } from '../../../core/hash.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { isRecord } from '../field-reader.ts';
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
  /** To be saved before anything is patched, so that a crash in between rolls once (domain, "Mutation"). */
  readonly state: RolloutState;
  /** The Deployments that are to carry the state's revision. */
  readonly patches: readonly { readonly name: string; readonly deployment: KubeObject }[];
  readonly findings: readonly Finding[];
}

/**
 * What rolls out. The first observation of the content, and of each Deployment, is a baseline and rolls nothing. A
 * Deployment is due while its recorded revision is behind; it is not compared with its annotation for that, so that
 * neither an undone rollout, nor an annotation that someone removed, nor another contract's counter rolls it again.
 */
export function planRollout(
  before: RolloutState | undefined,
  content: ContentDigests,
  targets: readonly ObservedTarget[],
): RolloutPlan {
  const revision = nextRevision(before, content, targets);
  const tracked = new Map<string, RolledTarget>();
  const patches: { name: string; deployment: KubeObject }[] = [];
  const findings: Finding[] = [];

  for (const { name, deployment } of targets) {
    const finding = (reason: string) => findings.push(mutationFinding(name, reason));
    const known = before?.targets.get(targetMark(name));
    switch (deployment.type) {
      case 'found': {
        const uidMark = targetMark(deployment.value.metadata.uid);
        const behind = known !== undefined && known.uidMark === uidMark && known.revision < revision;
        // The patch of a pass that died before it could record it.
        const isPatched = revisionOf(deployment.value) === revision;
        const permitted = deployment.value.metadata.labels?.[ALLOW_MUTATION_LABEL] === 'true';
        tracked.set(targetMark(name), behind && !isPatched ? known : { uidMark, revision });
        if (!permitted) finding('MutationNotPermitted');
        else if (behind && !isPatched) patches.push({ name, deployment: deployment.value });
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
export function withRolled(state: RolloutState, name: string, deployment: KubeObject): RolloutState {
  const target = { uidMark: targetMark(deployment.metadata.uid), revision: state.revision };
  return { ...state, targets: new Map([...state.targets, [targetMark(name), target]]) };
}

export function mutationFinding(name: string, reason: string): Finding {
  return { key: `Deployment/${name}`, rule: 'mutation', reason };
}

/** A name or UID as the state holds it: short, and the same length for all. */
export function targetMark(text: string): string {
  return sha256Hex(text).slice(0, 12);
}

/** Beyond every counter in sight, so that the annotation differs from what any of the Deployments carries. */
function nextRevision(
  before: RolloutState | undefined,
  content: ContentDigests,
  targets: readonly ObservedTarget[],
): number {
  if (before === undefined) return 0;
  if (!contentChanged(before.content, content)) return before.revision;
  const seen = targets.map(({ deployment }) => (deployment.type === 'found' ? revisionOf(deployment.value) : 0));
  return Math.max(before.revision, ...seen.map((revision) => revision ?? 0)) + 1;
}

function revisionOf({ spec }: KubeObject): number | undefined {
  const template = isRecord(spec) ? spec.template : undefined;
  const metadata = isRecord(template) ? template.metadata : undefined;
  const annotations = isRecord(metadata) ? metadata.annotations : undefined;
  const value = isRecord(annotations) ? annotations[SECRET_REVISION_ANNOTATION] : undefined;
  return typeof value === 'string' && /^[0-9]{1,15}$/.test(value) ? Number(value) : undefined;
}
