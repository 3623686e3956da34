import { SecretContracts } from '../../../lib/controllers/secret-contract/kinds.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { kindId, Secrets } from '../../../lib/core/resource-type.ts';
import type { Contracts } from './contracts.ts';

/** Told of each edit: the kind and the object as it was answered, and the contract that has to hear of it. */
export type OnEdit = (kind: string, object: KubeObject, contract: KubeObject) => Promise<void>;

interface Pair {
  contract: KubeObject;
  keys: string[];
  /** The Secret's keys; undefined while there is none. */
  secret: Set<string> | undefined;
}

/** Contracts with a Secret each, what users did to them last, and what each contract must say of it. */
export class Edits {
  readonly contracts: Contracts;
  private pairs = new Map<string, Pair>();
  private readonly onEdit: OnEdit;

  constructor(contracts: Contracts, onEdit: OnEdit = async () => {}) {
    this.contracts = contracts;
    this.onEdit = onEdit;
  }

  /** What was done up to now. @returns goes back to it, when the cluster does. */
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

  /** Takes the key `one` out of the Secret, or puts it back. */
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

  /** Asks for the key `two` as well, or no longer. */
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

  /** Waits until every contract says what it must. */
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
