import type { Controller, ReadKind } from '../../core/controller.ts';
import { EvenkeelError } from '../../core/errors.ts';
import { kindId, type ResourceType } from '../../core/resource-type.ts';
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
>(definition: ControllerDefinition<Spec, Status, Owns, Reads>): Controller {
  const { kind, version = '1', conditions = [], finalizer, finalize } = definition;
  const name = definition.name ?? kind.kind.toLowerCase();
  const owns: readonly ResourceType[] = definition.owns ?? [];
  const reads: readonly (ResourceType | ReadKind)[] = definition.reads ?? [];
  const run: AuthorRun<Spec, Status> = { definition, owns };
  assertDefinition({ kind, owns, conditions, finalizer, finalize }, name);
  return {
    name,
    group: definition.group ?? name,
    type: kind,
    owns,
    reads: reads.map((read) => ('mode' in read ? read : { type: read, mode: 'watch' })),
    version,
    conditions: [...ENGINE_CONDITIONS, ...conditions],
    reconcile: (object, context) => runReconcile(run, object, context),
    ...(finalize !== undefined && {
      finalizer: typeof finalizer === 'string' ? finalizer : `${kind.group}/${name}`,
      finalize: (object, context) => runFinalize(run, object, context),
    }),
  };
}

/** The parts of a definition that may contradict each other. */
interface CheckedParts {
  readonly kind: ResourceType;
  readonly owns: readonly ResourceType[];
  readonly conditions: readonly string[];
  readonly finalizer: true | string | undefined;
  readonly finalize: unknown;
}

function assertDefinition({ kind, owns, conditions, finalizer, finalize }: CheckedParts, name: string): void {
  const fault = (what: string) => new EvenkeelError('INVALID_CONTROLLER', `controller ${name}: ${what}`);
  if (finalizer !== undefined && finalize === undefined) throw fault('it has a finalizer: write finalize as well');
  const reserved = conditions.find((type) => ENGINE_CONDITIONS.includes(type));
  if (reserved !== undefined) throw fault(`conditions: the engine computes ${reserved}; leave it out`);
  const wider = owns.find((type) => !type.namespaced && kind.namespaced);
  if (wider === undefined) return;
  throw fault(`owns ${kindId(wider)}: an object in a namespace cannot own one in none; use scope Cluster for the kind`);
}
