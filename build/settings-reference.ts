// Writes docs/settings.md from the settings' schema.
import { writeFileSync } from 'node:fs';
import { settingsReference } from '../lib/deployment/settings/settings-reference.ts';

writeFileSync(new URL('../docs/settings.md', import.meta.url), settingsReference());
