import { describe, expect, it } from 'vitest';
import { Invocation } from '../../cli/command.ts';
import { letterLine } from '../../cli/letter-line.ts';
import { redriveStage } from '../../cli/redrive.ts';
import type { DeadLetter, DeadLetterQueue, DeadLetters } from '../../lib/ports/dead-letters.ts';
import { RecordedTerminal } from '../deployment/terminal/recorded-terminal.ts';

const EVENT = {
  v: 1,
  cluster: 'east',
  kind: 'widgets.example.dev',
  namespace: 'shop',
  name: 'one',
  uid: 'u',
  cause: 'updated',
};

function letter(body: unknown, reason?: string): DeadLetter {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { messageId: 'm-1', body: text, sentAtMs: 0, ...(reason !== undefined && { reason }) };
}

class KeptLetters implements DeadLetters {
  readonly redriven: string[] = [];
  readonly kept: Readonly<Record<string, DeadLetter[]>>;

  constructor(kept: Readonly<Record<string, DeadLetter[]>>) {
    this.kept = kept;
  }

  async queues(stage: string): Promise<DeadLetterQueue[]> {
    return Object.entries(this.kept)
      .filter(([name]) => name.startsWith(`evenkeel-${stage}-`))
      .map(([name, letters]) => ({ name, count: letters.length }));
  }

  async peek({ name }: DeadLetterQueue): Promise<DeadLetter[]> {
    return (this.kept[name] ?? []).slice(0, 10);
  }

  async redrive({ name }: DeadLetterQueue, onSent: (sent: DeadLetter) => void): Promise<void> {
    this.redriven.push(name);
    for (const one of this.kept[name] ?? []) onSent(one);
  }
}

const KEPT = {
  'evenkeel-prod-t4-events-dead': [letter(EVENT, 'Unknown: cluster east is not configured here')],
  'evenkeel-prod-wakes-dead': [letter('{', undefined)],
};

async function run(letters: DeadLetters, options: Record<string, string | true>) {
  const terminal = new RecordedTerminal();
  const invocation = new Invocation([], new Map(Object.entries(options)));
  const code = await redriveStage(letters, invocation, terminal);
  return { code, ...terminal };
}

describe('evenkeel redrive', () => {
  it('R-5.4 sends each dead letter to its queue again, and says which', async () => {
    const letters = new KeptLetters(KEPT);
    const { outLines } = await run(letters, { stage: 'prod' });
    expect(outLines).toEqual([
      'evenkeel-prod-t4-events-dead  1970-01-01T00:00:00.000Z  updated widgets.example.dev shop/one of cluster east  Unknown: cluster east is not configured here: sent to its queue again',
      'evenkeel-prod-wakes-dead  1970-01-01T00:00:00.000Z  message m-1  received too often: sent to its queue again',
    ]);
    expect(letters.redriven).toEqual(Object.keys(KEPT));
  });

  it('R-1.10 leaves the dead letters of another stage alone, whose name begins with its own', async () => {
    const letters = new KeptLetters({ ...KEPT, 'evenkeel-prod-eu-t4-events-dead': [letter(EVENT)] });
    await run(letters, { stage: 'prod' });
    expect(letters.redriven).toEqual(Object.keys(KEPT));
  });

  it('R-5.4 with --dry-run it only shows them, and how many more there are', async () => {
    const letters = new KeptLetters({
      'evenkeel-prod-t4-resync-dead': Array.from({ length: 12 }, () => letter(EVENT)),
    });
    const { outLines, errLines } = await run(letters, { stage: 'prod', 'dry-run': true });
    expect(outLines).toHaveLength(11);
    expect(outLines.at(-1)).toBe('evenkeel-prod-t4-resync-dead  about 2 more');
    expect(errLines).toEqual(['12 would be sent again; run it without --dry-run to send them']);
    expect(letters.redriven).toEqual([]);
  });

  it('R-5.4 one queue alone may be named', async () => {
    const letters = new KeptLetters(KEPT);
    await run(letters, { stage: 'prod', queue: 'evenkeel-prod-wakes-dead' });
    expect(letters.redriven).toEqual(['evenkeel-prod-wakes-dead']);
    await expect(run(letters, { stage: 'prod', queue: 'other' })).rejects.toThrow(
      'stage prod has no queue other. It has: evenkeel-prod-t4-events-dead, evenkeel-prod-wakes-dead.',
    );
  });

  it('R-6.4 the message names a missing --stage, and a stage that is not deployed', async () => {
    const letters = new KeptLetters(KEPT);
    await expect(run(letters, {})).rejects.toThrow('name the deployment with --stage STAGE');
    await expect(run(letters, { stage: 'nope' })).rejects.toThrow('stage nope has no dead-letter queues');
    expect((await run(new KeptLetters({ 'evenkeel-prod-t4-resync-dead': [] }), { stage: 'prod' })).errLines).toEqual([
      'there are no dead letters',
    ]);
  });

  it('R-1.24 a body is shown only as far as it is an event', () => {
    for (const body of ['hunter2', '{"cluster": "hunter2"}', { ...EVENT, name: 'hunter2 secret' }, 'null']) {
      expect(letterLine(letter(body))).not.toContain('hunter2');
    }
    expect(letterLine(letter({ ...EVENT, namespace: '' }))).toContain(
      'updated widgets.example.dev one of cluster east',
    );
  });
});
