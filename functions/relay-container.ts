// The relay as a separate process, for a pod: like functions/relay.ts, but without shifts.
import { withAuthorGroups } from '../lib/deployment/author/author-groups.ts';
import { exportedControllers, type ModuleExports } from '../lib/deployment/author/exported-controllers.ts';
import { Probes } from '../lib/deployment/cloud/probes.ts';
import { STANDING_DUTY } from '../lib/deployment/cloud/relay-shift.ts';
import { RelayWork } from '../lib/deployment/handlers/relay-work.ts';
import { containerEnvironment, containerRuntime, failContainer } from '../lib/deployment/wiring-relay-container.ts';
import { strayErrorReport, surviveStrayErrors } from '../lib/deployment/wiring-stray-errors.ts';

/**
 * Relays until the process is told to end, and then ends it.
 * @param modules the results of `import * as module from './controllers.ts'` for an author's controllers.
 */
export async function relayContainer(...modules: readonly ModuleExports[]): Promise<never> {
  try {
    const stop = new AbortController();
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
    const { stage, probeHost, probePort } = containerEnvironment();
    const runtime = await containerRuntime(stage, withAuthorGroups(modules.flatMap(exportedControllers)));
    surviveStrayErrors(strayErrorReport(runtime.logger, runtime.metrics));
    const probes = new Probes(runtime.clock);
    const port = await probes.listen(probeHost, probePort);
    runtime.logger.info('the relay runs', { probes: `http://${probeHost}:${port}` });
    await new RelayWork(runtime, STANDING_DUTY).run(stop.signal, () => probes.signOfLife());
    runtime.flush();
    runtime.logger.info('the relay released its clusters');
    process.exit(0);
  } catch (error) {
    failContainer(error);
  }
}
