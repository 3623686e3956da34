// Keeps the compiled code for this user's next start. To compile it is most of what a start costs.
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

try {
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  // Node.js 20 has no such cache, and only starts a newer one. Where the folder cannot be written, there is none either.
  nodeModule.enableCompileCache?.(join(caches, 'evenkeel', 'compiled'));
} catch {
  // A user without a home directory.
}
