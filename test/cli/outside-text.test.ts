import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Invocation } from '../../cli/command.ts';
import { COMMANDS } from '../../cli/commands.ts';
import { printExplanation } from '../../cli/explain.ts';
import type { Inspection } from '../../cli/inspection/inspection.ts';
import { readInventory } from '../../cli/inspection/read-targets.ts';
import { letterLine } from '../../cli/letter-line.ts';
import { printList } from '../../cli/list.ts';
import { kubeconfigText } from '../../cli/local/kubeconfig-text.ts';
import { passPrinter } from '../../cli/local/pass-printer.ts';
import { runCommandLine } from '../../cli/run-command-line.ts';
import { ConfigMaps } from '../../lib/core/resource-type.ts';
import { StreamTerminal, type Terminal } from '../../lib/deployment/terminal/terminal.ts';
import { DeploymentConflictError } from '../../lib/engine/deployment-lease/deployment-error.ts';
import type { StateStore, TargetState } from '../../lib/ports/state-store.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { inspectedWorld } from './inspection/inspected-world.ts';

/** Clears the screen, reverses the direction of writing, and begins a line. */
const EVIL = 'x\u001b[2J\u009b\u202e\nevenkeel: fine';
const SHOWN = 'x\\u001b[2J\\u009b\\u202e\\nevenkeel: fine';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-outside-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function said(say: (terminal: Terminal) => unknown): Promise<string> {
  let text = '';
  const stream = { write: (written: string) => (text += written) };
  await say(new StreamTerminal(stream, stream, new ManualClock()));
  return text;
}

/** The inspection of a target into whose item somebody wrote this text. */
async function inspectionOf(change: (state: TargetState) => Partial<TargetState>): Promise<Inspection> {
  const { world, inspection, reconcile } = inspectedWorld();
  await reconcile('web');
  const found: TargetState[] = [];
  for await (const state of readInventory(world.store, 'test', ConfigMaps)) found.push({ ...state, ...change(state) });
  const { store } = world;
  const changed: Partial<StateStore> = {
    shards: store.shards,
    inventory: async (_cluster, _kind, shard) => ({ items: shard === 0 ? found : [] }),
    readCluster: async (cluster) => ({
      ...(await store.readCluster(cluster)),
      relay: { owner: EVIL, epoch: 1, untilMs: 1, renewals: 1 },
    }),
    readCheckpoint: async () => undefined,
    readPoll: async () => undefined,
  };
  return { ...inspection, store: changed as StateStore };
}

const report = {
  target: { cluster: 'east', kind: 'configmaps', namespace: 'default', name: 'web', uid: 'u' },
  cause: 'dependency',
  changed: `${EVIL} default/a`,
  end: 'committed',
  outcome: 'settled',
  reason: '',
  message: EVIL,
  condition: '',
  dueAtMs: undefined,
  failures: 0,
  attempts: 1,
  writes: 0,
  startedAtMs: 0,
  durationMs: 1,
  passId: 'p',
} as const;

const pass = (logFormat: 'text' | 'json') => (terminal: Terminal) =>
  passPrinter(terminal, inspectedWorld().world.registry, { logFormat, verbose: false })(report);
const invocation = (output: string) => new Invocation(['cm/default/web'], new Map([['output', output]]));
const item = async (print: typeof printList, output: string, terminal: Terminal) => {
  const lastOutcome = { type: 'retry', reason: EVIL, message: EVIL, atMs: 0, durationMs: 0, cause: EVIL } as const;
  const inspection = await inspectionOf(({ target }) => ({
    lastOutcome,
    target: { ...target, uid: EVIL },
    reconcilerVersion: EVIL,
    values: { [EVIL]: EVIL },
    dirty: [EVIL],
    lease: { owner: EVIL, attempt: 'a', untilMs: 1 },
  }));
  await print(inspection, invocation(output), terminal);
};
const command = (terminal: Terminal, ...args: string[]) => runCommandLine(args, terminal, COMMANDS, () => 'unforeseen');
const settings = async (key: string, terminal: Terminal) => {
  writeFileSync(join(folder, 'settings.yaml'), JSON.stringify({ [key]: 1 }));
  await command(terminal, 'start', '--settings', join(folder, 'settings.yaml'), '--state-dir', join(folder, 'state'));
};
const context = async (terminal: Terminal) => {
  const text = kubeconfigText({ url: 'http://127.0.0.1:1', token: 'tk' }).replaceAll(
    'name: evenkeel',
    `name: ${JSON.stringify(EVIL)}`,
  );
  writeFileSync(join(folder, 'kubeconfig'), text);
  const options = ['--kubeconfig', join(folder, 'kubeconfig'), '--context', 'none'];
  await command(terminal, 'start', ...options, '--state-dir', join(folder, 'state'));
};
const holder = (terminal: Terminal) => {
  const error = new DeploymentConflictError({ cluster: 'c', group: 'g' }, { holder: EVIL } as never);
  const load = async () => async () => {
    throw error;
  };
  const commands = COMMANDS.map((known) => ({ ...known, load }));
  return runCommandLine(['list'], terminal, commands, () => 'unforeseen');
};
const letter = (terminal: Terminal) =>
  terminal.out(letterLine({ body: EVIL, reason: EVIL, sentAtMs: 0, messageId: EVIL } as never));

it.each<[string, (terminal: Terminal) => unknown, number]>([
  ['what changed, in the line of a pass', pass('text'), 1],
  ['what changed, in the JSON of a pass', pass('json'), 1],
  ['an item, in a list', (terminal) => item(printList, 'text', terminal), 4],
  ['an item, in a list as JSON', (terminal) => item(printList, 'json', terminal), 0],
  ['an item, explained', (terminal) => item(printExplanation, 'text', terminal), 0],
  ['an item, explained as JSON', (terminal) => item(printExplanation, 'json', terminal), 0],
  ['the holder of a Lease', holder, 1],
  ['a key of the settings', (terminal) => settings(EVIL, terminal), 1],
  ['a name of a context', context, 1],
  ['a dead letter', letter, 1],
])('R-6.4 %s is shown, and nothing of it reaches the terminal to be obeyed', async (_what, say, lines) => {
  const text = await said(say);
  expect(text).toContain(SHOWN);
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(text).not.toMatch(/^evenkeel: fine/m);
  if (lines > 0) expect(text.trimEnd().split('\n')).toHaveLength(lines);
});
