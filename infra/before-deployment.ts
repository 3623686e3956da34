import { roleName } from './account-names.ts';
import { deployedFunctions } from './deployed-functions.ts';
import { type Stage, StageError } from './stage.ts';

/**
 * Refuses to rename the roles of a stack, because access entries of clusters name a role by its ARN.
 * @param existing physical ids of the present stack, by logical id; empty when there is no stack.
 * @throws StageError with the line of the stage's file to change.
 */
export function checkKeptNames(stage: Stage, existing: ReadonlyMap<string, string>): void {
  const { name, cloud } = stage;
  for (const deployed of deployedFunctions(stage)) {
    const found = existing.get(deployed.roleId);
    if (found === undefined || found === roleName(stage, deployed)) continue;
    const names = cloud.names === 'region' ? 'stage' : 'region';
    throw new StageError([
      `stages/${name}.yml: cloud.names: the role ${found} of this stack would be replaced by ${roleName(stage, deployed)}, which the access entries of the clusters do not name. Write cloud.names: ${names}, as this stack was deployed.`,
    ]);
  }
}

/** Notes for the person who deploys a stage. */
export function deploymentNotes({ name, cloud }: Stage): string[] {
  const { email, topicArn } = cloud.alarms;
  if (email !== undefined || topicArn !== undefined) return [];
  return [
    `The alarms of stage ${name} reach nobody: write cloud.alarms.email or cloud.alarms.topicArn into stages/${name}.yml.`,
  ];
}
