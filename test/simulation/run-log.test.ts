import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_FIGURES } from '../../lib/testing/simulation/figures.ts';
import { UsageError } from './command-line.ts';
import { RunLog, revisionOf, sourceFiles } from './run-log.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-run-log-'));
  file = join(folder, 'run.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const range = (from: number, to: number, failed: number[] = []) => ({
  from,
  to,
  figures: { ...NO_FIGURES, steps: to - from },
  failed: failed.map((seed) => ({ seed })),
});
const line = (from: number, to: number, revision = 'now') => `${JSON.stringify({ revision, ...range(from, to) })}\n`;
const open = () => new RunLog(file, 'now');

describe('the log of a run of seeds', () => {
  it('R-5.5 has the seeds that ran and those that failed when it is opened again', () => {
    open().add(range(1, 26, [7]));
    open().add(range(26, 51));
    expect(open().totals()).toMatchObject({ seeds: 50, figures: { steps: 50 }, failed: [7] });
  });

  it('R-5.5 counts no seed twice, and returns only missing seeds', () => {
    writeFileSync(file, line(1, 26) + line(26, 51) + line(13, 38) + line(60, 70));
    const log = open();
    expect(log.totals()).toMatchObject({ seeds: 60, figures: { steps: 60 } });
    expect(log.gap(13, 51)).toBeUndefined();
    expect(log.gap(13, 65)).toEqual({ from: 51, to: 60 });
    expect(log.gap(0, 65)).toEqual({ from: 0, to: 1 });
    expect(log.gap(65, 100)).toEqual({ from: 70, to: 100 });
  });

  it('R-5.5 takes what other sources did, or is no range at all, for none of its own', () => {
    writeFileSync(file, `${line(1, 26, 'earlier')}{"a":1}\n\n${line(26, 51)}`);
    expect(open().totals().seeds).toBe(25);
  });

  it.each([line(26, 51).slice(0, -1), line(26, 51).slice(0, 30), '{"rev'])(
    'R-5.5 runs again what a kill left unfinished: %s',
    (rest) => {
      writeFileSync(file, line(1, 26) + rest);
      open().add(range(26, 51));
      expect(readFileSync(file, 'utf8')).toBe(line(1, 26) + line(26, 51));
      expect(open().totals().seeds).toBe(50);
    },
  );

  it.each(['null\n', '[]\n', 'some text\n', 'some text', '{"half": \n', line(26, 26), '{"revision":"now"}\n'])(
    'R-5.5 says which line is none, and leaves the file as it is: %s',
    (text) => {
      writeFileSync(file, line(1, 26) + text);
      expect(open).toThrow(`${file}:2 is no line of a simulation log: ${text.replace('\n', '').slice(0, 100)}`);
      expect(readFileSync(file, 'utf8')).toBe(line(1, 26) + text);
    },
  );

  it('R-5.5 says before anything is run that it cannot be written', () => {
    expect(() => new RunLog(folder, 'now')).toThrow(UsageError);
    expect(() => new RunLog(join(folder, 'missing', 'run.jsonl'), 'now')).toThrow(UsageError);
    mkdirSync(file);
    expect(open).toThrow(`--log ${file}: EISDIR`);
  });

  it('R-5.5 holds for the sources that decide what a seed does, and for how many steps they fail', () => {
    const read = new Set<string>();
    const follow = (path: string): void => {
      if (read.has(path)) return;
      read.add(path);
      const text = readFileSync(path, 'utf8');
      for (const [, from = ''] of text.matchAll(/from '(\.[^']+)'/g)) follow(join(dirname(path), from));
    };
    follow('test/simulation/seed-worker.ts');
    const known = new Set(sourceFiles());
    expect([...read].filter((path) => !known.has(path))).toEqual([]);
    expect(known).toContain('package-lock.json');
    expect([...known].filter((path) => path.startsWith('infra/kubernetes/crds/')).length).toBeGreaterThan(3);
    expect([...known].every((path) => resolve(path) !== path)).toBe(true);
    expect(revisionOf({})).toBe(revisionOf({}));
    expect(revisionOf({ maxSteps: 500 })).not.toBe(revisionOf({}));
  });
});
