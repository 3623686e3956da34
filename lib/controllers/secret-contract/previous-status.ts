import { type Condition, readConditions } from '../../core/conditions.ts';
import { listAt, textAt, valueAt } from '../../kit/value-at.ts';
import type { Finding } from './finding.ts';
import type { SecretIdentity } from './judgement.ts';

/** A contract's present status. A field in an unexpected form counts as absent. */
export interface PreviousStatus {
  readonly observedGeneration: number | undefined;
  readonly conditions: readonly Condition[];
  readonly findings: readonly Finding[];
  readonly observedSecret: SecretIdentity | undefined;
  /** RFC 3339. */
  readonly lastCheckedTime: string | undefined;
  /** RFC 3339. */
  readonly nextCheckTime: string | undefined;
}

export function readPreviousStatus(status: unknown): PreviousStatus {
  const observedGeneration = valueAt(status, 'observedGeneration');
  return {
    observedGeneration: typeof observedGeneration === 'number' ? observedGeneration : undefined,
    conditions: readConditions(status),
    findings: listAt(status, 'findings').flatMap((finding) => readFinding(finding) ?? []),
    observedSecret: readIdentity(valueAt(status, 'observedSecret')),
    lastCheckedTime: textAt(status, 'lastCheckedTime'),
    nextCheckTime: textAt(status, 'nextCheckTime'),
  };
}

function readFinding(value: unknown): Finding | undefined {
  const [key, rule, reason] = [textAt(value, 'key'), textAt(value, 'rule'), textAt(value, 'reason')];
  return key === undefined || rule === undefined || reason === undefined ? undefined : { key, rule, reason };
}

function readIdentity(value: unknown): SecretIdentity | undefined {
  const [name, namespace] = [textAt(value, 'name'), textAt(value, 'namespace')];
  const [uid, resourceVersion] = [textAt(value, 'uid'), textAt(value, 'resourceVersion')];
  if (name === undefined || namespace === undefined || uid === undefined || resourceVersion === undefined) {
    return undefined;
  }
  return { name, namespace, uid, resourceVersion };
}
