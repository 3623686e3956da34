import { SecretContracts } from '../../../lib/controllers/secret-contract/kinds.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { kindId, Secrets } from '../../../lib/core/resource-type.ts';
import type { Contracts } from './contracts.ts';

/** Called for each edit, with the kind, the object in the response, and the contract that must get an event. */
export type OnEdit = (kind: string, object: KubeObject, contract: KubeObject) => Promise<void>;

interface Pair {
  contract: KubeObject;
  keys: string[];
  /** The Secret's keys; undefined when there is no Secret. */
  secret: Set<string> | undefined;
}

/** Contracts with a Secret each, the last edit of each, and the status that each contract must have. */
export class Edits {
  readonly contracts: Contracts;
  private pairs = new Map<string, Pair>();
  private readonly onEdit: OnEdit;

  constructor(contracts: Contracts, onEdit: OnEdit = async () => {}) {
    this.contracts = contracts;
    this.onEdit = onEdit;
  }

  /** Saves the edits so far. @returns a function that restores them, for when the cluster is restored. */
  remember(): () => void {
    const copy = () =>
      new Map([...this.pairs].map(([name, pair]) => [name, { ...pair, secret: pair.secret && new Set(pair.secret) }]));
    const then = copy();
    return () => {
      this.pairs = then;
    };
  }

  get names(): string[] {
    return [...this.pairs.keys()];
  }

  async create(name: string): Promise<void> {
    await this.contracts.createSecret(name, { one: 'x' });
    const contract = await this.contracts.createContract(name, ['one']);
    this.pairs.set(name, { contract, keys: ['one'], secret: new Set(['one']) });
  }

  /** Removes the key `one` from the Secret, or adds it again. */
  async toggleSecret(name: string): Promise<void> {
    const pair = this.pair(name);
    const { secret } = pair;
    if (secret === undefined) throw new Error(`there is no Secret ${name}`);
    const edited = secret.delete('one')
      ? await this.contracts.patchSecret(name, undefined, ['one'])
      : await this.contracts.patchSecret(name, { one: 'x' });
    if (edited.data !== undefined && 'one' in (edited.data as object)) secret.add('one');
    await this.onEdit(kindId(Secrets), edited, pair.contract);
  }

  /** Adds the key `two` to the contract, or removes it. */
  async toggleContract(name: string): Promise<void> {
    const pair = this.pair(name);
    pair.keys = pair.keys.length === 1 ? ['one', 'two'] : ['one'];
    const edited = await this.contracts.patchContract(name, pair.keys);
    await this.onEdit(kindId(SecretContracts), edited, pair.contract);
  }

  async deleteSecret(name: string): Promise<void> {
    this.pair(name).secret = undefined;
    await this.contracts.deleteSecret(name);
  }

  async createSecret(name: string): Promise<void> {
    const pair = this.pair(name);
    pair.secret = new Set(['one']);
    await this.onEdit(kindId(Secrets), await this.contracts.createSecret(name, { one: 'x' }), pair.contract);
  }

  /** Another contract under the same name. */
  async recreateContract(name: string): Promise<void> {
    const pair = this.pair(name);
    await this.contracts.deleteContract(name);
    pair.contract = await this.contracts.createContract(name, pair.keys);
    await this.onEdit(kindId(SecretContracts), pair.contract, pair.contract);
  }

  /** One of each: contract and Secret edited, a Secret deleted, and one recreated with its contract. */
  async round(): Promise<void> {
    const [one = '', two = '', three = '', four = ''] = this.names;
    await this.toggleSecret(one);
    await this.toggleContract(two);
    const { secret } = this.pair(three);
    await (secret === undefined ? this.createSecret(three) : this.deleteSecret(three));
    await this.recreateContract(four);
  }

  /** Waits until every contract has the status that it must have. */
  async right(names: readonly string[] = this.names): Promise<void> {
    await Promise.all(names.map((name) => this.contracts.becomes(name, this.expected(name))));
  }

  private expected(name: string): string {
    const { keys, secret } = this.pair(name);
    if (secret === undefined) return 'False SecretNotFound';
    return keys.every((key) => secret.has(key)) ? 'True AllSatisfied' : 'False KeyMissing';
  }

  private pair(name: string): Pair {
    const pair = this.pairs.get(name);
    if (pair === undefined) throw new Error(`there is no contract ${name} here`);
    return pair;
  }
}
