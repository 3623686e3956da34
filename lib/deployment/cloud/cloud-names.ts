/** The path of a stage's SSM parameters. */
export function stageParametersPath(stage: string): string {
  return `/evenkeel/${stage}`;
}

/** The path of the parameters with the clusters of a stage, one parameter for each cluster. */
export function clusterParametersPath(stage: string): string {
  return `${stageParametersPath(stage)}/clusters`;
}

/** The SSM parameter with the settings of a stage, as they were deployed. */
export function deploymentSettingsParameter(stage: string): string {
  return `${stageParametersPath(stage)}/settings`;
}

/** The SSM parameter with the variables of a relay that runs in a pod, except the settings. */
export function relayVariablesParameter(stage: string): string {
  return `${stageParametersPath(stage)}/relay`;
}

/** The identity of a function in a cluster: the name of its controller group, or the relay's, which resync uses too. */
export type ClusterIdentity = string;

export const RELAY_IDENTITY: ClusterIdentity = 'relay';

/** The secret with an identity's service account token for a cluster. */
export function clusterTokenSecret(stage: string, cluster: string, identity: ClusterIdentity): string {
  return `evenkeel/${stage}/clusters/${cluster}/${identity}`;
}

/** A secret that controller groups of a stage use. @param name in the manifests, e.g. `digest-key`. */
export function stageSecretName(stage: string, name: string): string {
  return `evenkeel/${stage}/${name}`;
}

/** The variable with the secret's name in Secrets Manager: `EVENKEEL_DIGEST_KEY` for `digest-key`. */
export function secretVariable(name: string): string {
  return `EVENKEEL_${name.toUpperCase().replaceAll('-', '_')}`;
}

/** `evenkeel-prod-sweep`: the name of a function, and of its role. */
export function functionName(stage: string, part: string): string {
  return `evenkeel-${stage}-${part}`;
}

/** The namespace in CloudWatch. It differs for each deployment, so no dimension is needed for that. */
export function metricsNamespace(stage: string): string {
  return `evenkeel/${stage}`;
}

/** The only stage that may use an emulator of AWS on this machine, and then clusters on this machine. */
export const EMULATOR_STAGE = 'emulator';

/** The output of the stack with the ARN of a function's role. @param key of the function in serverless.yml, such as `reconcile-web`. */
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
