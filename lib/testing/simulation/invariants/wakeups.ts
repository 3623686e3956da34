import type { Controller } from '../../../core/controller.ts';
import { MANAGED_BY_LABEL, MANAGED_BY_VALUE } from '../../../core/installation.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { kindId, type ResourceType } from '../../../core/resource-type.ts';
import type { CommitRecord, Edge, TargetState } from '../../../ports/state-store.ts';
import type { ClusterMirror } from '../cluster-mirror.ts';
import type { ObservedCall } from '../process.ts';
import type { Invariant } from './invariant.ts';
import { type Attempt, describeTarget, keyOf, type TargetRecord, targetKey } from './pass-record.ts';
import type { Report } from './violation.ts';

/** The present content of the table. */
export interface TableView {
  contents(): { readonly targets: readonly TargetState[]; readonly edges: readonly Edge[] };
}

/** Kinds that the engine writes next to a pass and never reads. */
const UNREAD_KINDS = new Set(['events.events.k8s.io']);

/**
 * I2: after any change to a target, or to anything that its last pass read or listed, a pass starts that reads after
 * the change. At rest this is checked by comparing what each target's last pass read with the cluster. During the run
 * two conditions for it are checked: a reader has an edge before it reads, and every edge that an item names exists.
 */
export class Wakeups implements Invariant {
  readonly #report: Report;
  readonly #cluster: ClusterMirror;
  readonly #table: TableView;
  /** The epoch of each existing edge. */
  readonly #epochs = new Map<string, number>();

  constructor(report: Report, cluster: ClusterMirror, table: TableView) {
    this.#report = report;
    this.#cluster = cluster;
    this.#table = table;
  }

  calling({ method, args }: ObservedCall, { pass }: Attempt): void {
    if (method !== 'get' && method !== 'list') return;
    const kind = kindId(args[0] as ResourceType);
    if (UNREAD_KINDS.has(kind)) return;
    const { namespace = '', name } = (args[1] ?? {}) as { namespace?: string; name?: string };
    if (method === 'get' && kind === pass.target.kind && name === pass.target.name) return;
    const enough = [
      `${kind}/${namespace}/*`,
      `${kind}//*`,
      ...(method === 'get' ? [`${kind}/${namespace}/${name}`] : []),
    ];
    const { edges, targets } = this.#table.contents();
    // When a pass was paused until its lease expired and its target was forgotten, its reads have no effect.
    const item = targets.find(({ target }) => target.uid === pass.target.uid && target.kind === pass.target.kind);
    if (item?.epoch !== pass.epoch) return;
    if (edges.some(({ key, reader }) => reader.uid === pass.target.uid && enough.includes(key))) return;
    const what = method === 'get' ? `${kind} ${namespace}/${name}` : `the ${kind} of '${namespace}'`;
    this.#report('I2', `${describeTarget(pass.target)} reads ${what} without an edge that says so`);
  }

  committed({ pass }: Attempt, _record: TargetRecord, { edges }: CommitRecord): void {
    const there = new Set(
      this.#table
        .contents()
        .edges.filter(({ reader }) => reader.uid === pass.target.uid)
        .map(({ key }) => key),
    );
    for (const key of edges) {
      if (!there.has(key))
        this.#report('I2', `${describeTarget(pass.target)} committed the edge ${key}, which is not there`);
    }
  }

  /** A pass with a higher epoch reads later, so a pass with a lower one must neither overwrite nor delete its edge. */
  edgePut({ key, reader, epoch }: Edge): void {
    const id = `${reader.uid} ${key}`;
    const before = this.#epochs.get(id) ?? epoch;
    if (before > epoch)
      this.#report('I2', `the edge ${key} of ${describeTarget(reader)} goes back from epoch ${before} to ${epoch}`);
    this.#epochs.set(id, epoch);
  }

  edgeDeleted({ key, reader, epoch }: Edge): void {
    const { targets, edges } = this.#table.contents();
    if (edges.some((edge) => edge.key === key && edge.reader.uid === reader.uid)) return;
    const id = `${reader.uid} ${key}`;
    const before = this.#epochs.get(id) ?? epoch;
    if (before > epoch)
      this.#report('I2', `the edge ${key} of ${describeTarget(reader)}, of epoch ${before}, is deleted by ${epoch}`);
    this.#epochs.delete(id);
    const inUse = targets.some(({ target, edges: used }) => target.uid === reader.uid && used.includes(key));
    if (inUse) this.#report('I2', `the edge ${key} of ${describeTarget(reader)} was deleted while its item names it`);
  }

  /**
   * The changes that no pass of these controllers has followed yet. Empty once the wakeups have done their work.
   * @param except UIDs of targets that never come to rest.
   */
  unfollowed(
    controllers: readonly Pick<Controller, 'type' | 'onlyManaged'>[],
    records: ReadonlyMap<string, TargetRecord>,
    except: ReadonlySet<string> = new Set(),
  ): string[] {
    const missing: string[] = [];
    for (const { type, onlyManaged = false } of controllers) {
      const kind = kindId(type);
      for (const object of this.#cluster.list(kind)) {
        const isTarget = !onlyManaged || object.metadata.labels?.[MANAGED_BY_LABEL] === MANAGED_BY_VALUE;
        if (!isTarget || except.has(object.metadata.uid)) continue;
        const attempt = records.get(targetKey({ kind, uid: object.metadata.uid }))?.lastCommit?.attempt;
        const about = `${kind} ${object.metadata.namespace ?? ''}/${object.metadata.name}`;
        if (attempt === undefined) missing.push(`${about}: no pass was ever committed`);
        else if (!attempt.known.has(keyOf(kind, nameOf(object))))
          missing.push(`${about}: its last pass could not read it`);
        else missing.push(...this.#unread(attempt).map((what) => `${about}: ${what}`));
      }
    }
    return missing;
  }

  #unread({ known, listings }: Attempt): string[] {
    const missing: string[] = [];
    for (const [key, { version }] of known) {
      const [kind = '', namespace = '', name = ''] = key.split('/');
      if (UNREAD_KINDS.has(kind)) continue;
      const is = this.#cluster.find(kind, { namespace, name })?.metadata.resourceVersion;
      if (is !== version)
        missing.push(`its last pass read ${key} at ${version ?? 'absence'}, and it is at ${is ?? 'absence'}`);
    }
    for (const { kind, namespace, selective } of listings) {
      if (selective) continue;
      const unlisted = this.#cluster.list(kind, namespace).filter((object) => !known.has(keyOf(kind, nameOf(object))));
      missing.push(...unlisted.map(({ metadata }) => `its last pass listed ${kind} without ${metadata.name}`));
    }
    return missing;
  }
}

function nameOf({ metadata }: KubeObject): { namespace: string; name: string } {
  return { namespace: metadata.namespace ?? '', name: metadata.name };
}
