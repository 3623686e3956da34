#!/usr/bin/env node
// Starts the command line on a Node.js new enough for it: the host's own, or the one that `npm ci` installed.
import './compile-cache.js';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pathOf = (place) => fileURLToPath(new URL(place, import.meta.url));
const [major = 0] = process.versions.node.split('.').map(Number);
const isNewEnough = major >= 24;
const source = pathOf('../cli/main.ts');
const entry = existsSync(source) ? source : pathOf('../dist/cli/main.js');

if (isNewEnough) {
  process.argv.splice(1, 1, entry);
  await import(entry);
} else {
  const installed = pathOf('../node_modules/node/bin/node');
  if (!existsSync(installed)) refuse(advice());
  // The channel closes when this process ends, however it ends: that ends the child too (cli/end-with-starter.ts).
  const child = spawn(installed, [entry, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, EVENKEEL_STARTER: String(process.pid) },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', ({ code }) => {
    refuse(`The one in ${installed} cannot be started (${code}). Run \`npm ci --ignore-scripts=false\`, or install`);
  });
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}

/** Only in a clone does `npm ci` bring one: it is no dependency of the package. */
function advice() {
  if (entry !== source) return 'Install';
  if (!existsSync(pathOf('../node_modules'))) return 'Run `npm ci` first, or install';
  if (existsSync(pathOf('../node_modules/node'))) {
    return 'The one that `npm ci` installs is not whole: its install script did not run. Run `npm ci --ignore-scripts=false`, or install';
  }
  return '`npm ci` left out the development dependencies, and with them the Node.js that a clone runs on, as it does with NODE_ENV=production. Run `npm ci --include=dev`, or install';
}

function refuse(what) {
  process.stderr.write(`evenkeel: Node.js ${process.versions.node} is too old. ${what} Node.js 24 or newer.\n`);
  process.exit(1);
}
