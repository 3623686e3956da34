import type { Workload } from '../../../lib/testing/simulation/workload.ts';
import { copies } from './copies.ts';
import { gateways } from './gateways.ts';
import { pools } from './pools.ts';
import { secretContracts } from './secret-contracts.ts';
import { sessions } from './sessions.ts';
import { tenants } from './tenants.ts';
import { timers } from './timers.ts';
import { troubles } from './troubles.ts';

/** Every workload there is, by name. Each run takes one or two of them. A new controller joins with one more line. */
export const WORKLOADS: Readonly<Record<string, () => Workload>> = {
  copies,
  gateways,
  pools,
  'secret-contracts': secretContracts,
  sessions,
  tenants,
  timers,
  troubles,
};
