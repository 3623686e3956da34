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
 * One series for each object, kept by the process that reconciles it. It goes when the object goes, which is why
 * it can live in a metrics endpoint of a process and never in CloudWatch, where a metric cannot be deleted.
 */
export interface ObjectSeries {
  /** Sets the object's series to its Ready condition's status. */
  set(object: SeriesObject, ready: ConditionStatus): void;
  /** Removes the object's series; absent is fine. */
  remove(object: SeriesObject): void;
}
