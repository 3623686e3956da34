// Writes docs/settings.md from the settings' schema.
import { writeFileSync } from 'node:fs';
import { settingsReference } from '../functions/settings/settings-reference.ts';

writeFileSync(new URL('../docs/settings.md', import.meta.url), settingsReference());
