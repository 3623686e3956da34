import { lambdaHandler } from './cloud/lambda-handler.ts';
import { dutyOf, shiftAt } from './cloud/relay-shift.ts';
import { RelayWork } from './cloud/relay-work.ts';

/** Each minute: takes the clusters that nobody relays, or relieves the one that does (cloud/relay-shift.ts). */
export const handler = lambdaHandler<unknown, void>(async (runtime, _event, { startedAtMs }) => {
  const duty = dutyOf(shiftAt(startedAtMs), startedAtMs, runtime.settings.relay.leaseMs);
  await new RelayWork(runtime, duty).run(new AbortController().signal);
});
