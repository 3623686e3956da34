import { changedObjectOf, type SkinnyEvent } from '../../core/event.ts';
import type { Target } from '../../core/target.ts';
import type { Metrics } from '../../ports/metrics.ts';
import { describeChanged } from './named-event.ts';
import type { Ended, Pass } from './pass.ts';
import type { PassReport } from './pass-report.ts';

export function passReport(
  event: SkinnyEvent,
  target: Target,
  ended: Ended,
  times: { startedAtMs: number; durationMs: number },
  pass: Pass | undefined,
): PassReport {
  const changed = changedObjectOf(event);
  return {
    target,
    cause: event.cause,
    changed: changed === undefined ? undefined : describeChanged(changed),
    end: ended.end,
    outcome: ended.outcome ?? '',
    reason: ended.reason ?? '',
    message: ended.message ?? '',
    condition: ended.condition ?? '',
    dueAtMs: ended.dueAtMs,
    failures: ended.failures ?? 0,
    attempts: pass?.attempts ?? 0,
    writes: pass?.writes ?? 0,
    startedAtMs: times.startedAtMs,
    durationMs: times.durationMs,
    passId: pass?.passId ?? '',
  };
}

/** Records the metrics of one handled message. */
export function measurePass(
  metrics: Metrics,
  event: SkinnyEvent,
  report: PassReport,
  pass: Pass | undefined,
  dimensions: { Group: string; Kind: string },
): void {
  if (report.end === 'covered') metrics.record('EventCovered', 1, dimensions);
  if (report.end === 'held') metrics.record('EventHeld', 1, dimensions);
  if (pass === undefined) return;
  metrics.record('PassOutcome', 1, { ...dimensions, Outcome: report.outcome === '' ? report.end : report.outcome });
  metrics.record('PassDuration', report.durationMs, dimensions);
  metrics.record('EventLag', Math.max(0, report.startedAtMs - event.at), dimensions);
  if (event.cause === 'due') {
    metrics.record('DeadlineLag', Math.max(0, report.startedAtMs - event.dueAt), dimensions);
  }
  if (pass.crashes > 0) {
    metrics.record('CrashedPass', pass.crashes, dimensions);
    metrics.record('LeaseTakeover', 1, dimensions);
  }
}
