import { z } from 'zod';

/** CloudWatch Logs' own list. */
const RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 3653] as const;

function megabytes(fallback: number) {
  return z.int('is no whole number').min(128, 'is below 128 MB').max(10_240, 'is above 10240 MB').prefault(fallback);
}

/** What a stage says of its place in AWS. docs/operations.md tells of each field. */
export const cloudSection = z
  .strictObject({
    /** Where the stage lies when neither --region nor AWS_REGION says. */
    region: z
      .string()
      .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'is no AWS region')
      .prefault('eu-central-1'),
    /**
     * What the names of roles, of the relay's policy and of the dashboard hold: these are unique in an account, whatever the
     * region. `stage`: as a stage of release 0.2 has them. `region`: the region as well, so that the stage fits into several.
     */
    names: z.enum(['stage', 'region'], 'is neither stage nor region').prefault('stage'),
    /** The table cannot be deleted, so neither can the stack. */
    deletionProtection: z.boolean('is neither true nor false').prefault(true),
    /** `container`: the stack has no relay function; a pod with infra/container relays. */
    relay: z.enum(['function', 'container'], 'is neither function nor container').prefault('function'),
    memory: z
      .strictObject({
        reconcile: megabytes(512),
        wake: megabytes(256),
        sweep: megabytes(256),
        resync: megabytes(1_024),
        relay: megabytes(512),
      })
      .prefault({}),
    /** Functions lie in it, to reach private API servers. They need a way to SQS, DynamoDB, SSM and Secrets Manager there. */
    vpc: z
      .strictObject({
        subnetIds: z.array(z.string().regex(/^subnet-[0-9a-f]+$/, 'is no subnet id')).min(1, 'names no subnet'),
        securityGroupIds: z.array(z.string().regex(/^sg-[0-9a-f]+$/, 'is no security group id')).min(1, 'names none'),
      })
      .optional(),
    /** Whom alarms tell: an address that gets a mail, or a topic of your own. */
    alarms: z
      .strictObject({
        email: z.email('is no mail address').optional(),
        topicArn: z
          .string()
          .regex(/^arn:[a-z-]+:sns:/, 'is no ARN of an SNS topic')
          .optional(),
        /** Encrypts the topic that the deployment makes. CloudWatch must be permitted to use it: AWS' own key does not permit that. */
        keyArn: z
          .string()
          .regex(/^arn:[a-z-]+:kms:/, 'is no ARN of a KMS key')
          .optional(),
      })
      .refine(
        ({ topicArn, keyArn }) => topicArn === undefined || keyArn === undefined,
        'has both topicArn and keyArn; keyArn encrypts the topic that the deployment makes, so remove one of them',
      )
      .prefault({}),
    /** The customer key that encrypts the clusters' secrets, where it is not AWS' own. */
    secretsKeyArn: z
      .string()
      .regex(/^arn:[a-z-]+:kms:/, 'is no ARN of a KMS key')
      .optional(),
    /**
     * Which of evenkeel's metrics are series of CloudWatch. `alarms`: those that alarms watch, without dimensions; the dashboard shows the
     * others by queries of the log.
     */
    metrics: z.enum(['all', 'alarms'], 'is neither all nor alarms').prefault('all'),
    logRetentionDays: z.literal([...RETENTION_DAYS], `is none of ${RETENTION_DAYS.join(', ')}`).prefault(30),
    logLevel: z.enum(['debug', 'info', 'warn', 'error'], 'is none of debug, info, warn, error').prefault('info'),
    tags: z.record(z.string().max(128), z.string().max(256)).prefault({}),
  })
  .prefault({});

export type CloudSection = z.output<typeof cloudSection>;
