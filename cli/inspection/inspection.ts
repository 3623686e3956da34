import type { InstalledQueues } from '../../lib/deployment/installation/installation.ts';
import type { Settings } from '../../lib/deployment/settings/settings-schema.ts';
import type { EventSender } from '../../lib/engine/event-sender.ts';
import type { Registry } from '../../lib/engine/registry.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { ClusterApi } from '../../lib/ports/cluster-api.ts';
import type { DeadLetter, DeadLetterQueue, DeadLetters } from '../../lib/ports/dead-letters.ts';
import type { StateStore } from '../../lib/ports/state-store.ts';
import type { KnownKind } from './known-kinds.ts';

/** What happens to a dead letter: `end` leaves it and all later ones where they are. */
export type LetterChoice = 'send' | 'keep' | 'end';

/** Dead letters of which some can be sent. */
export interface SelectedDeadLetters extends DeadLetters {
  /** @param choose is called for each letter, before it is sent; absent sends all. */
  redrive(
    queue: DeadLetterQueue,
    onSent: (letter: DeadLetter) => void,
    choose?: (letter: DeadLetter) => Promise<LetterChoice>,
  ): Promise<void>;
}

/** The queues of an installation, for an operator. */
export interface OperatedQueues {
  /** The stage in the queues' names: `local` on one machine. */
  readonly stage: string;
  readonly isCloud: boolean;
  /** It may list queues of other stages too; stageDeadLetters returns only those of this stage. */
  readonly deadLetters: SelectedDeadLetters;
  /** The names of the controller groups of an author's modules. */
  readonly authorGroups: readonly string[];
  queues(): Promise<InstalledQueues>;
}

/** Access of another process to an installation, on this machine or in the cloud. */
export interface Inspection extends AsyncDisposable {
  readonly cluster: string;
  readonly registry: Registry;
  readonly settings: Pick<Settings, 'paused' | 'intervals' | 'timings'>;
  readonly kinds: readonly KnownKind[];
  readonly store: StateStore;
  sender(): Promise<EventSender>;
  /** Absent when the options name only a table. */
  readonly operated?: OperatedQueues;
  /** The cluster itself; undefined when this machine cannot connect to it. */
  readonly api: ClusterApi | undefined;
  readonly clock: Clock;
  /** What the requests to AWS have cost so far, in US dollars at list prices. Absent on one machine. */
  readonly spentDollars?: () => number;
  /** The user, e.g. `ann@laptop`. It is recorded with the user's requests. */
  readonly by: string;
}
