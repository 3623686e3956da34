#!/usr/bin/env node
// `npm create evenkeel DIR` is `evenkeel init DIR`.
const bin = new URL('bin/evenkeel.js', import.meta.resolve('evenkeel/package.json'));
process.argv.splice(2, 0, 'init');
await import(bin.href);
