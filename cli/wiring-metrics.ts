import { type MetricsEndpoint, serveMetrics } from '../lib/adapters/observability/metrics-endpoint.ts';
import { PrometheusMetrics } from '../lib/adapters/observability/prometheus-metrics.ts';
import { newToken } from '../lib/adapters/system/new-token.ts';

export interface ServedMetrics {
  readonly metrics: PrometheusMetrics;
  readonly endpoint: MetricsEndpoint;
}

/**
 * Serves the metrics of this process to Prometheus, on 127.0.0.1.
 * @param port 0 for a free one.
 * @param token of the stack. A stack of the first release has none, and then nobody can read the metrics.
 */
export async function startMetrics(port: number, token = newToken()): Promise<ServedMetrics> {
  const metrics = new PrometheusMetrics();
  return { metrics, endpoint: await serveMetrics(metrics, port, token) };
}
