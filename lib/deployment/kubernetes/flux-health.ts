import { stringify } from 'yaml';
import { apiVersion, type ResourceType } from '../../core/resource-type.ts';

const has = (type: string, test: string) => `status.conditions.exists(c, c.type == '${type}' && c.status ${test})`;

/** A pass has looked at this generation. */
const OBSERVED =
  'has(status.observedGeneration) && status.observedGeneration == metadata.generation && has(status.conditions)';
const SETTLED = `!has(metadata.deletionTimestamp) && ${OBSERVED} && !${has('Reconciling', "== 'True'")}`;
const STALLED = has('Stalled', "== 'True'");
const NOT_READY = has('Ready', "== 'False'");
const READY = has('Ready', "== 'True'");

/**
 * Expressions in CEL with which Flux computes the health of an object from its kstatus conditions (Flux, "Kustomization",
 * healthCheckExprs). No two of them are true for one object.
 */
export const FLUX_EXPRESSIONS = {
  inProgress: `!(${SETTLED}) || !(${STALLED} || ${NOT_READY} || ${READY})`,
  failed: `${SETTLED} && (${STALLED} || ${NOT_READY})`,
  current: `${SETTLED} && !${STALLED} && ${READY}`,
} as const;

/** A patch of a Kustomization of Flux, with the expressions for each kind. */
export function fluxHealth(types: readonly ResourceType[]): string {
  const healthCheckExprs = types.map((type) => ({
    apiVersion: apiVersion(type),
    kind: type.kind,
    ...FLUX_EXPRESSIONS,
  }));
  const about =
    '# kubectl patch kustomization.kustomize.toolkit.fluxcd.io NAME --namespace flux-system --type merge --patch-file flux/health-checks.yaml\n';
  return `${about}${stringify({ spec: { healthCheckExprs } }, { lineWidth: 0 })}`;
}
