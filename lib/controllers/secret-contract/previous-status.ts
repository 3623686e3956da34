import { type Condition, readConditions } from '../../core/conditions.ts';
import { isRecord } from './field-reader.ts';
import type { Finding } from './finding.ts';
import type { SecretIdentity } from './judgement.ts';

/** A contract's status as it was found, read leniently: what is not shaped as expected counts as absent. */
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
  const fields = isRecord(status) ? status : {};
  const { observedGeneration, findings, observedSecret, lastCheckedTime, nextCheckTime } = fields;
  return {
    observedGeneration: typeof observedGeneration === 'number' ? observedGeneration : undefined,
    conditions: readConditions(status),
    findings: Array.isArray(findings) ? findings.flatMap((finding) => readFinding(finding) ?? []) : [],
    observedSecret: readIdentity(observedSecret),
    lastCheckedTime: text(lastCheckedTime),
    nextCheckTime: text(nextCheckTime),
  };
}

function readFinding(value: unknown): Finding | undefined {
  if (!isRecord(value)) return undefined;
  const [key, rule, reason] = [text(value.key), text(value.rule), text(value.reason)];
  return key === undefined || rule === undefined || reason === undefined ? undefined : { key, rule, reason };
}

function readIdentity(value: unknown): SecretIdentity | undefined {
  if (!isRecord(value)) return undefined;
  const [name, namespace] = [text(value.name), text(value.namespace)];
  const [uid, resourceVersion] = [text(value.uid), text(value.resourceVersion)];
  if (name === undefined || namespace === undefined || uid === undefined || resourceVersion === undefined) {
    return undefined;
  }
  return { name, namespace, uid, resourceVersion };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
