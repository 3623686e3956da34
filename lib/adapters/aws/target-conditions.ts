import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { isTarget } from '../../core/cover.ts';
import type { Target } from '../../core/target.ts';
import type { Cover } from '../../ports/state-store.ts';
import { number } from './attribute-values.ts';
import { EXPIRES_AT } from './dynamodb-table.ts';
import { versionName } from './target-item.ts';

/*
 * What protects a target's item. Who may write it, and when:
 *
 *   acquire                   pass ends                leaseUntil
 *      |-------- pass ------------|·······················|························> time
 *      |<--------- LEASE_HELD: owner and epoch ------------------- until someone else acquires -->
 *                                                         |<- LEASE_ENDED: anyone may acquire ---->
 *
 * A leaseUntil that lies further ahead than any lease can, by the acquirer's clock, comes from a wrong clock: LEASE_ENDED
 * holds for it too, for a request that read it and names its epoch: to a request that was under way for long, every lease
 * lies in the future.
 *
 * The holder's writes stay valid past leaseUntil as long as nobody took over, which raises the epoch: the epoch
 * fences, the time only says when a takeover may begin. A commit removes the lease, so LEASE_ENDED holds at once.
 */

/**
 * Keeps two passes of a target apart: nobody holds the lease, or it ended by the acquirer's clock, or it ends later than
 * any lease that a right clock took.
 */
export const LEASE_ENDED =
  '(attribute_not_exists(leaseUntil) OR leaseUntil < :now OR ' +
  '(leaseUntil > :latestUntil AND epoch = :expiredEpoch))';

/** Refuses the write of a pass that lost its lease: the owner, and the epoch of exactly its acquisition, still hold. */
export const LEASE_HELD = 'leaseOwner = :owner AND epoch = :epoch';

/** Keeps a wakeup that came during the pass from being committed over. */
export const NOT_DIRTY = 'attribute_not_exists(dirty)';

/** As NOT_DIRTY, but for marks that the pass has read back and found covered. */
export const DIRTY_AS_SEEN = '(attribute_not_exists(dirty) OR dirty = :dirtySeen)';

/** Keeps the sweep from pushing out a deadline other than the one it sent, of the same millisecond even. */
export const DUE_UNMOVED = 'dueAt = :fromDueAt AND epoch = :epoch';

/** Keeps an older release from writing an item whose format it cannot read. */
export const FORMAT_KNOWN = '(attribute_not_exists(#format) OR #format <= :format)';

/**
 * Keeps a request that set out before the target was forgotten, and comes late, from making the item again: a lease that is
 * over already, which nothing would ever clear away.
 */
export const NOT_FORGOTTEN = `(attribute_not_exists(${EXPIRES_AT}) OR attribute_exists(objectName))`;

/** As NOT_FORGOTTEN, but lets in a request that names the epoch with which the target was forgotten. */
export const FORGOTTEN_AS_READ = `(${NOT_FORGOTTEN} OR epoch = :forgottenEpoch)`;

/** Saves a pass: the target itself was observed at this version already. */
const SELF_UNSEEN = 'NOT (incarnation = :incarnation AND observedVersion >= :version)';

/** Saves a pass: the last pass read this object at this version already. */
const OBJECT_UNSEEN = 'NOT (incarnation = :incarnation AND versions.#object >= :version)';

/**
 * Saves a pass, where the object is the target itself, which is in a list that it reads: as OBJECT_UNSEEN, or the target
 * was observed at this version already. The item must record the address that the event names.
 */
const TARGET_UNSEEN_AS_OBJECT =
  'NOT (incarnation = :incarnation AND (versions.#object >= :version OR ' +
  '(objectName = :objectName AND observedVersion >= :version)))';

/**
 * Saves a pass: one that began after the deadline was sent has committed, or has forgotten the target, and the deadline with
 * it. A new item's committedEpoch lies below the epoch of every deadline of its own.
 */
const DEADLINE_UNSEEN = 'NOT (committedEpoch > :coverEpoch)';

export interface CoverCondition {
  readonly condition: string;
  readonly values: Record<string, AttributeValue>;
  readonly names?: Record<string, string>;
}

/** The clause under which an event of the target is not covered. It may use `:objectName`, the event's address of the target. */
export function notCovered(cover: Cover, target: Target): CoverCondition {
  switch (cover.type) {
    case 'self':
      return {
        condition: SELF_UNSEEN,
        values: { ':incarnation': number(cover.incarnation), ':version': number(cover.version) },
      };
    case 'object':
      return {
        condition: isTarget(cover.object, target) ? TARGET_UNSEEN_AS_OBJECT : OBJECT_UNSEEN,
        values: { ':incarnation': number(cover.incarnation), ':version': number(cover.version) },
        names: { '#object': versionName(cover.object) },
      };
    case 'due':
      return { condition: DEADLINE_UNSEEN, values: { ':coverEpoch': number(cover.epoch) } };
  }
}
