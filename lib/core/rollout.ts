import type { Controller } from './controller.ts';
import { sha256Hex } from './hash.ts';
import { type LabelSelector, parseLabelSelector } from './label-selector.ts';
import type { PlannedWrites } from './planned-writes.ts';
import type { Target } from './target.ts';

/** A part of the objects that gets a new version first. An object belongs to it if it fulfils every given field. */
export interface RolloutStage {
  /** More than 0, at most 100. The selection uses a hash of the version and the UID. */
  readonly percent?: number;
  /** A Kubernetes label selector. */
  readonly labelSelector?: string;
  /** Names of clusters. */
  readonly clusters?: readonly string[];
}

/** A new version of a controller, next to the present one. It reconciles only a share of the objects. */
export interface Rollout {
  /** The same kind, name and group as the controller that it replaces, with another version. */
  readonly next: Controller;
  readonly share: RolloutShare;
  /** What the version may write when it takes over an object; absent: anything. */
  readonly planned?: PlannedWrites;
}

/** Why a new version does not reconcile any object any more. */
export interface RolloutHalt {
  /** The halted version. Other versions are not halted. */
  readonly version: string;
  /** `OutsidePlan` or `Failed`; a later release may have more. */
  readonly reason: string;
  /** Names the object, and the field if there is one. Without values. */
  readonly message: string;
  /** Epoch ms. */
  readonly atMs: number;
}

const HASH_DIGITS = 8;
const HASHES = 16 ** HASH_DIGITS;

interface Stage extends RolloutStage {
  readonly selector: LabelSelector | undefined;
}

/** The active stages of a rollout: an object of any of them belongs to the share. */
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

  /** In [0, 1). The version is a part of the hash, so each rollout starts with other objects. */
  #position(uid: string): number {
    return Number.parseInt(sha256Hex(`${this.#version} ${uid}`).slice(0, HASH_DIGITS), 16) / HASHES;
  }
}
