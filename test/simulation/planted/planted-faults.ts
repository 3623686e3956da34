import { BELIEVING_CLAIMS } from './faults/believing-claims.ts';
import { KEEPING_NO_TIME } from './faults/keeping-no-time.ts';
import { LEAVING_ALONE } from './faults/leaving-alone.ts';
import { LOOKING_ELSEWHERE } from './faults/looking-elsewhere.ts';
import { LOSING_MESSAGES } from './faults/losing-messages.ts';
import { LOSING_ROUNDS } from './faults/losing-rounds.ts';
import { LOSING_WAKEUPS } from './faults/losing-wakeups.ts';
import { TIRED_ENGINEERS } from './faults/tired-engineers.ts';
import { TRUSTING_AUTHORS } from './faults/trusting-authors.ts';
import { WRITING_WRONGLY } from './faults/writing-wrongly.ts';
import type { PlantedFault } from './planted-fault.ts';

/** Every planted fault. An expected invariant catches each of them. */
export const PLANTED_FAULTS: readonly PlantedFault[] = [
  ...BELIEVING_CLAIMS,
  ...WRITING_WRONGLY,
  ...LOSING_WAKEUPS,
  ...LOSING_ROUNDS,
  ...KEEPING_NO_TIME,
  ...LOSING_MESSAGES,
  ...TIRED_ENGINEERS,
  ...LEAVING_ALONE,
  ...LOOKING_ELSEWHERE,
  ...TRUSTING_AUTHORS,
];
