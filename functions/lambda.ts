import type { Controller } from '../lib/core/controller.ts';
import { withAuthorGroups } from '../lib/deployment/author/author-groups.ts';
import { reconcileHandler } from './reconcile.ts';
import { relayHandler } from './relay.ts';
import { resyncHandler } from './resync.ts';
import { sweepHandler } from './sweep.ts';
import { wakeHandler } from './wake.ts';

/** What a module with controllers exports. */
export interface ControllersModule {
  readonly controllers: readonly Controller[];
}

/**
 * The handlers of the functions that `evenkeel/serverless` deploys, for an author's controllers together with the controller
 * groups of this package: `export const { reconcile, wake, sweep, resync, relay } = handlers(module)`. The plugin writes this
 * itself; another way to deploy needs it. A process has one set of controllers.
 */
export function handlers({ controllers }: ControllersModule) {
  const groups = withAuthorGroups(controllers);
  return {
    reconcile: reconcileHandler(groups),
    wake: wakeHandler(groups),
    sweep: sweepHandler(groups),
    resync: resyncHandler(groups),
    relay: relayHandler(groups),
  };
}
