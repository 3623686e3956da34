import { writeFileSync } from 'node:fs';
import { REQUIREMENTS_PAGE, readTests } from './read-tests.ts';
import { requirementsPage } from './requirements.ts';

writeFileSync(REQUIREMENTS_PAGE, requirementsPage(readTests()));
