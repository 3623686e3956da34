import { z } from 'zod';
import { durationField } from '../../controllers/duration-field.ts';
import { EvenkeelError } from '../../core/errors.ts';
import { checkLeaseTimings, latestStartMs } from '../../core/lease.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

/** A worker waits at least a second for messages, and needs another second to start the last one. */
const MINIMUM_STARTABLE_MS = 2 * SECOND;

/** The defaults are those of lib/core/lease.ts. */
export const timingsSection = z
  .strictObject({
    passLimit: durationField({
      about: 'Longest duration of a pass; then it is aborted.',
      fallback: '20s',
      minMs: 50,
      maxMs: 10 * MINUTE,
    }),
    lease: durationField({
      about: 'Length of the lease of a pass on its object.',
      fallback: '30s',
      minMs: 100,
      maxMs: 11 * MINUTE,
    }),
    grace: durationField({
      about: 'Time from the end of a lease to the next pass of an object that changed during the lease.',
      fallback: '5s',
      minMs: 10,
      maxMs: MINUTE,
    }),
    visibility: durationField({
      about: "Visibility time-out of the queues: a dead worker's message is delivered again after it.",
      fallback: '60s',
      minMs: SECOND,
      maxMs: 12 * HOUR,
    }),
    clockSkew: durationField({
      about: 'Largest tolerated difference between the clocks of two machines.',
      fallback: '4s',
      minMs: 1,
      maxMs: MINUTE,
    }),
    mutationMargin: durationField({
      about: 'Lease time that must be left to start a write to the cluster.',
      fallback: '5s',
      minMs: 5,
      maxMs: MINUTE,
    }),
  })
  .transform(({ passLimit, lease, grace, visibility, clockSkew, mutationMargin }, context) => {
    const timings = {
      passLimitMs: passLimit,
      leaseMs: lease,
      graceMs: grace,
      visibilityMs: visibility,
      clockSkewMs: clockSkew,
      mutationMarginMs: mutationMargin,
    };
    if (latestStartMs(timings, 0) < MINIMUM_STARTABLE_MS) {
      context.addIssue({
        code: 'custom',
        message:
          'visibility must be 2s longer than lease and clockSkew together, because a worker waits up to 2s for messages',
      });
      return z.NEVER;
    }
    try {
      return checkLeaseTimings(timings);
    } catch (error) {
      if (!(error instanceof EvenkeelError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  })
  .prefault({});
