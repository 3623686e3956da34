import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SeededEntropy } from '../../lib/testing/seeded-entropy.ts';
import { Contracts } from './support/contracts.ts';
import { EvenkeelFolder, type EvenkeelProcess } from './support/evenkeel-process.ts';

/** Resync and the targets' own deadlines are off, so that nothing hides a lost wakeup. Takeovers come soon. */
const SETTINGS = `
intervals: {sweep: 1s, resync: off, targetResync: off}
timings: {passLimit: 4s, lease: 6s, grace: 500ms, visibility: 12s, clockSkew: 200ms, mutationMargin: 500ms}
relay: {lease: 2s}
rateLimit: {burst: 1000}
`;
const PARTS = ['relay', 'worker', 'wake', 'sweep'] as const;
type PartName = (typeof PARTS)[number];

const NAMES = Array.from({ length: 10 }, (_, index) => `web-${index}`);
const EDITS_A_ROUND = 12;

/** An installation whose stack and parts are processes of their own. */
class Installation {
  private readonly folder: EvenkeelFolder;
  private readonly parts = new Map<PartName, EvenkeelProcess>();

  constructor(folder: EvenkeelFolder) {
    this.folder = folder;
  }

  async start(): Promise<void> {
    writeFileSync(join(this.folder.path, 'settings.yaml'), SETTINGS);
    await this.folder.start(['--parts', 'stack', '--empty', '--settings', 'settings.yaml']);
    await Promise.all(PARTS.map((name) => this.startPart(name)));
  }

  async startPart(name: PartName): Promise<void> {
    this.parts.set(name, await this.folder.start(['--parts', name]));
  }

  async killPart(name: PartName): Promise<void> {
    await this.parts.get(name)?.kill();
  }
}

/** What a user did last to the Secret and the contract of each name, and what the contract must say of it. */
class Expectations {
  private readonly secrets = new Map<string, Set<string>>();
  private readonly keys = new Map<string, string[]>();
  private readonly contracts: Contracts;
  private readonly entropy: SeededEntropy;

  constructor(contracts: Contracts, entropy: SeededEntropy) {
    this.contracts = contracts;
    this.entropy = entropy;
  }

  async create(name: string): Promise<void> {
    await this.contracts.createSecret(name, { one: 'x' });
    this.secrets.set(name, new Set(['one']));
    await this.contracts.createContract(name, ['one']);
    this.keys.set(name, ['one']);
  }

  /** One edit of one name: the Secret's keys, its deletion or recreation, or the contract's keys. */
  async edit(): Promise<void> {
    const name = this.pick(NAMES);
    const secret = this.secrets.get(name);
    if (secret === undefined) {
      await this.contracts.createSecret(name, { one: 'x' });
      this.secrets.set(name, new Set(['one']));
      return;
    }
    const choice = this.entropy.random();
    const key = this.pick(['one', 'two']);
    if (choice < 0.2) {
      await this.contracts.deleteSecret(name);
      this.secrets.delete(name);
    } else if (choice < 0.7) {
      if (secret.delete(key)) await this.contracts.patchSecret(name, undefined, [key]);
      else await this.contracts.patchSecret(name, { [key]: 'x' }).then(() => secret.add(key));
    } else {
      const keys = this.pick([['one'], ['two'], ['one', 'two']]);
      await this.contracts.patchContract(name, keys);
      this.keys.set(name, keys);
    }
  }

  async hold(): Promise<void> {
    await Promise.all(NAMES.map((name) => this.contracts.becomes(name, this.expected(name), 90_000)));
  }

  private expected(name: string): string {
    const secret = this.secrets.get(name);
    if (secret === undefined) return 'False SecretNotFound';
    return this.keys.get(name)?.every((key) => secret.has(key)) ? 'True AllSatisfied' : 'False KeyMissing';
  }

  private pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.entropy.random() * items.length)] as Item;
  }
}

describe('parts as processes that are killed', () => {
  it('R-5.5 R-1.8 R-1.10 the worker, the relay, the wake and the sweep are killed at any time, and every change still ends in the right status', {
    timeout: 300_000,
  }, async () => {
    await using folder = new EvenkeelFolder();
    const installation = new Installation(folder);
    await installation.start();
    await using contracts = await Contracts.connect(folder.kubeconfig);
    const expectations = new Expectations(contracts, new SeededEntropy(20_260_101));
    await Promise.all(NAMES.map((name) => expectations.create(name)));
    for (const name of ['worker', 'relay', 'sweep', 'worker', 'wake', 'relay', 'worker'] as const) {
      // Edits go on before, while and after the part dies; it is started again while they do.
      const edits = (async () => {
        for (let edit = 0; edit < EDITS_A_ROUND; edit++) await expectations.edit();
      })();
      await installation.killPart(name);
      await Promise.all([edits, installation.startPart(name)]);
    }
    await expectations.hold();
  });

  it('R-1.10 two workers and two relays reconcile everything, and each pair may be killed', {
    timeout: 300_000,
  }, async () => {
    await using folder = new EvenkeelFolder();
    const installation = new Installation(folder);
    await installation.start();
    const second = await folder.start(['--parts', 'relay,worker,wake,sweep']);
    await using contracts = await Contracts.connect(folder.kubeconfig);
    const expectations = new Expectations(contracts, new SeededEntropy(7));
    await Promise.all(NAMES.map((name) => expectations.create(name)));
    for (let edit = 0; edit < EDITS_A_ROUND; edit++) await expectations.edit();
    await Promise.all(PARTS.map((name) => installation.killPart(name)));
    for (let edit = 0; edit < EDITS_A_ROUND; edit++) await expectations.edit();
    await expectations.hold();
    expect(second.isRunning).toBe(true);
  });
});
