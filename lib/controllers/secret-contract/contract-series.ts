import type { ConditionStatus } from '../../core/conditions.ts';
import type { KubeObject } from '../../core/kube-object.ts';
import { kindId } from '../../core/resource-type.ts';
import type { ObjectSeries, SeriesObject } from '../../ports/object-series.ts';
import { SecretContracts } from './kinds.ts';

/**
 * The metric series of the contracts that this process reconciled. A series has the namespace and name of a contract. A
 * contract that is deleted must not remove the series of another one that was created under the same name.
 */
export class ContractSeries {
  readonly #series: ObjectSeries;
  readonly #uids = new Map<string, string>();

  constructor(series: ObjectSeries) {
    this.#series = series;
  }

  set(cluster: string, { metadata }: KubeObject, ready: ConditionStatus): void {
    const { namespace = '', name, uid } = metadata;
    const object: SeriesObject = { cluster, kind: kindId(SecretContracts), namespace, name };
    this.#uids.set(keyOf(object), uid);
    this.#series.set(object, ready);
  }

  remove({ uid, ...object }: SeriesObject & { readonly uid: string }): void {
    const { cluster, kind, namespace, name } = object;
    if (this.#uids.get(keyOf(object)) !== uid) return;
    this.#uids.delete(keyOf(object));
    this.#series.remove({ cluster, kind, namespace, name });
  }
}

function keyOf({ cluster, namespace, name }: SeriesObject): string {
  return `${cluster}/${namespace}/${name}`;
}
