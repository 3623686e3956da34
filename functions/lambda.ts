import { withAuthorGroups } from '../lib/deployment/author/author-groups.ts';
import { exportedControllers, type ModuleExports } from '../lib/deployment/author/exported-controllers.ts';
import { reconcileHandler } from './reconcile.ts';
import { relayHandler } from './relay.ts';
import { resyncHandler } from './resync.ts';
import { sweepHandler } from './sweep.ts';
import { wakeHandler } from './wake.ts';

/**
 * The handlers of the functions that `evenkeel/serverless` deploys, for an author's controllers together with the
 * controller groups of this package: `export const { reconcile, wake, sweep, resync, relay } = handlers(module)`. The
 * plugin writes this line itself; another way to deploy needs it. A process has one set of controllers.
 * @param modules the results of `import * as module from './controllers.ts'`.
 */
export function handlers(...modules: readonly ModuleExports[]) {
  const groups = withAuthorGroups(modules.flatMap(exportedControllers));
  return {
    reconcile: reconcileHandler(groups),
    wake: wakeHandler(groups),
    sweep: sweepHandler(groups),
    resync: resyncHandler(groups),
    relay: relayHandler(groups),
  };
}
