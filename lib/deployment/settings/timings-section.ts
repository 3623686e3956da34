import { z } from 'zod';
import { EvenkeelError } from '../../core/errors.ts';
import { checkLeaseTimings, latestStartMs } from '../../core/lease.ts';
import { durationField } from './duration-field.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

/** A worker waits for messages a second at least, and needs as long again to start what came last. */
const MINIMUM_STARTABLE_MS = 2 * SECOND;

/** The defaults are lib/core/lease.ts's. */
export const timingsSection = z
  .strictObject({
    passLimit: durationField({
      about: 'A pass is aborted after this.',
      fallback: '20s',
      minMs: 50,
      maxMs: 10 * MINUTE,
    }),
    lease: durationField({
      about: 'How long a pass holds its target, at most.',
      fallback: '30s',
      minMs: 100,
      maxMs: 11 * MINUTE,
    }),
    grace: durationField({
      about: "How long after a lease's end a target that changed meanwhile is looked at.",
      fallback: '5s',
      minMs: 10,
      maxMs: MINUTE,
    }),
    visibility: durationField({
      about: "The queues' visibility time-out: after this a message of a dead worker is delivered again.",
      fallback: '60s',
      minMs: SECOND,
      maxMs: 12 * HOUR,
    }),
    clockSkew: durationField({
      about: "The largest difference between two machines' clocks that is tolerated.",
      fallback: '4s',
      minMs: 1,
      maxMs: MINUTE,
    }),
    mutationMargin: durationField({
      about: 'The least lease time left with which a change in the cluster may be started.',
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
        message: 'visibility must be 2s longer than lease and clockSkew together: messages are waited for that long',
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
