import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import { GROUPS } from '../lib/deployment/groups/registered-groups.ts';
import { packageRoot } from '../lib/deployment/package/package-root.ts';
import type { Stage } from './stage.ts';

const TIMEOUT_MS = 60_000;
const MAX_ANSWER_BYTES = 16 * 1_048_576;

const answerSchema = z.object({
  items: z.array(z.object({ about: z.string(), text: z.string(), reason: z.string().optional() })),
});

/**
 * The message before the deployment of a stage: the objects in its clusters that ask for something that the new
 * settings do not permit. Empty when no group of the stage has such a check.
 * @param askDoctor returns the doctor's report as JSON. It rejects when the stage cannot be read, e.g. before its first
 * deployment.
 */
export async function unpermittedObjects(
  { name, groups }: Pick<Stage, 'name' | 'groups'>,
  askDoctor: (stage: string) => Promise<string>,
): Promise<string[]> {
  if (!GROUPS.some((group) => groups.includes(group.name) && group.checks?.cluster !== undefined)) return [];
  const command = `npx evenkeel doctor --stage ${name} --settings stages/${name}.yml`;
  let items: z.infer<typeof answerSchema>['items'];
  try {
    ({ items } = answerSchema.parse(JSON.parse(await askDoctor(name))));
  } catch {
    return [`The objects that the new settings do not permit could not be listed. To list them: ${command}`];
  }
  const refused = items.filter(({ reason }) => reason === 'NotPermitted');
  if (refused.length === 0) return [];
  const count = refused.length === 1 ? 'one thing that an object asks' : `${refused.length} things that objects ask`;
  return [
    `The new settings do not permit ${count} for. What exists stays, and nothing new is created. To look again: ${command}`,
    ...refused.map(({ about, text }) => `cluster ${about}: ${text}`),
  ];
}

/**
 * Exit code 1 means that the doctor found trouble; its report is complete in that case too.
 * @param region of the deployment.
 * @param folder of serverless.yml.
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
