import type { ChangedObject } from '../core/changed-object.ts';
import { type Cause, EVENT_VERSION, type EventFacts, type SkinnyEvent } from '../core/event.ts';
import type { KubeObject } from '../core/kube-object.ts';
import { kindId, type ResourceType } from '../core/resource-type.ts';
import type { Target } from '../core/target.ts';

/** What a test says of an event; the rest is as the object is now. */
export interface EventParts {
  readonly cause?: Cause;
  readonly incarnation?: number;
  /** Epoch milliseconds. */
  readonly at?: number;
  /** Of the target, or for a deletion that resync found of the list. */
  readonly resourceVersion?: string;
  readonly changed?: ChangedObject;
  readonly unselected?: boolean;
  readonly tick?: number;
  readonly dueAt?: number;
  readonly epoch?: number;
}

/** An event of one cause, from the parts that this cause has; parts of other causes are left out. */
export function eventOf(
  { cluster, kind, namespace, name, uid }: Target,
  parts: EventParts & { readonly resourceVersion: string },
): SkinnyEvent {
  const { incarnation = 1, at = 0 } = parts;
  return { v: EVENT_VERSION, cluster, incarnation, kind, namespace, name, uid, at, ...factsOf(parts) };
}

function factsOf({
  cause = 'updated',
  resourceVersion,
  changed,
  unselected,
  tick,
  dueAt = 0,
  epoch = 0,
}: EventParts & { readonly resourceVersion: string }): EventFacts {
  switch (cause) {
    case 'created':
    case 'updated':
      return { cause, resourceVersion };
    case 'deleted':
      if (tick !== undefined) return { cause, tick, resourceVersion };
      return { cause, resourceVersion, ...(unselected !== undefined && { unselected }) };
    case 'dependency':
      if (changed === undefined) throw new Error('an event of a dependency names what changed');
      return { cause, changed };
    case 'due':
      return { cause, dueAt, epoch };
    case 'resync':
      return changed === undefined ? { cause, tick: tick ?? 1, resourceVersion } : { cause, tick: tick ?? 1, changed };
    case 'requested':
      return { cause };
  }
}

/** An object of which a test says that it changed. */
export interface ObjectChange {
  readonly type: ResourceType;
  readonly object: Pick<KubeObject, 'metadata'>;
  readonly deleted?: boolean;
}

/** The object as an event of a dependency names it. */
export function changedObjectOf({ type, object, deleted }: ObjectChange): ChangedObject {
  const { namespace = '', name, uid, resourceVersion } = object.metadata;
  const changed = { kind: kindId(type), namespace, name, uid, resourceVersion };
  return deleted === undefined ? changed : { ...changed, deleted };
}
