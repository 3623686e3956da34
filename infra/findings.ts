import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import { GROUPS } from '../lib/deployment/groups/registered-groups.ts';
import { packageRoot } from '../lib/deployment/package/package-root.ts';
import { type Stage, StageError } from './stage.ts';

const TIMEOUT_MS = 60_000;
const MAX_ANSWER_BYTES = 16 * 1_048_576;

const answerSchema = z.object({
  items: z.array(
    z.object({
      about: z.string(),
      text: z.string(),
      advice: z.string().optional(),
      reason: z.string().optional(),
    }),
  ),
});

/** The findings of the doctor in the stage as it is deployed now. */
export type Findings = z.infer<typeof answerSchema>['items'];

/**
 * Undefined when the stage cannot be examined.
 * @param askDoctor returns the doctor's answer as JSON. Rejects when there is none.
 */
export async function findingsOf(askDoctor: () => Promise<string>): Promise<Findings | undefined> {
  try {
    return answerSchema.parse(JSON.parse(await askDoctor())).items;
  } catch {
    return undefined;
  }
}

/**
 * The notes for a person before a stage is deployed: the requests of objects that the new settings do not permit, in
 * the clusters of the deployed stage. Empty when no group of the stage checks such requests.
 */
export function unpermittedObjects(
  { name, groups }: Pick<Stage, 'name' | 'groups'>,
  findings: Findings | undefined,
): string[] {
  if (!GROUPS.some((group) => groups.includes(group.name) && group.checks?.cluster !== undefined)) return [];
  const command = doctorCommand(name);
  if (findings === undefined) {
    return [`The objects that the new settings do not permit could not be listed. To list them: ${command}`];
  }
  const refused = findings.filter(({ reason }) => reason === 'NotPermitted');
  if (refused.length === 0) return [];
  const count = refused.length === 1 ? 'one thing that an object asks' : `${refused.length} things that objects ask`;
  return [
    `The new settings do not permit ${count} for. What exists stays, and nothing new is created. To look again: ${command}`,
    ...refused.map(({ about, text }) => `cluster ${about}: ${text}`),
  ];
}

/**
 * Refuses a deployment whose code needs newer CRDs than a cluster has: the API server would drop fields that the new
 * code writes.
 * @returns a note for the person when the CRDs of a cluster cannot be compared.
 * @throws StageError that names each CRD, and the command.
 */
export function checkDefinitions({ name }: Pick<Stage, 'name'>, findings: Findings | undefined): string[] {
  const older = (findings ?? []).filter(({ reason }) => reason === 'DefinitionOlder');
  if (older.length > 0) {
    throw new StageError([
      ...older.map(({ about, text }) => `cluster ${about}: ${text}`),
      `Nothing was deployed. ${older[0]?.advice ?? ''} Do it in each of these clusters, and deploy again.`,
    ]);
  }
  const command = `To compare them: kubectl diff --server-side -f infra/kubernetes/crds, or ${doctorCommand(name)}`;
  if (findings === undefined) return [`The CRDs of the clusters were not compared with this release. ${command}`];
  const unknown = findings.filter(({ reason }) => reason === 'DefinitionsUnknown').map(({ about }) => about);
  if (unknown.length === 0) return [];
  return [`The CRDs of ${[...new Set(unknown)].join(', ')} were not compared with this release. ${command}`];
}

function doctorCommand(stage: string): string {
  return `npx evenkeel doctor --stage ${stage} --settings stages/${stage}.yml`;
}

/**
 * The doctor ends with 1 when it found trouble, but still returns an answer.
 * @param region the region of the deployment.
 * @param folder the folder of serverless.yml.
 */
export function runDoctor(stage: string, region: string, folder: string): Promise<string> {
  const settings = join(folder, 'stages', `${stage}.yml`);
  const args = [
    join(packageRoot(), 'bin', 'evenkeel.js'),
    'doctor',
    '--stage',
    stage,
    '--settings',
    settings,
    '--output',
    'json',
  ];
  return new Promise((resolve, reject) => {
    const env = { ...process.env, AWS_REGION: region };
    execFile(
      process.execPath,
      args,
      { cwd: folder, env, timeout: TIMEOUT_MS, maxBuffer: MAX_ANSWER_BYTES },
      (error, answer) => {
        if (answer === '' && error !== null) reject(error);
        else resolve(answer);
      },
    );
  });
}
