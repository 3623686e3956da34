import type { Controller } from '../../../../lib/core/controller.ts';
import { settled } from '../../../../lib/core/outcome.ts';
import { Lanterns } from './lanterns.ts';

export interface Clients {
  match(): string;
}

/** Publishes its arguments, so that a test can read them. */
export function lanternController(oil: string, clients: Clients | undefined): Controller {
  return {
    name: 'lantern',
    group: 'lantern',
    type: Lanterns,
    owns: [],
    reads: [],
    version: '1',
    conditions: [],
    reconcile: async () => ({
      outcome: settled(),
      status: { light: clients?.match() ?? 'none', hasOil: oil !== '' },
    }),
  };
}
