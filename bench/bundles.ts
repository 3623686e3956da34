import { spawnSync } from 'node:child_process';
import { bundleFunctions } from '../lib/deployment/package/bundle-functions.ts';

export interface BundleFigures {
  readonly name: string;
  readonly kb: number;
  /** The wall time of importing the bundle in a new process, without Node's own start: the shortest of five. */
  readonly coldImportMs: number;
}

/** The size and the cold import time of each function's bundle, built as for a deployment. */
export async function measureBundles(): Promise<BundleFigures[]> {
  return (await bundleFunctions()).map(({ name, file, bytes }) => ({
    name,
    kb: Math.round(bytes / 1_024),
    coldImportMs: Math.round(importMs(file)),
  }));
}

function importMs(file: string): number {
  const script = `const started = performance.now(); await import(${JSON.stringify(file)}); process.stdout.write(String(performance.now() - started)); process.exit(0)`;
  const times = Array.from({ length: 5 }, () =>
    Number(spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).stdout),
  );
  return Math.min(...times);
}
