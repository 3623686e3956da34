import { z } from 'zod';
import { durationField } from '../../controllers/duration-field.ts';
import { noted } from '../../controllers/field-note.ts';
import { DEFAULT_BACKOFF } from '../../core/backoff.ts';
import type { InstallationScope } from '../../core/installation.ts';
import { DEFAULT_RATE_LIMIT } from '../../core/rate-limit.ts';
import { type ControllerGroups, GROUPS } from '../groups/registered-groups.ts';
import { groupsSection } from './group-sections.ts';
import { checkLabelSelector, rolloutSection } from './rollout-section.ts';
import { timingsSection } from './timings-section.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

const NAME = /^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/;
const NAME_RULE = '1 to 40 lower-case letters, digits and dashes, not at the ends';
/** A valid name of a namespace. */
export const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function wholeNumber(field: { about: string; fallback: number; min: number; max: number }) {
  return noted(z.int().min(field.min).max(field.max).prefault(field.fallback), {
    about: field.about,
    allowed: `a whole number from ${field.min} to ${field.max}`,
    example: String(field.fallback),
  });
}

const scopeSection = z
  .strictObject({
    namespaces: noted(
      z
        .array(z.string().regex(NAMESPACE))
        .min(1)
        .max(100)
        .refine((names) => new Set(names).size === names.length, { message: 'a namespace is listed twice' })
        .optional(),
      {
        about: 'Namespaces in which objects are reconciled; the roles need access to them. Default: all.',
        allowed: 'a list of 1 to 100 different namespace names',
        example: '[team-a, team-b]',
      },
    ),
    labelSelector: noted(z.string().min(1).max(1_000).superRefine(checkLabelSelector).optional(), {
      about: 'Reconciles only objects whose labels match. Default: all.',
      allowed: 'a Kubernetes label selector',
      example: '"evenkeel.dev/stage=prod, tier in (web, api)"',
    }),
  })
  .transform(
    ({ namespaces, labelSelector }): InstallationScope => ({
      ...(namespaces !== undefined && { namespaces }),
      ...(labelSelector !== undefined && { labelSelector }),
    }),
  )
  .prefault({});

const intervalsSection = z
  .strictObject({
    sweep: durationField({
      about: 'Interval of the sweep, which finds timers whose wake was lost.',
      fallback: '1m',
      minMs: 100,
      maxMs: HOUR,
      canBeOff: true,
    }),
    resync: durationField({
      about: 'Interval of resync, which compares complete lists with the table.',
      fallback: '5m',
      minMs: 100,
      maxMs: 24 * HOUR,
      canBeOff: true,
    }),
    targetResync: durationField({
      about:
        'Time after which an object gets a pass although nothing happened. Spread by a quarter: 6h gives 4.5h to 7.5h.',
      fallback: '6h',
      minMs: SECOND,
      maxMs: 30 * 24 * HOUR,
      canBeOff: true,
    }),
  })
  .prefault({});

const relaySection = z
  .strictObject({
    pageSize: wholeNumber({ about: 'Objects in one page of a list.', fallback: 500, min: 1, max: 5_000 }),
    watchTimeout: durationField({
      about:
        'Time after which the API server ends a watch; the relay opens the next one at once. Spread by a third: 5m gives 200s to 400s.',
      fallback: '5m',
      minMs: SECOND,
      maxMs: HOUR,
    }),
    idleTimeout: durationField({
      about: 'A watch that is silent for this long is opened again. The API server sends a bookmark each minute.',
      fallback: '2m',
      minMs: 100,
      maxMs: HOUR,
    }),
    lease: durationField({
      about: "Length of the relay's lease on its cluster: another relay takes over that long after one died.",
      fallback: '30s',
      minMs: 500,
      maxMs: 10 * MINUTE,
    }),
  })
  .transform(({ pageSize, watchTimeout, idleTimeout, lease }) => ({
    pageSize,
    watchTimeoutMs: watchTimeout,
    idleTimeoutMs: idleTimeout,
    leaseMs: lease,
  }))
  .prefault({});

const rateLimitSection = z
  .strictObject({
    burst: wholeNumber({
      about: 'Passes of one object that may follow each other without a delay.',
      fallback: DEFAULT_RATE_LIMIT.burst,
      min: 1,
      max: 10_000,
    }),
    refill: durationField({
      about: 'Interval after which one more pass of the object is allowed.',
      fallback: '1s',
      minMs: 1,
      maxMs: HOUR,
    }),
  })
  .transform(({ burst, refill }) => ({ burst, refillMs: refill }))
  .prefault({});

const backoffSection = z
  .strictObject({
    base: durationField({
      about: 'Longest delay after the first failure.',
      fallback: '1s',
      minMs: 1,
      maxMs: HOUR,
    }),
    cap: durationField({
      about: 'Longest delay after many failures.',
      fallback: `${DEFAULT_BACKOFF.capMs / MINUTE}m`,
      minMs: 1,
      maxMs: 24 * HOUR,
    }),
  })
  .transform(({ base, cap }, context) => {
    if (base > cap) {
      context.addIssue({ code: 'custom', message: 'base is longer than cap: make base shorter or cap longer' });
      return z.NEVER;
    }
    return { baseMs: base, capMs: cap };
  })
  .prefault({});

const metricsSection = z
  .strictObject({
    port: wholeNumber({
      about: 'Port of the Prometheus endpoint of `evenkeel start`, on 127.0.0.1; 0 selects a free one.',
      fallback: 0,
      min: 0,
      max: 65_535,
    }),
  })
  .prefault({});

/**
 * All settings of a deployment: the YAML file for `--settings`, and the section `settings` of a stage's file.
 * @param groups the controller groups that exist.
 */
export function settingsSchemaOf(groups: ControllerGroups): SettingsSchema {
  return groups === GROUPS ? settingsSchema : newSchema(groups);
}

const standbyField = noted(z.boolean().prefault(false), {
  about:
    'Lets a cloud deployment stand by for another one: in a cluster it does nothing until the other one has been gone for 15 minutes. `evenkeel start` does not stand by.',
  allowed: 'true or false',
  example: 'true',
});

function newSchema(groups: ControllerGroups) {
  return z
    .strictObject({
      installation: noted(z.string().regex(NAME).prefault('local'), {
        about:
          'Name of this deployment. Its Lease in the cluster carries the name, and a deployment with another name refuses to start there.',
        allowed: NAME_RULE,
        example: 'prod-eu',
      }),
      cluster: noted(z.string().regex(NAME).prefault('local'), {
        about: 'Name of the cluster in the queue, the table and the metrics. Never change it: it is part of every key.',
        allowed: NAME_RULE,
        example: 'prod-eu-1',
      }),
      paused: noted(z.boolean().prefault(false), {
        about: 'Pauses the whole deployment: no object is read or changed. Events and timers are kept.',
        allowed: 'true or false',
        example: 'true',
      }),
      standby: standbyField,
      scope: scopeSection,
      groups: groupsSection(groups),
      controllers: noted(z.array(z.string().min(1)).min(1).max(100).optional(), {
        about:
          'Modules with your own controllers, as paths relative to this file (docs/writing-a-controller.md). With `groups: {}` only these run.',
        allowed: 'a list of 1 to 100 paths of files',
        example: '[./banner.ts]',
      }),
      rollout: rolloutSection,
      concurrency: wholeNumber({
        about: 'Passes of one controller group that run at the same time.',
        fallback: 16,
        min: 2,
        max: 1_000,
      }),
      resyncConcurrency: wholeNumber({
        about: 'The same for the resync lane. Keep it small, so that many events of resync leave room for the others.',
        fallback: 4,
        min: 2,
        max: 1_000,
      }),
      intervals: intervalsSection.transform(({ sweep, resync, targetResync }) => ({
        sweepMs: sweep,
        resyncMs: resync,
        targetResyncMs: targetResync,
      })),
      timings: timingsSection,
      rateLimit: rateLimitSection,
      backoff: backoffSection,
      relay: relaySection,
      metrics: metricsSection,
    })
    .refine(({ groups, controllers }) => controllers !== undefined || Object.keys(groups).length > 0, {
      path: ['groups'],
      message: 'no controllers are installed: name a controller group in groups, or your own modules in controllers',
    })
    .prefault({});
}

/** The schema with the groups of this release. */
export const settingsSchema = newSchema(GROUPS);

type SettingsSchema = ReturnType<typeof newSchema>;

/** Settings after parsing: with every field, durations in milliseconds, and 0 for `off`. */
export type Settings = z.output<typeof settingsSchema>;
