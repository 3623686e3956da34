import type { Controller } from './controller.ts';
import { sha256Hex } from './hash.ts';
import { type LabelSelector, parseLabelSelector } from './label-selector.ts';
import type { PlannedWrites } from './planned-writes.ts';
import type { Target } from './target.ts';

/** A part of the objects that take a new version first. An object belongs to it if everything that is given applies. */
export interface RolloutStage {
  /** Above 0, up to 100; by a hash of the version and the UID. */
  readonly percent?: number;
  /** A Kubernetes label selector. */
  readonly labelSelector?: string;
  /** Names of clusters. */
  readonly clusters?: readonly string[];
}

/** A new version of a controller, next to the one that runs. It reconciles only a share of the objects. */
export interface Rollout {
  /** Of the same kind, name and group as the controller that it replaces, with another version. */
  readonly next: Controller;
  readonly share: RolloutShare;
  /** What the version may write when it takes over an object; absent: anything. */
  readonly planned?: PlannedWrites;
}

/** Why a new version no longer reconciles any object. */
export interface RolloutHalt {
  /** Another version is not halted by it. */
  readonly version: string;
  /** `OutsidePlan` or `Failed`; a later release may have more. */
  readonly reason: string;
  /** Names the object, and the field if there is one. Free of values. */
  readonly message: string;
  /** Epoch ms. */
  readonly atMs: number;
}

const HASH_DIGITS = 8;
const HASHES = 16 ** HASH_DIGITS;

interface Stage extends RolloutStage {
  readonly selector: LabelSelector | undefined;
}

/** The stages of a rollout that are active: an object of any of them belongs to the share. */
export class RolloutShare {
  readonly #version: string;
  readonly #stages: readonly Stage[];

  /** @throws EvenkeelError INVALID_SELECTOR */
  constructor(version: string, active: readonly RolloutStage[]) {
    this.#version = version;
    this.#stages = active.map((stage) => ({
      ...stage,
      selector: stage.labelSelector === undefined ? undefined : parseLabelSelector(stage.labelSelector),
    }));
  }

  /** Whether the labels of an object decide. */
  get needsLabels(): boolean {
    return this.#stages.some(({ selector }) => selector !== undefined);
  }

  includes({ cluster, uid }: Pick<Target, 'cluster' | 'uid'>, labels: Readonly<Record<string, string>> = {}): boolean {
    return this.#stages.some(
      ({ percent, selector, clusters }) =>
        (percent === undefined || this.#position(uid) * 100 < percent) &&
        (clusters?.includes(cluster) ?? true) &&
        (selector?.matches(labels) ?? true),
    );
  }

  /** In [0, 1). With the version in the hash, other objects come first in each rollout. */
  #position(uid: string): number {
    return Number.parseInt(sha256Hex(`${this.#version} ${uid}`).slice(0, HASH_DIGITS), 16) / HASHES;
  }
}
