import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { objectKey, versionNumber } from '../../../lib/core/observation.ts';
import type { KindId } from '../../../lib/core/resource-type.ts';
import type { TargetKey } from '../../../lib/core/target.ts';
import type { Lane } from '../../../lib/engine/event-sender.ts';
import type { FifoQueue, OutgoingMessage, SendResult } from '../../../lib/ports/queue.ts';
import type { Checkpoint, StateStore } from '../../../lib/ports/state-store.ts';
import { type WireMessage, wireMessage } from '../../support/wire-message.ts';

interface Edit {
  readonly kind: KindId;
  readonly key: string;
  readonly version: number;
  /** The target that must get an event of the edit. */
  readonly reader: TargetKey;
}

/**
 * Records what a relay does on both sides: which events the queue accepted, and which checkpoints the relay saved. A
 * checkpoint may be beyond an edit only when an event of the edit was accepted, or when its reader has read the edit
 * already.
 */
export class Journal {
  readonly violations: string[] = [];
  private readonly store: StateStore;
  private readonly accepted = new Map<string, number>();
  private readonly saved = new Map<KindId, number>();
  private open: Edit[] = [];
  private voidIncarnation = 0;
  private edits = 0;

  constructor(store: StateStore) {
    this.store = store;
  }

  /** How many edits were checked, so that a test can assert that there were some. */
  get checked(): number {
    return this.edits - this.open.length;
  }

  /**
   * The cluster was restored and versions went back. Checkpoints and events of before say nothing about later edits.
   */
  restart(incarnation: number): void {
    this.voidIncarnation = incarnation;
    this.accepted.clear();
    this.saved.clear();
    this.open = [];
  }

  /** Records that a user changed the object; its reader must get an event. */
  async edited(kind: KindId, { metadata }: KubeObject, reader: TargetKey): Promise<void> {
    const version = versionNumber(metadata.resourceVersion);
    if (version === undefined) throw new Error(`version ${metadata.resourceVersion} is no number`);
    const key = objectKey(kind, { namespace: metadata.namespace ?? '', name: metadata.name });
    this.edits += 1;
    this.open.push({ kind, key, version, reader });
    // The relay may handle the edit before the user gets the response.
    await this.check(kind, this.saved.get(kind) ?? 0);
  }

  /** Wraps the queue for the relay. */
  listening(queue: FifoQueue): FifoQueue {
    return replaced(queue, {
      send: async (messages: readonly OutgoingMessage[], signal?: AbortSignal): Promise<SendResult[]> => {
        const results = await queue.send(messages, signal);
        messages.forEach(({ body }, index) => {
          if (results[index]?.accepted === true) this.heard(wireMessage(body));
        });
        return results;
      },
    });
  }

  listeningTo(queues: Readonly<Record<string, Readonly<Record<Lane, FifoQueue>>>>) {
    return Object.fromEntries(
      Object.entries(queues).map(([group, { events, resync }]) => [
        group,
        { events: this.listening(events), resync: this.listening(resync) },
      ]),
    );
  }

  /** Wraps the table for the relay. */
  watching(store: StateStore): StateStore {
    return replaced(store, {
      saveCheckpoint: async (cluster: string, stream: string, epoch: number, checkpoint: Checkpoint) => {
        const kind = stream.split('@')[0] ?? '';
        const version = versionNumber(checkpoint.resourceVersion) ?? 0;
        if (checkpoint.incarnation > this.voidIncarnation) {
          await this.check(kind, version);
          this.saved.set(kind, Math.max(version, this.saved.get(kind) ?? 0));
        }
        return await store.saveCheckpoint(cluster, stream, epoch, checkpoint);
      },
    });
  }

  private heard(event: WireMessage): void {
    const { changed, incarnation } = event;
    if (incarnation <= this.voidIncarnation) return;
    const version = versionNumber(
      changed === undefined ? event.resourceVersion : (changed.resourceVersion ?? changed.absentAt),
    );
    const key = objectKey(changed?.kind ?? event.kind, changed ?? event);
    if (version !== undefined) this.accepted.set(key, Math.max(version, this.accepted.get(key) ?? 0));
  }

  private async check(kind: KindId, checkpoint: number): Promise<void> {
    const passed = this.open.filter((edit) => edit.kind === kind && edit.version <= checkpoint);
    this.open = this.open.filter((edit) => !passed.includes(edit));
    for (const edit of passed) {
      if ((this.accepted.get(edit.key) ?? 0) >= edit.version || (await this.isRead(edit))) continue;
      this.violations.push(
        `checkpoint ${checkpoint} passed ${edit.key} at version ${edit.version}, which was not sent`,
      );
    }
  }

  private async isRead({ key, version, reader, kind }: Edit): Promise<boolean> {
    const state = await this.store.readTarget(reader);
    if (state === undefined || (state.incarnation ?? 0) <= this.voidIncarnation) return false;
    const seen = kind === reader.kind ? state.observedVersion : state.versions[key];
    return seen !== undefined && seen >= version;
  }
}

/** The same object with some of its methods replaced. */
export function replaced<T extends object>(object: T, methods: Partial<T>): T {
  return new Proxy(object, {
    get: (target, property) => {
      const replacement: unknown = Reflect.get(methods, property);
      if (replacement !== undefined) return replacement;
      const value: unknown = Reflect.get(target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
