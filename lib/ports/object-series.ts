import type { ConditionStatus } from '../core/conditions.ts';
import type { KindId } from '../core/resource-type.ts';

/** The object that a series is about. */
export interface SeriesObject {
  readonly cluster: string;
  readonly kind: KindId;
  readonly namespace: string;
  readonly name: string;
}

/**
 * One series for each object, in the process that reconciles it. It is removed with the object. CloudWatch cannot
 * delete a metric, so the series is only in the metrics endpoint of a process.
 */
export interface ObjectSeries {
  /** Sets the object's series to its Ready condition's status. */
  set(object: SeriesObject, ready: ConditionStatus): void;
  /** Removes the object's series; an absent series is not an error. */
  remove(object: SeriesObject): void;
}
