import type { Controller, ReadKind } from '../../core/controller.ts';
import { EvenkeelError } from '../../core/errors.ts';
import { kindId, type ResourceType } from '../../core/resource-type.ts';
import { defaultValues, type GroupController, type GroupValues } from '../group/group-values.ts';
import type { ControllerDefinition } from './controller-definition.ts';
import { ENGINE_CONDITIONS } from './kind-status.ts';
import { type AuthorRun, runFinalize, runReconcile } from './run-author.ts';

/**
 * Defines a controller of a kind. The engine parses each object's spec by the kind's schema. An object with an invalid
 * spec shows Ready False with the reason InvalidSpec, and `reconcile` is not called for it.
 * @throws EvenkeelError INVALID_CONTROLLER for a definition that contradicts itself.
 */
export function defineController<
  Spec,
  Status,
  const Owns extends readonly ResourceType[] = readonly ResourceType[],
  const Reads extends readonly (ResourceType | ReadKind)[] = readonly (ResourceType | ReadKind)[],
  Settings = Record<never, never>,
  SecretName extends string = never,
>(definition: ControllerDefinition<Spec, Status, Owns, Reads, Settings, SecretName>): Controller {
  const { kind, version = '1', conditions = [], finalizer, finalize } = definition;
  const name = definition.name ?? kind.kind.toLowerCase();
  const { group = name } = definition;
  const owns: readonly ResourceType[] = definition.owns ?? [];
  const reads: readonly (ResourceType | ReadKind)[] = definition.reads ?? [];
  assertDefinition({ kind, owns, reads, conditions, finalizer, finalize }, name);
  const functions = (values?: GroupValues): Pick<Controller, 'reconcile' | 'finalize'> => {
    const of = typeof group === 'string' ? undefined : { defined: group, values: values ?? defaultValues(group) };
    const run = { definition, owns, group: of } as AuthorRun<Spec, Status>;
    return {
      reconcile: (object, context) => runReconcile(run, object, context),
      ...(finalize !== undefined && { finalize: (object, context) => runFinalize(run, object, context) }),
    };
  };
  return {
    name,
    group: typeof group === 'string' ? group : group.name,
    type: kind,
    owns,
    reads: reads.map((read) => ('mode' in read ? read : { type: read, mode: 'watch' })),
    version,
    conditions: [...ENGINE_CONDITIONS, ...conditions],
    ...(finalize !== undefined && {
      finalizer: typeof finalizer === 'string' ? finalizer : `${kind.group}/${name}`,
    }),
    ...functions(),
    ...(typeof group !== 'string' &&
      ({ definedGroup: group, withValues: functions } satisfies Partial<GroupController>)),
  };
}

/** The parts of a definition that may contradict each other. */
interface CheckedParts {
  readonly kind: ResourceType;
  readonly owns: readonly ResourceType[];
  readonly reads: readonly (ResourceType | ReadKind)[];
  readonly conditions: readonly string[];
  readonly finalizer: true | string | undefined;
  readonly finalize: unknown;
}

function assertDefinition({ kind, owns, reads, conditions, finalizer, finalize }: CheckedParts, name: string): void {
  const fault = (what: string) => new EvenkeelError('INVALID_CONTROLLER', `controller ${name}: ${what}`);
  if (finalizer !== undefined && finalize === undefined) throw fault('it has a finalizer: write finalize as well');
  const reserved = conditions.find((type) => ENGINE_CONDITIONS.includes(type));
  if (reserved !== undefined) throw fault(`conditions: the engine computes ${reserved}; leave it out`);
  for (const read of reads) {
    if (!('mode' in read) || read.lists !== false) continue;
    const contradiction = listed(read, owns);
    if (contradiction !== undefined)
      throw fault(`reads ${kindId(read.type)}: lists: false contradicts ${contradiction}; leave one of the two out`);
  }
  const wider = owns.find((type) => !type.namespaced && kind.namespaced);
  if (wider === undefined) return;
  throw fault(`owns ${kindId(wider)}: an object in a namespace cannot own one in none; use scope Cluster for the kind`);
}

/** What lists a kind all the same. */
function listed({ type, listsAllNamespaces }: ReadKind, owns: readonly ResourceType[]): string | undefined {
  if (listsAllNamespaces === true) return 'listsAllNamespaces: true';
  // When an owner is deleted, the objects that it owns are listed.
  return owns.some((owned) => kindId(owned) === kindId(type)) ? 'its place in owns' : undefined;
}
