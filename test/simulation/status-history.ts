import { readConditions } from '../../lib/core/conditions.ts';
import type { Controller, ReconcileResult } from '../../lib/core/controller.ts';
import { TerminalError } from '../../lib/core/errors.ts';
import { jsonEqual } from '../../lib/core/json-merge.ts';
import type { KubeObject } from '../../lib/core/kube-object.ts';
import { type KindId, kindId, type ResourceType } from '../../lib/core/resource-type.ts';
import type { ClusterView } from '../../lib/testing/simulation/workload.ts';
import { type KStatus, kstatus } from '../support/kstatus.ts';

/** How the last pass of an object ended, by the controller's own word. */
interface PassEnd {
  readonly generation: number | undefined;
  readonly outcome: ReconcileResult['outcome']['type'];
  readonly progressing: boolean | undefined;
}

/**
 * Holds every status of a history to what kstatus makes of it. It shares nothing with the engine: it knows the objects
 * as they are stored, and what the controllers returned.
 */
export class StatusHistory {
  readonly faults: string[] = [];
  /** What was seen, as `Gateway Failed`. */
  readonly shown = new Set<string>();
  /** The kinds whose controllers have the engine show progress, with their main conditions. */
  readonly #kinds = new Map<KindId, { readonly type: ResourceType; readonly main: string }>();
  /** The status that an object was created with, by UID, until a pass changes it. */
  readonly #unseen = new Map<string, unknown>();
  readonly #ends = new Map<string, PassEnd>();

  /** The controller as it is, whose results are noted. */
  watch(controller: Controller): Controller {
    const { conditions = [], type } = controller;
    if (!['Reconciling', 'Stalled'].every((each) => conditions.includes(each))) return controller;
    this.#kinds.set(kindId(type), { type, main: conditions.includes('Ready') ? 'Ready' : 'Available' });
    return {
      ...controller,
      reconcile: async (object, context) => {
        try {
          const result = await controller.reconcile(object, context);
          this.#ended(object, result.outcome.type, result.progressing);
          return result;
        } catch (error) {
          this.#ended(object, error instanceof TerminalError ? 'terminal' : 'retry');
          throw error;
        }
      },
    };
  }

  /** The API server stored an object. */
  stored(kind: KindId, before: KubeObject | undefined, object: KubeObject): void {
    const { main } = this.#kinds.get(kind) ?? {};
    if (main === undefined) return;
    const { uid, deletionTimestamp } = object.metadata;
    if (before?.metadata.uid !== uid) this.#unseen.set(uid, object.status);
    else if (!jsonEqual(before.status, object.status)) this.#unseen.delete(uid);
    const shown = kstatus(object);
    this.shown.add(`${object.kind} ${shown}`);
    if (isTrue(object, 'Reconciling') && isTrue(object, 'Stalled'))
      this.#fault(object, 'shows Reconciling and Stalled');
    if (deletionTimestamp !== undefined) this.#expect(object, shown, 'Terminating');
    else if (this.#unseen.has(uid)) this.#expect(object, shown, 'InProgress', 'before its first pass');
    else if ((object.status as Observed | undefined)?.observedGeneration !== object.metadata.generation)
      this.#expect(object, shown, 'InProgress', 'before a pass of its generation');
    else if ((shown === 'Current') !== isTrue(object, main))
      this.#fault(object, `is ${shown} while ${main} is ${isTrue(object, main) ? '' : 'not '}True`);
  }

  /**
   * Nothing is left to do: each status says what the last pass came to.
   * @param failing the UIDs of objects whose last pass failed, perhaps after the controller returned: their status may be that of
   * the pass before.
   */
  atRest(cluster: Pick<ClusterView, 'list'>, failing: ReadonlySet<string> = new Set()): void {
    for (const { type, main } of this.#kinds.values())
      for (const object of cluster.list(type)) if (!failing.has(object.metadata.uid)) this.#judgeAtRest(object, main);
  }

  #judgeAtRest(object: KubeObject, main: string): void {
    const { uid, generation, deletionTimestamp } = object.metadata;
    const end = this.#ends.get(uid);
    if (deletionTimestamp !== undefined && isTrue(object, main))
      this.#fault(object, `shows ${main} while it is deleted`);
    if (end === undefined || end.generation !== generation) return;
    if (deletionTimestamp !== undefined || end.outcome === 'retry') return;
    const actsByItself = end.outcome !== 'terminal' && (end.progressing ?? end.outcome === 'checkAt');
    const unready = actsByItself ? 'InProgress' : 'Failed';
    const isReady = end.outcome !== 'terminal' && isTrue(object, main);
    this.#expect(object, kstatus(object), isReady ? 'Current' : unready, `after ${end.outcome}`);
  }

  #ended({ metadata: { uid, generation } }: KubeObject, outcome: PassEnd['outcome'], progressing?: boolean): void {
    this.#ends.set(uid, { generation, outcome, progressing });
  }

  #expect(object: KubeObject, shown: KStatus, expected: KStatus, when = ''): void {
    if (shown !== expected) this.#fault(object, `is ${shown} instead of ${expected} ${when}`.trim());
  }

  #fault({ kind, metadata: { name, resourceVersion }, status }: KubeObject, what: string): void {
    this.faults.push(`${kind} ${name} at ${resourceVersion} ${what}: ${JSON.stringify(status)}`);
  }
}

interface Observed {
  readonly observedGeneration?: number;
}

function isTrue({ status }: KubeObject, type: string): boolean {
  return readConditions(status).some((condition) => condition.type === type && condition.status === 'True');
}
