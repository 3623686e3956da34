import type { InstalledQueues } from '../../lib/deployment/installation/installation.ts';
import type { Settings } from '../../lib/deployment/settings/settings-schema.ts';
import type { EventSender } from '../../lib/engine/event-sender.ts';
import type { Registry } from '../../lib/engine/registry.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { ClusterApi } from '../../lib/ports/cluster-api.ts';
import type { DeadLetters } from '../../lib/ports/dead-letters.ts';
import type { StateStore } from '../../lib/ports/state-store.ts';
import type { KnownKind } from './known-kinds.ts';

/** The queues of an installation, for an operator. */
export interface OperatedQueues {
  /** Names the queues: `local` on one machine. */
  readonly stage: string;
  readonly isCloud: boolean;
  /** Its queues may be another stage's: stageDeadLetters has those of this one. */
  readonly deadLetters: DeadLetters;
  /** The names of the controller groups that an author's modules add to those of this release. */
  readonly authorGroups: readonly string[];
  queues(): Promise<InstalledQueues>;
}

/** An installation as another process sees it: on this machine or in the cloud. */
export interface Inspection extends AsyncDisposable {
  readonly cluster: string;
  readonly registry: Registry;
  readonly settings: Pick<Settings, 'paused' | 'intervals' | 'timings'>;
  readonly kinds: readonly KnownKind[];
  readonly store: StateStore;
  sender(): Promise<EventSender>;
  /** Absent where only the table is named. */
  readonly operated?: OperatedQueues;
  /** The cluster itself, where this machine knows how to reach it. */
  readonly api: ClusterApi | undefined;
  readonly clock: Clock;
  /** Who uses it, e.g. `ann@laptop`: recorded with what that person asks for. */
  readonly by: string;
}
