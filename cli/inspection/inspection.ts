import type { Settings } from '../../lib/deployment/settings/settings-schema.ts';
import type { EventSender } from '../../lib/engine/event-sender.ts';
import type { Registry } from '../../lib/engine/registry.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { ClusterApi } from '../../lib/ports/cluster-api.ts';
import type { StateStore } from '../../lib/ports/state-store.ts';
import type { KnownKind } from './known-kinds.ts';

/** An installation as another process sees it: on this machine or in the cloud. */
export interface Inspection extends AsyncDisposable {
  readonly cluster: string;
  readonly registry: Registry;
  readonly settings: Pick<Settings, 'paused' | 'intervals' | 'timings'>;
  readonly kinds: readonly KnownKind[];
  readonly store: StateStore;
  sender(): Promise<EventSender>;
  /** The cluster itself, where this machine knows how to reach it. */
  readonly api: ClusterApi | undefined;
  readonly clock: Clock;
}
