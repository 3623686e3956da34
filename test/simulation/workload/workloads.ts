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

/** All workloads, by name. Each run uses one or two of them. One more line here adds a new controller. */
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
 * Workloads that were added after seeds had been recorded: each one takes one seed in so many, and all other seeds are
 * unchanged.
 */
export const JOINED_LATER: ReadonlyMap<string, number> = new Map([
  ['t4', 9],
  ['crowds', 14],
]);
