/** Why the simulator does not reach something, and the files to which the reason applies. */
export interface Reason {
  readonly why: string;
  /** Files, or folders that end in a slash. */
  readonly files: readonly string[];
}

export const REASONS: readonly Reason[] = [
  {
    why: 'Beside the loop: whose the cluster is and which cluster it is are claimed when a deployment starts; both have suites of their own on both API servers.',
    files: ['lib/engine/deployment-lease/', 'lib/engine/cluster-identity/'],
  },
  {
    why: 'Limited installations are in a tenth of the seeds, with four selectors. The others, and what is rare about them, are in the tests of the relay, the pass and resync.',
    files: [
      'lib/core/label-selector.ts',
      'lib/engine/fanout/edge-cursor.ts',
      'lib/engine/relay/follow-watch.ts',
      'lib/engine/watch/list-objects.ts',
      'lib/engine/fanout/seen-object.ts',
      'lib/engine/fanout/target-scope.ts',
      'lib/engine/fanout/wakeup.ts',
      'lib/engine/watch/watch-stream.ts',
    ],
  },
  {
    why: 'Mistakes of a controller or an installation, refused with what to do; the workloads make none.',
    files: [
      'lib/core/duration.ts',
      'lib/core/errors.ts',
      'lib/core/lease.ts',
      'lib/core/outcome.ts',
      'lib/core/ownership.ts',
      'lib/core/reconciler-version.ts',
      'lib/engine/context/guarded-writer.ts',
      'lib/engine/context/live-reader.ts',
      'lib/engine/context/ownership-guard.ts',
      'lib/engine/context/pass-context.ts',
      'lib/engine/context/undeclared-list.ts',
      'lib/engine/event-sender.ts',
      'lib/engine/registry.ts',
    ],
  },
  {
    why: 'Data of a shape that neither the simulated parts nor the workloads give: other versions, missing fields, kinds without a namespace, values and lists that nobody owns.',
    files: [
      'lib/core/conditions.ts',
      'lib/core/event.ts',
      'lib/core/json-merge.ts',
      'lib/core/observation.ts',
      'lib/engine/messages/decode-event.ts',
      'lib/engine/context/managed-fields.ts',
      'lib/engine/context/unchanged.ts',
      'lib/engine/kube-events/',
      'lib/core/cover.ts',
      'lib/engine/pass/failure.ts',
      'lib/engine/pass/finalizer.ts',
      'lib/engine/relay/affected.ts',
      'lib/engine/wake/wake-handler.ts',
    ],
  },
  {
    why: 'Bounds that a small cluster never comes to: chunks, floods of marks, items as large as the table takes, full buffers.',
    files: [
      'lib/engine/pass/acquire.ts',
      'lib/engine/pass/build-record.ts',
      'lib/engine/relay/batch-delivery.ts',
      'lib/engine/relay/bounded-buffer.ts',
      'lib/engine/relay/delivery.ts',
      'lib/engine/relay/relist.ts',
    ],
  },
  {
    why: 'Switched off in a run: processes that drain instead of dying. Paused targets and resync deadlines of their own are in a tenth of the seeds each.',
    files: ['lib/engine/pass/attempt.ts', 'lib/engine/pass/decide.ts', 'lib/engine/worker/queue-worker.ts'],
  },
  {
    why: 'Rare: races of several faults, or clocks that are set back far. The seeds of this measurement did not meet them all; each has its test, and long runs meet them.',
    files: [
      'lib/core/rate-limit.ts',
      'lib/engine/batch/batch-runner.ts',
      'lib/engine/breaker/cluster-gate.ts',
      'lib/engine/context/read-tracker.ts',
      'lib/engine/pass/commit.ts',
      'lib/engine/pass/pass-runner.ts',
      'lib/engine/pass/reconcile-once.ts',
      'lib/engine/poll/poll-runner.ts',
      'lib/engine/relay/checkpointer.ts',
      'lib/engine/relay/connection-end.ts',
      'lib/engine/relay/incarnation.ts',
      'lib/engine/relay/missing-kinds.ts',
      'lib/engine/relay/relay-hold.ts',
      'lib/engine/relay/relay.ts',
      'lib/engine/relay/restore-witness.ts',
      'lib/engine/relay/stream-connection.ts',
      'lib/engine/relay/stream-loop.ts',
      'lib/engine/relay/watch-until-idle.ts',
      'lib/engine/sweep/sweep.ts',
    ],
  },
  {
    why: 'Resync is on in one seed of ten only, and finds little where the watch lost nothing: its tests drive it by itself.',
    files: ['lib/engine/resync/'],
  },
];

/** The files of a measurement without a reason. */
export function withoutReason(files: readonly string[]): string[] {
  return files.filter((file) => !REASONS.some((reason) => isAbout(reason, file)));
}

export function isAbout({ files }: Reason, file: string): boolean {
  return files.some((each) => (each.endsWith('/') ? file.startsWith(each) : file === each));
}
