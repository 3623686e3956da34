import type { SetDeadline } from '../../core/deadline.ts';
import { sendWake } from '../send-wake.ts';
import type { Pass, PassDependencies } from './pass.ts';

/**
 * A wake that could not be sent is not an error of the pass: the sweep finds that the timer is overdue and sends its
 * event.
 */
export async function wakeTarget(deps: PassDependencies, { target }: Pass, deadline: SetDeadline): Promise<void> {
  const { wakes, clock, logger } = deps;
  try {
    await sendWake(wakes, { type: 'target', target, dueAtMs: deadline.dueAtMs }, deadline, clock.now());
  } catch (error) {
    logger.error('a delayed wake could not be sent; the sweep will send the timer', error, { kind: target.kind });
  }
}
