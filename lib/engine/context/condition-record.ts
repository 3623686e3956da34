import { type ConditionOwners, changedConditionTypes, conditionTypes } from '../../core/condition-owners.ts';
import type { Controller } from '../../core/controller.ts';
import type { JsonObject } from '../../core/kube-object.ts';

/** Which conditions of its target a controller owns, as one attempt knows and changes it. */
export class ConditionRecord {
  readonly #declared: readonly string[] | undefined;
  #owners: ConditionOwners;

  /** @param recorded what the last commit recorded. */
  constructor(controller: Controller, recorded: ConditionOwners | undefined) {
    this.#declared = controller.conditions;
    this.#owners = recorded ?? {};
  }

  /** Every type that a pass of this controller may remove. */
  get owned(): ReadonlySet<string> {
    return new Set([...(this.#declared ?? []), ...Object.keys(this.#owners)]);
  }

  /** The types that the engine put there last. */
  get madeByEngine(): readonly string[] {
    return Object.keys(this.#owners).filter((type) => this.#owners[type] === 'engine');
  }

  /** A status was published in the middle of a pass: what it changed is the controller's. */
  wrote(before: unknown, published: JsonObject): void {
    const changed = changedConditionTypes(before, published).map((type) => [type, 'controller'] as const);
    this.#owners = { ...this.#owners, ...Object.fromEntries(changed) };
  }

  /**
   * The pass ends with this status of the controller's.
   * @param byEngine the types in it that the engine computed.
   */
  endsWith(status: JsonObject, byEngine: readonly string[]): void {
    const owners = conditionTypes(status).map(
      (type) => [type, byEngine.includes(type) ? 'engine' : 'controller'] as const,
    );
    this.#owners = Object.fromEntries(owners);
  }

  /** The pass ends with the status as it was found, but for these conditions of the engine's. */
  endsAsFound(byEngine: readonly string[]): void {
    const kept = Object.entries(this.#owners).filter(([, owner]) => owner === 'controller');
    this.#owners = Object.fromEntries([...kept, ...byEngine.map((type) => [type, 'engine'] as const)]);
  }

  /** What the commit records. Declared types need no record. */
  get record(): ConditionOwners | undefined {
    const declared = this.#declared;
    const kept = Object.entries(this.#owners).filter(
      ([type, owner]) => owner === 'engine' || declared === undefined || !declared.includes(type),
    );
    return kept.length === 0 ? undefined : Object.fromEntries(kept);
  }
}
