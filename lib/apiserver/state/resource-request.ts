import type { Representation } from '../negotiation.ts';
import type { RequestInfo } from '../request-info.ts';
import type { Timers } from '../timers.ts';
import type { VersionedType } from './kinds.ts';
import type { ServerState } from './server-state.ts';
import type { Target } from './target.ts';
import type { WatchHub } from './watch-hub.ts';

/** A request for a served resource type, ready for the handler of its verb. */
export interface ResourceRequest extends VersionedType {
  readonly state: ServerState;
  readonly hub: WatchHub;
  readonly timers: Timers | undefined;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly representation: Representation;
  readonly signal: AbortSignal | undefined;
  /** Texts for Warning headers of the answer. */
  readonly warnings: string[];
}

export function targetOf({ type, version, info }: ResourceRequest): Target {
  return { type, version, namespace: info.namespace, name: info.name };
}
