import { describe, expect, it } from 'vitest';
import { Namespaces } from '../../../../lib/core/resource-type.ts';
import { ApiError } from '../../../../lib/ports/cluster-api.ts';
import { ClusterMirror } from '../../../../lib/testing/simulation/cluster-mirror.ts';
import { Ledger } from '../../../../lib/testing/simulation/invariants/ledger.ts';
import type { PassRecord } from '../../../../lib/testing/simulation/invariants/pass-record.ts';
import type { MessageScope, ObservedCall } from '../../../../lib/testing/simulation/process.ts';

const TARGET = { cluster: 'test', kind: 'widgets', uid: 'u', namespace: 'default', name: 'one' };
const process = (name: string) => ({ name, skewMs: 0 }) as MessageScope['process'];
const WORKER = process('worker-1#1');
const SCOPE = { process: WORKER, event: {} } as MessageScope;

function callOf(process: MessageScope['process'], scope: MessageScope | undefined, call: Partial<ObservedCall>) {
  return { process, scope, port: 'api', method: 'get', args: [Namespaces, {}], issuedAtMs: 0, ...call };
}

/** Begins a pass of the worker. @returns what it knows of refusals that asked it to wait. */
function begun(): { ledger: Ledger; asked: () => (readonly [string, number])[] } {
  let pass: PassRecord | undefined;
  const ledger = new Ledger(new ClusterMirror(), () => 0, [
    {
      acquired: (acquired) => {
        pass = acquired;
      },
    },
  ]);
  const acquire = callOf(WORKER, SCOPE, { port: 'store', method: 'acquire', args: [{ target: TARGET }] });
  ledger.after(acquire, { ok: true, value: { type: 'acquired', state: { target: TARGET, epoch: 1 } } });
  const asked = () =>
    [...(pass?.attempts.at(-1)?.retryAfter ?? [])].map(([reason, { longestMs }]) => [reason, longestMs] as const);
  return { ledger, asked };
}

describe('the ledger of the simulator', () => {
  it.each([
    ['its own message', WORKER, SCOPE, 19_000],
    ['its process, which verifies the cluster', WORKER, undefined, 19_000],
    ['another process', process('worker-2#2'), undefined, undefined],
    ['another message', WORKER, { process: WORKER, event: {} } as MessageScope, undefined],
  ])('R-5.5 a pass may wait as long as the API server asked for in a refusal of %s', (_, caller, scope, waitsMs) => {
    const { ledger, asked } = begun();
    const error = new ApiError('TooManyRequests', 'slow down', { retryAfterMs: 19_000 });
    ledger.unanswered(callOf(caller, scope, {}), error);
    expect(asked()).toEqual(waitsMs === undefined ? [] : [['TooManyRequests', waitsMs]]);
  });

  it('R-5.5 a refusal that the API server itself answers with counts like one that is lost on the way', () => {
    const { ledger, asked } = begun();
    const error = new ApiError('TooManyRequests', 'slow down', { retryAfterMs: 7_000 });
    ledger.after(callOf(WORKER, undefined, {}), { ok: false, error });
    expect(asked()).toEqual([['TooManyRequests', 7_000]]);
  });
});
