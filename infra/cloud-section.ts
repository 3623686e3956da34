import { z } from 'zod';

/** The periods that CloudWatch Logs accepts. */
const RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 3653] as const;

function megabytes(fallback: number) {
  return z.int('is no whole number').min(128, 'is below 128 MB').max(10_240, 'is above 10240 MB').prefault(fallback);
}

/** The section of a stage's file for AWS. docs/operations.md describes each field. */
export const cloudSection = z
  .strictObject({
    /** The region of the stage, when neither --region nor AWS_REGION is given. */
    region: z
      .string()
      .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'is no AWS region')
      .prefault('eu-central-1'),
    /**
     * What the names of roles, of the relay's policy and of the dashboard contain, because they are unique in an
     * account across regions.
     * - `stage`: only the stage, as in release 0.2.
     * - `region`: also the region, so that the stage can be deployed in several regions.
     */
    names: z.enum(['stage', 'region'], 'is neither stage nor region').prefault('stage'),
    /** The table cannot be deleted, so neither can the stack. */
    deletionProtection: z.boolean('is neither true nor false').prefault(true),
    /** `container`: the stack has no relay function; a pod of infra/container/relay relays. */
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
    /**
     * The VPC of the functions, for private API servers. It must have a route to SQS, DynamoDB, SSM and Secrets
     * Manager.
     */
    vpc: z
      .strictObject({
        subnetIds: z.array(z.string().regex(/^subnet-[0-9a-f]+$/, 'is no subnet id')).min(1, 'names no subnet'),
        securityGroupIds: z.array(z.string().regex(/^sg-[0-9a-f]+$/, 'is no security group id')).min(1, 'names none'),
      })
      .optional(),
    /** The receiver of alarms: an email address, or a topic of your own. */
    alarms: z
      .strictObject({
        email: z.email('is no mail address').optional(),
        topicArn: z
          .string()
          .regex(/^arn:[a-z-]+:sns:/, 'is no ARN of an SNS topic')
          .optional(),
        /**
         * Encrypts the topic that the deployment creates. CloudWatch must be permitted to use the key; AWS' own key
         * does not permit that.
         */
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
    /** The customer managed key that encrypts the clusters' secrets; by default the key of AWS. */
    secretsKeyArn: z
      .string()
      .regex(/^arn:[a-z-]+:kms:/, 'is no ARN of a KMS key')
      .optional(),
    /**
     * Which of evenkeel's metrics become series of CloudWatch. `alarms`: only the metrics of alarms, without
     * dimensions. The dashboard shows the others by queries of the log.
     */
    metrics: z.enum(['all', 'alarms'], 'is neither all nor alarms').prefault('all'),
    logRetentionDays: z.literal([...RETENTION_DAYS], `is none of ${RETENTION_DAYS.join(', ')}`).prefault(30),
    logLevel: z.enum(['debug', 'info', 'warn', 'error'], 'is none of debug, info, warn, error').prefault('info'),
    tags: z.record(z.string().max(128), z.string().max(256)).prefault({}),
  })
  .prefault({});

export type CloudSection = z.output<typeof cloudSection>;
