import type { Controller } from '../../core/controller.ts';
import { EvenkeelError } from '../../core/errors.ts';
import { kindId } from '../../core/resource-type.ts';
import type { ControllerDefinition } from './controller-definition.ts';
import { ENGINE_CONDITIONS } from './kind-status.ts';
import { runFinalize, runReconcile } from './run-author.ts';

/**
 * Defines a controller of a kind. The engine parses each object's spec by the kind's schema. An object with an invalid
 * spec shows Ready False with the reason InvalidSpec, and `reconcile` is not called for it.
 * @throws EvenkeelError INVALID_CONTROLLER for a definition that contradicts itself.
 */
export function defineController<Spec, Status>(definition: ControllerDefinition<Spec, Status>): Controller {
  const { kind, owns = [], reads = [], version = '1', conditions = [], finalizer, finalize } = definition;
  const name = definition.name ?? kind.kind.toLowerCase();
  const run = { definition, owns };
  assertDefinition(definition, name);
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

function assertDefinition<Spec, Status>(
  { kind, owns = [], conditions = [], finalizer, finalize }: ControllerDefinition<Spec, Status>,
  name: string,
): void {
  const fault = (what: string) => new EvenkeelError('INVALID_CONTROLLER', `controller ${name}: ${what}`);
  if (finalizer !== undefined && finalize === undefined) throw fault('it has a finalizer: write finalize as well');
  const reserved = conditions.find((type) => ENGINE_CONDITIONS.includes(type));
  if (reserved !== undefined) throw fault(`conditions: the engine computes ${reserved}; leave it out`);
  const wider = owns.find((type) => !type.namespaced && kind.namespaced);
  if (wider === undefined) return;
  throw fault(`owns ${kindId(wider)}: an object in a namespace cannot own one in none; use scope Cluster for the kind`);
}
