import { stringify } from 'yaml';
import type { ResourceType } from '../../core/resource-type.ts';

/**
 * The Lua script with which Argo CD computes the health of an object from its kstatus conditions (Argo CD, "Resource
 * Health").
 */
const HEALTH = `local function found(type)
  for _, condition in ipairs(obj.status.conditions) do
    if condition.type == type then return condition end
  end
end
if obj.metadata.deletionTimestamp ~= nil then
  return { status = "Progressing", message = "The object is being deleted." }
end
if obj.status == nil or obj.status.conditions == nil or obj.status.observedGeneration ~= obj.metadata.generation then
  return { status = "Progressing", message = "No pass has looked at this generation." }
end
local stalled, reconciling, ready = found("Stalled"), found("Reconciling"), found("Ready")
if stalled ~= nil and stalled.status == "True" then
  return { status = "Degraded", message = stalled.message }
end
if reconciling ~= nil and reconciling.status == "True" then
  return { status = "Progressing", message = reconciling.message }
end
if ready ~= nil and ready.status == "True" then
  return { status = "Healthy", message = ready.message }
end
if ready ~= nil and ready.status == "False" then
  return { status = "Degraded", message = ready.message }
end
return { status = "Progressing", message = "Ready is not known." }
`;

/** A patch of Argo CD's ConfigMap, with a health check for each kind. */
export function argocdHealth(types: readonly ResourceType[]): string {
  const data = Object.fromEntries(
    types.map(({ group, kind }) => [`resource.customizations.health.${group}_${kind}`, HEALTH] as const),
  );
  const about = '# kubectl patch configmap argocd-cm --namespace argocd --patch-file argocd/argocd-cm.yaml\n';
  return `${about}${stringify({ data }, { lineWidth: 0 })}`;
}
