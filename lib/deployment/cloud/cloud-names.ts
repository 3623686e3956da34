/** Where a stage's SSM parameters lie. */
export function stageParametersPath(stage: string): string {
  return `/evenkeel/${stage}`;
}

/** Where the clusters of a stage are listed: one SSM parameter each. */
export function clusterParametersPath(stage: string): string {
  return `${stageParametersPath(stage)}/clusters`;
}

/** The SSM parameter that holds a stage's settings as they were deployed. */
export function deploymentSettingsParameter(stage: string): string {
  return `${stageParametersPath(stage)}/settings`;
}

/** The SSM parameter with the variables of the relay, where a pod relays: all but the settings. */
export function relayVariablesParameter(stage: string): string {
  return `${stageParametersPath(stage)}/relay`;
}

/** Who a function is in a cluster: its controller group, or the relay, which resync shares. */
export type ClusterIdentity = string;

export const RELAY_IDENTITY: ClusterIdentity = 'relay';

/** The secret that holds an identity's service account token for a cluster. */
export function clusterTokenSecret(stage: string, cluster: string, identity: ClusterIdentity): string {
  return `evenkeel/${stage}/clusters/${cluster}/${identity}`;
}

/** A secret that controller groups of a stage work with. @param name that the groups give it, e.g. `digest-key`. */
export function stageSecretName(stage: string, name: string): string {
  return `evenkeel/${stage}/${name}`;
}

/** The variable by which a function is told the secret's name in Secrets Manager: `EVENKEEL_DIGEST_KEY` for `digest-key`. */
export function secretVariable(name: string): string {
  return `EVENKEEL_${name.toUpperCase().replaceAll('-', '_')}`;
}

/** `evenkeel-prod-sweep`: the name of a function, and of its role. */
export function functionName(stage: string, part: string): string {
  return `evenkeel-${stage}-${part}`;
}

/** CloudWatch's namespace: it tells deployments apart without a dimension. */
export function metricsNamespace(stage: string): string {
  return `evenkeel/${stage}`;
}

/** The one stage that may run against an emulator of AWS on this machine, and then reach clusters on it. */
export const EMULATOR_STAGE = 'emulator';

/** The output of the stack with the ARN of a function's role. @param key of the function in serverless.yml, e.g. `reconcile-t4`. */
export function roleOutput(key: string): string {
  return `${pascalCase(key)}RoleArn`;
}

/** `dead-letters` -> `DeadLetters`, as a logical id may be written. */
export function pascalCase(name: string): string {
  return name
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}
