import type { AcquireRequest, FoundTarget, TargetState, TargetStore } from '../../lib/ports/state-store.ts';

/** Acquires, and returns the target's state after that; undefined when it was refused. */
export async function takeLease(store: TargetStore, request: AcquireRequest): Promise<TargetState | undefined> {
  const result = await store.acquire(request);
  return result.type === 'acquired' ? result.state : undefined;
}

/** Acquires, and returns the item that refused it; undefined when it was accepted. */
export async function refusedBy(store: TargetStore, request: AcquireRequest): Promise<FoundTarget | undefined> {
  const result = await store.acquire(request);
  return result.type === 'refused' ? result.found : undefined;
}
