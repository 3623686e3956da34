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
 * A wrong clock may have written a leaseUntil that is further ahead than the length of a lease. Such a lease counts as
 * expired too, but only for a request that read it and names its epoch. The reason: a request that was delayed
 * for long carries an old time, and by that time every lease is far ahead.
 *
 * The holder may write after leaseUntil until somebody else acquires, which raises the epoch. So the epoch alone decides
 * which writes are accepted, and leaseUntil decides only when another worker may acquire. A commit removes the lease, so
 * LEASE_ENDED is true at once.
 */

/**
 * Prevents two passes of a target at once. True when there is no lease, when the lease has ended by the acquirer's clock, or
 * when it ends later than a lease can that was taken by a right clock.
 */
export const LEASE_ENDED =
  '(attribute_not_exists(leaseUntil) OR leaseUntil < :now OR ' +
  '(leaseUntil > :latestUntil AND epoch = :expiredEpoch))';

/** Refuses the write of a pass that lost its lease: owner and epoch must be those of its own acquire. */
export const LEASE_HELD = 'leaseOwner = :owner AND epoch = :epoch';

/** Prevents a commit over an event that arrived during the pass. */
export const NOT_DIRTY = 'attribute_not_exists(dirty)';

/** As NOT_DIRTY, but accepts the marks that the pass has read back and that its reads cover. */
export const DIRTY_AS_SEEN = '(attribute_not_exists(dirty) OR dirty = :dirtySeen)';

/** Prevents the sweep from moving another timer than the one it sent, even one that is due in the same millisecond. */
export const DUE_UNMOVED = 'dueAt = :fromDueAt AND epoch = :epoch';

/** Prevents an older release from writing an item whose format it cannot read. */
export const FORMAT_KNOWN = '(attribute_not_exists(#format) OR #format <= :format)';

/**
 * Prevents a late request, sent before the target was forgotten, from creating the item again. Its lease would have expired
 * already, and nothing would ever remove the item.
 */
export const NOT_FORGOTTEN = `(attribute_not_exists(${EXPIRES_AT}) OR attribute_exists(objectName))`;

/** As NOT_FORGOTTEN, but accepts a request that names the epoch with which the target was forgotten. */
export const FORGOTTEN_AS_READ = `(${NOT_FORGOTTEN} OR epoch = :forgottenEpoch)`;

/** Saves a pass: the last pass saw the target itself at this version already. */
const SELF_UNSEEN = 'NOT (incarnation = :incarnation AND observedVersion >= :version)';

/** Saves a pass: the last pass read this object at this version already. */
const OBJECT_UNSEEN = 'NOT (incarnation = :incarnation AND versions.#object >= :version)';

/**
 * Saves a pass when the object is the target itself, which is in a list that its own pass reads: as OBJECT_UNSEEN, or the
 * last pass saw the target at this version already. The item must record the address that the event names.
 */
const TARGET_UNSEEN_AS_OBJECT =
  'NOT (incarnation = :incarnation AND (versions.#object >= :version OR ' +
  '(objectName = :objectName AND observedVersion >= :version)))';

/**
 * Saves a pass: a pass that began after the timer's event was sent has committed, or has forgotten the target together
 * with the timer. In a new item committedEpoch is lower than the epoch of each of its own timers.
 */
const DEADLINE_UNSEEN = 'NOT (committedEpoch > :coverEpoch)';

export interface CoverCondition {
  readonly condition: string;
  readonly values: Record<string, AttributeValue>;
  readonly names?: Record<string, string>;
}

/**
 * The clause under which an event of the target is not covered. It may use `:objectName`, the event's address of the
 * target.
 */
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
