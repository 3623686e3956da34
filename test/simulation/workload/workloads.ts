import type { Workload } from '../../../lib/testing/simulation/workload.ts';
import { copies } from './copies.ts';
import { crowds } from './crowds.ts';
import { gateways } from './gateways.ts';
import { pools } from './pools.ts';
import { secretContracts } from './secret-contracts.ts';
import { sessions } from './sessions.ts';
import { t4 } from './t4.ts';
import { tenants } from './tenants.ts';
import { timers } from './timers.ts';
import { troubles } from './troubles.ts';

/** Every workload there is, by name. Each run takes one or two of them. A new controller joins with one more line here. */
export const WORKLOADS: Readonly<Record<string, () => Workload>> = {
  copies,
  crowds,
  gateways,
  pools,
  'secret-contracts': secretContracts,
  sessions,
  t4,
  tenants,
  timers,
  troubles,
};

/**
 * Those that joined after seeds had been written down: each takes one seed in so many, and the others draw what they drew
 * before.
 */
export const JOINED_LATER: ReadonlyMap<string, number> = new Map([
  ['t4', 9],
  ['crowds', 14],
]);
