import { z } from 'zod';
import { EvenkeelError } from '../../core/errors.ts';
import { type ControllerGroups, GROUPS } from '../groups/registered-groups.ts';
import { secretVariable } from './cloud-names.ts';

const queueUrls = z.strictObject({ queue: z.url(), dead: z.url() });

/** A variable whose value is JSON. */
function json<Schema extends z.ZodType>(schema: Schema) {
  return z.string().transform((text, context) => {
    try {
      const parsed = schema.safeParse(JSON.parse(text));
      if (parsed.success) return parsed.data;
    } catch {
      // The error is reported below, without the text of the variable.
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
  /** The name of the deployment, different from every other one that may drive the same cluster. */
  EVENKEEL_DEPLOYMENT: z.string().min(1),
  /** By controller group. */
  EVENKEEL_QUEUES: json(z.record(z.string(), z.strictObject({ events: queueUrls, resync: queueUrls }))),
  EVENKEEL_WAKES: z.url(),
  EVENKEEL_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).prefault('info'),
  /** Which metrics become series of CloudWatch. */
  EVENKEEL_METRICS: z.enum(['all', 'alarms']).prefault('all'),
  /** The identity of the function in a cluster; absent for a function without a connection to a cluster. */
  EVENKEEL_IDENTITY: z.string().optional(),
});

/** The variables of a function in a deployment. */
export interface CloudEnvironment extends z.output<typeof environmentSchema> {
  /**
   * The names in Secrets Manager of the secrets that the deployment created and that the function may read, by the
   * names of the manifests.
   */
  readonly secrets: Readonly<Record<string, string>>;
}

/** @throws EvenkeelError BROKEN_DEPLOYMENT, with each variable that is missing or invalid. */
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
