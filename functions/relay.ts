import { dutyOf, shiftAt } from '../lib/deployment/cloud/relay-shift.ts';
import type { ControllerGroups } from '../lib/deployment/groups/registered-groups.ts';
import { lambdaHandler } from '../lib/deployment/handlers/lambda-handler.ts';
import { type HoldsSeen, RelayWork } from '../lib/deployment/handlers/relay-work.ts';

/** Kept as long as the sandbox lives. */
const holdsSeen: HoldsSeen = new Map();

/** Runs each minute: takes the clusters without a relay, or relieves the relay that runs (cloud/relay-shift.ts). */
export const relayHandler = (groups?: ControllerGroups) =>
  lambdaHandler<unknown, void>(async (runtime, _event, { startedAtMs }) => {
    const duty = dutyOf(shiftAt(startedAtMs), startedAtMs, runtime.settings.relay.leaseMs);
    await new RelayWork(runtime, duty, holdsSeen).run(new AbortController().signal);
  }, groups);

export const handler = relayHandler();
