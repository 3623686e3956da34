import { z } from 'zod';
import { EvenkeelError } from '../../core/errors.ts';
import { type ControllerGroups, GROUPS } from '../groups/registered-groups.ts';
import { secretVariable } from './cloud-names.ts';

const queueUrls = z.strictObject({ queue: z.url(), dead: z.url() });

/** A variable that holds JSON. */
function json<Schema extends z.ZodType>(schema: Schema) {
  return z.string().transform((text, context) => {
    try {
      const parsed = schema.safeParse(JSON.parse(text));
      if (parsed.success) return parsed.data;
    } catch {
      // Told below, without the text.
    }
    context.addIssue({ code: 'custom', message: 'unreadable' });
    return z.NEVER;
  });
}

const environmentSchema = z.object({
  AWS_REGION: z.string().min(1),
  AWS_LAMBDA_FUNCTION_NAME: z.string().optional(),
  AWS_ENDPOINT_URL: z.url().optional(),
  AWS_SDK_UA_APP_ID: z.string().optional(),
  EVENKEEL_STAGE: z.string().min(1),
  EVENKEEL_VERSION: z.string().min(1),
  EVENKEEL_SETTINGS: z.string().min(2),
  EVENKEEL_TABLE: z.string().min(1),
  /** Names the deployment among all that might drive a cluster. */
  EVENKEEL_DEPLOYMENT: z.string().min(1),
  /** By controller group. */
  EVENKEEL_QUEUES: json(z.record(z.string(), z.strictObject({ events: queueUrls, resync: queueUrls }))),
  EVENKEEL_WAKES: z.url(),
  EVENKEEL_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).prefault('info'),
  /** Which metrics become series of CloudWatch. */
  EVENKEEL_METRICS: z.enum(['all', 'alarms']).prefault('all'),
  /** Who the function is in a cluster; absent where it reaches none. */
  EVENKEEL_IDENTITY: z.string().optional(),
});

/** What a deployment tells its functions. */
export interface CloudEnvironment extends z.output<typeof environmentSchema> {
  /** The secrets that the deployment made and that the function may read, in Secrets Manager, by the names that groups give them. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** @throws EvenkeelError BROKEN_DEPLOYMENT naming each variable that is missing or unreadable. */
export function readCloudEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
  groups: ControllerGroups = GROUPS,
): CloudEnvironment {
  const parsed = environmentSchema.safeParse(variables);
  if (parsed.success) return { ...parsed.data, secrets: secretsOf(variables, groups) };
  const names = [...new Set(parsed.error.issues.map(({ path }) => String(path[0])))];
  const faults = names.map((name) => `${name} ${variables[name] === undefined ? 'is missing' : 'is unreadable'}`);
  throw new EvenkeelError(
    'BROKEN_DEPLOYMENT',
    `this function's variables are not what its release writes: ${faults.join('; ')}. Deploy the stage again.`,
  );
}

function secretsOf(
  variables: Readonly<Record<string, string | undefined>>,
  groups: ControllerGroups,
): Readonly<Record<string, string>> {
  const names = groups.flatMap(({ secrets = [] }) => secrets.map(({ name }) => name));
  return Object.fromEntries(
    names.flatMap((name) => {
      const found = variables[secretVariable(name)];
      return found === undefined ? [] : [[name, found] as const];
    }),
  );
}
