import type { Controller, ReadKind } from '../core/controller.ts';
import { EvenkeelError } from '../core/errors.ts';
import { isRequest, type QueueMessage } from '../core/event.ts';
import { type KindId, kindId, type ResourceType } from '../core/resource-type.ts';
import { type Rollout, RolloutShare, type RolloutStage } from '../core/rollout.ts';

/** A kind that the relay watches, with the reasons. */
export interface WatchedKind {
  readonly id: KindId;
  readonly type: ResourceType;
  /** The relay watches only objects with the label of this deployment, because every reason for watching allows that. */
  readonly labelled: boolean;
  /** The kind's objects are targets. */
  readonly primary: boolean;
  /** Whether only objects with our label are targets, in addition to the limits of the deployment. */
  readonly onlyManaged: boolean;
  /** The kind's objects may have a target as controller owner. */
  readonly owned: boolean;
  /** Passes read the objects of the kind, so a change looks for readers by stored dependencies. */
  readonly read: boolean;
  /** Some pass lists it over all namespaces. */
  readonly listedEverywhere: boolean;
}

/** The installed controllers, and what they reconcile and read. */
export class Registry {
  readonly controllers: readonly Controller[];
  readonly #byKind: ReadonlyMap<KindId, Controller>;
  readonly #rollouts: ReadonlyMap<KindId, Rollout>;
  readonly #active: readonly RolloutStage[] | undefined;

  /**
   * @param rollouts new versions of some of the controllers.
   * @param active the active stages, when new code replaced the old one: only objects of these stages get a pass
   * because of the version. Default: all objects.
   * @throws EvenkeelError INVALID_CONTROLLER when two controllers reconcile one kind, a definition contradicts itself,
   * or a new version does not belong to its controller.
   */
  constructor(controllers: readonly Controller[], rollouts: readonly Rollout[] = [], active?: readonly RolloutStage[]) {
    const byKind = new Map<KindId, Controller>();
    for (const controller of controllers) {
      const id = kindId(controller.type);
      const other = byKind.get(id);
      if (other !== undefined) {
        throw new EvenkeelError(
          'INVALID_CONTROLLER',
          `${other.name} and ${controller.name} both reconcile ${id}. Install one of them.`,
        );
      }
      if ((controller.finalizer === undefined) !== (controller.finalize === undefined)) {
        throw new EvenkeelError(
          'INVALID_CONTROLLER',
          `${controller.name}: define both finalizer and finalize, or neither.`,
        );
      }
      for (const { type, mode, unconditional } of controller.reads) {
        if (unconditional === true && mode !== 'watch') {
          throw new EvenkeelError(
            'INVALID_CONTROLLER',
            `${controller.name}: its reads of ${kindId(type)} are unconditional with mode ${mode}. Only mode watch allows that.`,
          );
        }
      }
      byKind.set(id, controller);
    }
    this.controllers = controllers;
    this.#byKind = byKind;
    this.#rollouts = new Map(rollouts.map((rollout) => [rolledOutKind(rollout, byKind), rollout]));
    this.#active = active;
  }

  /** The objects of a kind that get a pass because of the version of their controller's code; undefined for all. */
  shareOf(kind: KindId): RolloutShare | undefined {
    const version = this.#byKind.get(kind)?.version;
    return this.#active === undefined || version === undefined ? undefined : new RolloutShare(version, this.#active);
  }

  /** The new version of a kind's controller that takes over a share of the objects. */
  rolloutOf(kind: KindId): Rollout | undefined {
    return this.#rollouts.get(kind);
  }

  /** The controllers, and the new versions of some. Kinds that any of them reads are watched. */
  get #versions(): readonly Controller[] {
    return [...this.controllers, ...[...this.#rollouts.values()].map(({ next }) => next)];
  }

  groups(): string[] {
    return [...new Set(this.controllers.map((controller) => controller.group))].sort();
  }

  controllerOf(kind: KindId): Controller | undefined {
    return this.#byKind.get(kind);
  }

  /** The kinds that a group reconciles, sorted. */
  kindsOf(group: string): KindId[] {
    return [...this.#byKind].flatMap(([kind, controller]) => (controller.group === group ? [kind] : [])).sort();
  }

  /** The controller whose objects have this API group and kind, e.g. an owner reference's. */
  controllerOfOwner(owner: { apiVersion: string; kind: string }): Controller | undefined {
    const group = owner.apiVersion.includes('/') ? owner.apiVersion.slice(0, owner.apiVersion.indexOf('/')) : '';
    return this.controllers.find(({ type }) => type.group === group && type.kind === owner.kind);
  }

  /** How a controller gets changes of a kind; undefined for a kind that it did not declare. */
  readKind(controller: Controller, kind: KindId): ReadKind | undefined {
    const declared = controller.reads.find(({ type }) => kindId(type) === kind);
    if (declared !== undefined) return declared;
    const owned = controller.owns.find((type) => kindId(type) === kind);
    return owned === undefined ? undefined : { type: owned, mode: 'watch-labelled' };
  }

  /** The type of a kind id that some controller of the group reads. */
  typeOf(group: string, kind: KindId): ResourceType | undefined {
    for (const controller of this.#versions) {
      if (controller.group !== group) continue;
      const read = this.readKind(controller, kind);
      if (read !== undefined) return read.type;
    }
    return undefined;
  }

  /** The reason why the workers of this group can never handle an event, or undefined when they can. */
  refusal(group: string, event: QueueMessage, isKnownCluster: (cluster: string) => boolean): string | undefined {
    if (!isKnownCluster(event.cluster)) return `cluster ${event.cluster} is not configured here`;
    if (isRequest(event))
      return event.group === group ? undefined : `a ${event.cause} of group ${event.group} on the queue of ${group}`;
    const controller = this.#byKind.get(event.kind);
    if (controller === undefined) return `no installed controller reconciles ${event.kind}`;
    if (controller.group !== group) return `${event.kind} belongs to group ${controller.group}, this queue to ${group}`;
    if (controller.type.namespaced === (event.namespace !== '')) return undefined;
    return controller.type.namespaced
      ? `objects of ${event.kind} are in a namespace, and the event names none`
      : `objects of ${event.kind} are in no namespace, and the event names one`;
  }

  /** Sorted by id, so that all relays and resyncs use the same order. */
  watchedKinds(): WatchedKind[] {
    const kinds = new Map<KindId, WatchedKind>();
    const add = (type: ResourceType, reason: Partial<WatchedKind> & { labelled: boolean }) => {
      const id = kindId(type);
      const known = kinds.get(id);
      kinds.set(id, {
        id,
        type,
        labelled: reason.labelled && (known?.labelled ?? true),
        primary: (reason.primary ?? false) || (known?.primary ?? false),
        onlyManaged: (reason.onlyManaged ?? false) || (known?.onlyManaged ?? false),
        owned: (reason.owned ?? false) || (known?.owned ?? false),
        read: (reason.read ?? false) || (known?.read ?? false),
        listedEverywhere: (reason.listedEverywhere ?? false) || (known?.listedEverywhere ?? false),
      });
    };
    for (const controller of this.#versions) {
      const { onlyManaged = false } = controller;
      add(controller.type, { labelled: onlyManaged, primary: true, onlyManaged });
      for (const type of controller.owns) add(type, { labelled: true, owned: true, read: true });
      for (const { type, mode, listsAllNamespaces } of controller.reads) {
        if (mode === 'poll') continue;
        add(type, {
          labelled: mode === 'watch-labelled',
          read: true,
          listedEverywhere: listsAllNamespaces ?? false,
        });
      }
    }
    return [...kinds.values()].sort((left, right) => (left.id < right.id ? -1 : 1));
  }
}

/** Fields that the versions of a controller must share, because each may find objects of the other. */
const SHARED_FIELDS = ['name', 'group', 'finalizer', 'onlyManaged'] as const;

function rolledOutKind({ next }: Rollout, controllers: ReadonlyMap<KindId, Controller>): KindId {
  const kind = kindId(next.type);
  const current = controllers.get(kind);
  const fault = (what: string) => new EvenkeelError('INVALID_CONTROLLER', `the new version of ${next.name} ${what}`);
  if (current === undefined) throw fault(`reconciles ${kind}, and no installed controller does. Install one first.`);
  for (const field of SHARED_FIELDS) {
    if (current[field] !== next[field]) throw fault(`has another ${field} than the installed one. Give both the same.`);
  }
  if (current.version === next.version) throw fault(`has version ${next.version}, as the installed one. Raise it.`);
  return kind;
}
