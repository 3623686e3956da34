import { type ClusterIdentity, functionName, pascalCase, RELAY_IDENTITY } from '../lib/deployment/cloud/cloud-names.ts';
import type { FunctionPart } from './function-times.ts';
import type { Stage } from './stage.ts';

/** A function of a stage. */
export interface DeployedFunction {
  readonly part: FunctionPart;
  /** Its controller group; only for reconcile functions. */
  readonly group?: string;
  /** Its key in serverless.yml. */
  readonly key: string;
  /** Its name in AWS. */
  readonly name: string;
  readonly roleId: string;
  /** Its identity in clusters; absent for a function that connects to none. */
  readonly identity?: ClusterIdentity;
}

/** The functions of a stage: one reconcile function for each installed controller group, and one for each other part. */
export function deployedFunctions(stage: Stage): DeployedFunction[] {
  const { resyncMs } = stage.settings.intervals;
  return [
    ...stage.groups.map((group) => ({ ...deployed(stage, 'reconcile', group), identity: group })),
    deployed(stage, 'wake'),
    deployed(stage, 'sweep'),
    ...(resyncMs === 0 ? [] : [{ ...deployed(stage, 'resync'), identity: RELAY_IDENTITY }]),
    ...(stage.cloud.relay === 'container' ? [] : [{ ...deployed(stage, 'relay'), identity: RELAY_IDENTITY }]),
  ];
}

function deployed(stage: Stage, part: FunctionPart, group?: string): DeployedFunction {
  const name = group === undefined ? part : `${part}-${group}`;
  return {
    part,
    ...(group !== undefined && { group }),
    key: name,
    name: functionName(stage.name, name),
    roleId: `${pascalCase(name)}Role`,
  };
}
