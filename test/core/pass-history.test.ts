import { describe, expect, it } from 'vitest';
import { addToHistory, cutHistory, type PastPass, readHistory } from '../../lib/core/pass-history.ts';

const AT = 1_764_531_000_000;

function pass(overrides: Partial<PastPass> = {}): PastPass {
  return {
    startedAtMs: AT,
    queueDelayMs: 4,
    durationMs: 12,
    outcome: 'settled',
    reason: '',
    attempts: 1,
    causes: [{ cause: 'updated', detail: '' }],
    moreCauses: 0,
    writeCount: 0,
    writes: [],
    ...overrides,
  };
}

function historyOf(passes: readonly PastPass[]): string {
  return passes.reduce<string>((history, next) => addToHistory(history, next), '');
}

describe('the history of an object', () => {
  it.each([
    ['with nothing to say', pass()],
    ['that failed', pass({ outcome: 'retry', reason: 'ApiForbidden', attempts: 2 })],
    ['with causes', pass({ causes: [{ cause: 'requested', detail: 'ann@laptop' }], moreCauses: 7 })],
    ['of an outcome that this release does not know', pass({ outcome: 'postponed' })],
    [
      'with writes',
      pass({ writeCount: 9, writes: [{ verb: 'status', kind: '', fields: ['conditions', 'nextCheckTime'] }] }),
    ],
    [
      'with text that could end a line',
      pass({ reason: 'a\n["b"]\u2028\u0000', causes: [{ cause: 'due', detail: '"\\' }] }),
    ],
    ['with text of another script', pass({ causes: [{ cause: 'requested', detail: 'Zoë 🙂 العربية' }] })],
  ])('R-6.10 the history keeps a pass %s as it was', (_, given) => {
    expect(readHistory(addToHistory(undefined, given))).toEqual([given]);
  });

  it('R-6.10 the history shows the newest pass first and keeps 20 when there are more', () => {
    const passes = Array.from({ length: 25 }, (_, index) => pass({ startedAtMs: AT + index }));
    const times = readHistory(historyOf(passes)).map(({ startedAtMs }) => startedAtMs - AT);
    expect(times).toEqual(Array.from({ length: 20 }, (_, index) => 24 - index));
  });

  it('R-6.10 the history lists three causes and counts the others', () => {
    const causes = Array.from({ length: 5 }, (_, index) => ({ cause: 'dependency', detail: `secrets a/${index}` }));
    const [read] = readHistory(addToHistory(undefined, pass({ causes, moreCauses: 2 })));
    expect(read).toMatchObject({ causes: causes.slice(0, 3), moreCauses: 4 });
  });

  it.each([0, 1, 40, 63, 64, 200, 1_000])(
    'R-5.11 the history takes at most %i bytes when it has no more room',
    (room) => {
      const history = historyOf(
        Array.from({ length: 20 }, (_, at) => pass({ startedAtMs: AT + at, reason: 'Ünïcode' })),
      );
      const cut = cutHistory(history, room);
      expect(Buffer.byteLength(cut ?? '')).toBeLessThanOrEqual(room);
      expect(readHistory(cut)).toEqual(readHistory(history).slice(0, readHistory(cut).length));
      // The next pass would not have fitted.
      const next = history.split('\n')[readHistory(cut).length];
      if (next !== undefined)
        expect(`${cut ?? ''}\n${next}`.length - (cut === undefined ? 1 : 0)).toBeGreaterThan(room);
    },
  );

  it('R-5.19 a line of the history that cannot be read is left out alone', () => {
    const [first, last] = [pass(), pass({ startedAtMs: AT + 1 })];
    const lines = [addToHistory(undefined, last), '{"a":', '[]', '["x"]', 'null', addToHistory(undefined, first)];
    expect(readHistory(lines.join('\n'))).toEqual([last, first]);
  });

  it('R-5.18 a pass with texts of any length takes at most 600 bytes of the history', () => {
    const long = '\u{1F600}'.repeat(5_000);
    const writes = Array.from({ length: 9 }, () => ({ verb: 'apply' as const, kind: long, fields: [long, long] }));
    const history = addToHistory(undefined, pass({ reason: long, causes: [{ cause: long, detail: long }], writes }));
    expect(history.length).toBeLessThanOrEqual(600);
    expect(readHistory(history)).toHaveLength(1);
  });
});
