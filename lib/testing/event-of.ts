import type { ChangedObject } from '../core/changed-object.ts';
import { type Cause, EVENT_VERSION, type EventFacts, type SkinnyEvent } from '../core/event.ts';
import type { KubeObject } from '../core/kube-object.ts';
import { kindId, type ResourceType } from '../core/resource-type.ts';
import type { Target } from '../core/target.ts';

/** The parts of an event that a test sets. The others come from the object. */
export interface EventParts {
  readonly cause?: Cause;
  readonly incarnation?: number;
  /** Epoch milliseconds. */
  readonly at?: number;
  /** The version of the target, or that of the list for a deletion that resync found. */
  readonly resourceVersion?: string;
  readonly changed?: ChangedObject;
  readonly unselected?: boolean;
  readonly tick?: number;
  readonly dueAt?: number;
  readonly epoch?: number;
}

/** An event of one cause, with the parts that this cause has. Parts of other causes are ignored. */
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

/** An object that has changed in a test. */
export interface ObjectChange {
  readonly type: ResourceType;
  readonly object: Pick<KubeObject, 'metadata'>;
  readonly deleted?: boolean;
}

/** The object in the form that an event of a dependency has. */
export function changedObjectOf({ type, object, deleted }: ObjectChange): ChangedObject {
  const { namespace = '', name, uid, resourceVersion } = object.metadata;
  const changed = { kind: kindId(type), namespace, name, uid, resourceVersion };
  return deleted === undefined ? changed : { ...changed, deleted };
}
