import { type ConditionOwners, changedConditionTypes, conditionTypes } from '../../core/condition-owners.ts';
import type { Controller } from '../../core/controller.ts';
import type { JsonObject } from '../../core/kube-object.ts';

/** The conditions of a target that its controller owns. One attempt reads and changes this record. */
export class ConditionRecord {
  readonly #declared: readonly string[] | undefined;
  #owners: ConditionOwners;

  /** @param recorded the record of the last commit. */
  constructor(controller: Controller, recorded: ConditionOwners | undefined) {
    this.#declared = controller.conditions;
    this.#owners = recorded ?? {};
  }

  /** Every type that a pass of this controller may remove. */
  get owned(): ReadonlySet<string> {
    return new Set([...(this.#declared ?? []), ...Object.keys(this.#owners)]);
  }

  /** The types that the engine wrote last. */
  get madeByEngine(): readonly string[] {
    return Object.keys(this.#owners).filter((type) => this.#owners[type] === 'engine');
  }

  /** A status was published in the middle of a pass: the conditions that it changed belong to the controller. */
  wrote(before: unknown, published: JsonObject): void {
    const changed = changedConditionTypes(before, published).map((type) => [type, 'controller'] as const);
    this.#owners = { ...this.#owners, ...Object.fromEntries(changed) };
  }

  /**
   * The pass ends with this status of the controller.
   * @param byEngine the types in it that the engine computed.
   */
  endsWith(status: JsonObject, byEngine: readonly string[]): void {
    const owners = conditionTypes(status).map(
      (type) => [type, byEngine.includes(type) ? 'engine' : 'controller'] as const,
    );
    this.#owners = Object.fromEntries(owners);
  }

  /** The pass ends with the present status, except for these conditions of the engine. */
  endsAsFound(byEngine: readonly string[]): void {
    const kept = Object.entries(this.#owners).filter(([, owner]) => owner === 'controller');
    this.#owners = Object.fromEntries([...kept, ...byEngine.map((type) => [type, 'engine'] as const)]);
  }

  /** The record for the commit. Declared types need no record. */
  get record(): ConditionOwners | undefined {
    const declared = this.#declared;
    const kept = Object.entries(this.#owners).filter(
      ([type, owner]) => owner === 'engine' || declared === undefined || !declared.includes(type),
    );
    return kept.length === 0 ? undefined : Object.fromEntries(kept);
  }
}
