import { z } from 'zod';
import { DEFAULT_BACKOFF } from '../../core/backoff.ts';
import { EvenkeelError } from '../../core/errors.ts';
import type { InstallationScope } from '../../core/installation.ts';
import { parseLabelSelector } from '../../core/label-selector.ts';
import { DEFAULT_RATE_LIMIT } from '../../core/rate-limit.ts';
import { durationField } from './duration-field.ts';
import { noted } from './field-note.ts';
import { groupsSection } from './group-sections.ts';
import { timingsSection } from './timings-section.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

const NAME = /^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/;
const NAME_RULE = '1 to 40 lower-case letters, digits and dashes, not at the ends';
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function checkLabelSelector(text: string, context: z.RefinementCtx): void {
  try {
    parseLabelSelector(text);
  } catch (error) {
    if (!(error instanceof EvenkeelError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
  }
}

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
        .refine((names) => new Set(names).size === names.length, { message: 'a namespace is named twice' })
        .optional(),
      {
        about: 'The namespaces whose objects are reconciled, and which its roles reach. Left out: all.',
        allowed: 'a list of 1 to 100 different namespace names',
        example: '[team-a, team-b]',
      },
    ),
    labelSelector: noted(z.string().min(1).max(1_000).superRefine(checkLabelSelector).optional(), {
      about: 'Only objects whose labels match are reconciled. Left out: all.',
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
      about: 'How often deadlines whose wake was lost are looked for.',
      fallback: '1m',
      minMs: 100,
      maxMs: HOUR,
      canBeOff: true,
    }),
    resync: durationField({
      about: 'How often complete lists are compared with what is known.',
      fallback: '5m',
      minMs: 100,
      maxMs: 24 * HOUR,
      canBeOff: true,
    }),
    targetResync: durationField({
      about: 'After how long a target gets a pass although nothing happened, spread out by up to a tenth.',
      fallback: '6h',
      minMs: SECOND,
      maxMs: 30 * 24 * HOUR,
      canBeOff: true,
    }),
  })
  .prefault({});

const relaySection = z
  .strictObject({
    pageSize: wholeNumber({ about: 'Objects of one page of a list.', fallback: 500, min: 1, max: 5_000 }),
    watchTimeout: durationField({
      about: 'The server ends each watch after this, spread out by up to a half; the relay opens the next at once.',
      fallback: '5m',
      minMs: SECOND,
      maxMs: HOUR,
    }),
    idleTimeout: durationField({
      about: 'A watch that is silent for this long is taken for dead. Bookmarks come each minute.',
      fallback: '2m',
      minMs: 100,
      maxMs: HOUR,
    }),
    lease: durationField({
      about: "How long a relay's hold on its cluster outlives it: the time until another one takes over.",
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
      about: 'Passes of one target that may follow each other at once.',
      fallback: DEFAULT_RATE_LIMIT.burst,
      min: 1,
      max: 10_000,
    }),
    refill: durationField({
      about: 'One more pass is allowed each such time.',
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
      about: 'The bound of the delay after a first failure.',
      fallback: '1s',
      minMs: 1,
      maxMs: HOUR,
    }),
    cap: durationField({
      about: 'The bound of the delay after many failures.',
      fallback: `${DEFAULT_BACKOFF.capMs / MINUTE}m`,
      minMs: 1,
      maxMs: 24 * HOUR,
    }),
  })
  .transform(({ base, cap }, context) => {
    if (base > cap) {
      context.addIssue({ code: 'custom', message: 'base is longer than cap; make it the shorter one' });
      return z.NEVER;
    }
    return { baseMs: base, capMs: cap };
  })
  .prefault({});

const metricsSection = z
  .strictObject({
    port: wholeNumber({
      about: 'The port of the Prometheus endpoint of `evenkeel start`, on 127.0.0.1; 0 for a free one.',
      fallback: 0,
      min: 0,
      max: 65_535,
    }),
  })
  .prefault({});

/** Everything an installation can be told: one YAML file for `--settings`, and what the cloud's parameters fill. */
export const settingsSchema = z
  .strictObject({
    installation: noted(z.string().regex(NAME).prefault('local'), {
      about:
        'Names this deployment. Its Lease in the cluster carries it, and a deployment of another name refuses to start there.',
      allowed: NAME_RULE,
      example: 'prod-eu',
    }),
    cluster: noted(z.string().regex(NAME).prefault('local'), {
      about: 'Names the cluster in the queue, the table and the metrics. Never change it: it is part of every key.',
      allowed: NAME_RULE,
      example: 'prod-eu-1',
    }),
    paused: noted(z.boolean().prefault(false), {
      about: 'The whole deployment is paused: targets are neither read nor changed until this is false again.',
      allowed: 'true or false',
      example: 'true',
    }),
    scope: scopeSection,
    groups: groupsSection,
    controllers: noted(z.array(z.string().min(1)).min(1).max(100).optional(), {
      about:
        'Modules with controllers of your own, by their paths from this file (docs/writing-a-controller.md). With them `groups: {}` leaves ours out.',
      allowed: 'a list of 1 to 100 paths of files',
      example: '[./banner.ts]',
    }),
    concurrency: wholeNumber({
      about: 'Passes of one controller group that run at once.',
      fallback: 16,
      min: 2,
      max: 1_000,
    }),
    resyncConcurrency: wholeNumber({
      about: 'The same for the resync queue, so that a flood leaves room for changes.',
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
    message: 'no controller group is named, and no controllers of your own',
  })
  .prefault({});

/** Settings as the program uses them: every field is there, durations are in milliseconds, 0 where one is off. */
export type Settings = z.output<typeof settingsSchema>;
