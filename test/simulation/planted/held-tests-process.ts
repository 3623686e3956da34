import { runHeldTests } from './held-tests.ts';
import { PLANTED_FAULTS } from './planted-faults.ts';

const names = new Set(process.argv.slice(2));
const outcomes = await runHeldTests(PLANTED_FAULTS.filter(({ name }) => names.has(name)));
process.send?.([...outcomes]);
process.disconnect?.();
