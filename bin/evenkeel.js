#!/usr/bin/env node
// Starts the command line on a Node.js new enough for it: the host's own, or the one that `npm ci` installed.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isNewEnough = major > 22 || (major === 22 && minor >= 18);
const source = fileURLToPath(new URL('../functions/cli/main.ts', import.meta.url));
const built = fileURLToPath(new URL('../dist/functions/cli/main.js', import.meta.url));
const entry = existsSync(source) ? source : built;

if (isNewEnough) {
  process.argv.splice(1, 1, entry);
  await import(entry);
} else {
  const installed = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));
  if (!existsSync(installed)) {
    // Only in a clone does `npm ci` bring one: it is no dependency of the package.
    const advice = entry === source ? 'Run `npm ci` first, or install' : 'Install';
    process.stderr.write(`evenkeel: Node.js ${process.versions.node} is too old. ${advice} Node.js 22.18 or newer.\n`);
    process.exit(1);
  }
  const child = spawn(installed, [entry, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}
