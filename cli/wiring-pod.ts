import { hostname } from 'node:os';
import { join } from 'node:path';
import { inClusterKubeconfig } from '../lib/adapters/kubernetes/connection/in-cluster-kubeconfig.ts';
import { tokenCheck } from '../lib/adapters/loopback/request-guard.ts';
import { EvenkeelError } from '../lib/core/errors.ts';
import { Probes, type ProbesMetrics } from '../lib/deployment/cloud/probes.ts';
import { fileFault } from '../lib/deployment/files/file-fault.ts';
import { readText } from '../lib/deployment/files/read-text.ts';
import type { Installation } from '../lib/deployment/installation/installation.ts';
import type { Settings } from '../lib/deployment/settings/settings-schema.ts';
import type { ServedMetrics } from './wiring-metrics.ts';

/** The interval in which the process reads its state, to show that it works. */
const LOOK_EVERY_MS = 15_000;
const SHORTEST_TOKEN = 16;

export interface ProbesOptions {
  readonly host: string;
  readonly port: number;
  /** The file with the token that a request for the metrics must have; undefined when they are not served. */
  readonly metricsToken: string | undefined;
}

export interface StartedProbes {
  readonly url: string;
  /** After this call `/ready` returns 200. */
  ready(): void;
}

/**
 * The cluster that this pod runs in. The host name of the pod is part of the name of the deployment: a pod with the
 * host name of the previous pod is the same deployment, and continues at once.
 * @throws EvenkeelError IN_CLUSTER_UNAVAILABLE
 */
export async function inClusterPlace({ installation }: Settings, stateDirectory: string) {
  const { text, context, namespace } = await inClusterKubeconfig({ environment: process.env });
  const deployment = `${installation}@${namespace}/${hostname()}`;
  return { file: join(stateDirectory, 'kubeconfig'), context, text, deployment };
}

/**
 * Answers the kubelet of this pod, and Prometheus. `/ready` fails until `ready` was called. `/live` fails when the
 * state could not be read for three minutes: then the process hangs, or its volume is gone.
 * @throws EvenkeelError CANNOT_LISTEN, METRICS_TOKEN
 */
export async function startProbes(
  { host, port, metricsToken }: ProbesOptions,
  { installation, metrics }: { readonly installation: Installation; readonly metrics: ServedMetrics['metrics'] },
  signal: AbortSignal,
  owned: AsyncDisposableStack,
): Promise<StartedProbes> {
  const { clock, store, settings, logger } = installation;
  const probes = new Probes(clock, metricsToken === undefined ? undefined : guardedMetrics(metrics, metricsToken));
  let actual: number;
  try {
    actual = await probes.listen(host, port);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new EvenkeelError(
      'CANNOT_LISTEN',
      `the probes cannot be answered at ${host}:${port} (${code}). Name another address with --probes.`,
      { cause: error },
    );
  }
  owned.defer(() => probes.close());
  const look = async () => {
    while (!signal.aborted) {
      await clock.sleep(LOOK_EVERY_MS, signal).catch(() => {});
      if (signal.aborted) return;
      try {
        await store.readCluster(settings.cluster);
        probes.signOfLife();
      } catch (error) {
        logger.error('the state could not be read', error);
      }
    }
  };
  return {
    url: `http://${host}:${actual}`,
    ready: () => {
      probes.signOfLife();
      const looking = look();
      owned.defer(() => looking);
    },
  };
}

function guardedMetrics(metrics: ServedMetrics['metrics'], file: string): ProbesMetrics {
  let token: string;
  try {
    token = readText(file).trim();
  } catch (error) {
    const { why, advice } = fileFault(error);
    throw new EvenkeelError(
      'METRICS_TOKEN',
      `${file}, which --metrics-token names, cannot be read: ${why}. ${advice}.`,
      {
        cause: error,
      },
    );
  }
  if (token.length < SHORTEST_TOKEN) {
    throw new EvenkeelError(
      'METRICS_TOKEN',
      `${file}, which --metrics-token names, holds fewer than ${SHORTEST_TOKEN} characters. Put a longer random token there, e.g. by: openssl rand -hex 32`,
    );
  }
  const isAuthorized = tokenCheck(token);
  return { contentType: metrics.contentType, exposition: () => metrics.exposition(), isAuthorized };
}
