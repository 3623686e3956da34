import { expect, it } from 'vitest';
import { SecretContracts } from '../../../lib/controllers/secret-contract/kinds.ts';
import { kindId, Secrets } from '../../../lib/core/resource-type.ts';
import type { Interference, ProxiedRequest } from '../../support/http-fault-proxy.ts';
import { area, of } from './world.ts';

/** An error as an API server words it. */
function status(code: number, reason: string, headers: Readonly<Record<string, string>> = {}): Interference {
  const body = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'injected', reason, code };
  return { type: 'answer', status: code, headers, body: JSON.stringify(body) };
}

const GATEWAY: Interference = {
  type: 'answer',
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<html><body><h1>502 Bad Gateway</h1></body></html>',
};

/** Only Secrets are in trouble: contracts go on as if nothing were. */
export const answers = area('answers', (world) => {
  it('R-5.7 410 to a watch, as the answer’s status, leads to a list that finds what happened', async () => {
    const { edits, relay } = await world().begin();
    const isWatch = ({ isWatch }: ProxiedRequest) => isWatch;
    world().interfere({ matches: of(Secrets, isWatch), interference: status(410, 'Expired'), times: 1 });
    await world().met(1);
    await edits.round();
    await edits.right();
    expect(relay.endings('Expired', 'secrets')).toBe(1);
    await world().verify();
  });

  it('R-5.7 410 as an event leads to a list that finds what happened, deletions too', async () => {
    const { tcp, target } = world();
    const { edits, relay } = await world().begin();
    await tcp.refuse();
    await edits.round();
    await target.expireHistory();
    await tcp.heal();
    await edits.right();
    expect(relay.endings('Expired')).toBeGreaterThan(0);
    await world().verify();
  });

  it('R-5.7 410 in the middle of a list in pages starts it again', async () => {
    const { clock, target } = world();
    const { edits, relay } = await world().begin({ pageSize: 2 });
    const expired = status(410, 'Expired');
    const isLaterPage = of(Secrets, ({ query }) => query.has('continue'));
    const met = world().met(4);
    world().interfere({ matches: isLaterPage, interference: expired, times: 2 });
    // The third time for real: the version of the pages is forgotten between the first two of them.
    let firstPages = 0;
    const isThirdFirstPage = of(
      Secrets,
      ({ query }) => query.get('limit') === '2' && !query.has('continue') && ++firstPages === 3,
    );
    const happened = Promise.withResolvers<void>();
    const forgotten = (): Interference => {
      const until = edits
        .round()
        .then(() => target.expireHistory())
        .finally(clock.hold());
      happened.resolve(until);
      return { type: 'late', until };
    };
    world().interfere({ matches: isThirdFirstPage, interference: forgotten });
    world().interfere({ matches: of(Secrets, ({ isWatch }) => isWatch), interference: expired, times: 1 });
    await Promise.all([met, happened.promise]);
    await edits.right();
    expect(relay.endings('Expired', 'secrets')).toBeGreaterThanOrEqual(4);
    await world().verify();
  });

  it('R-5.7 R-5.14 429 is respected: no request comes before its Retry-After has passed', async () => {
    const { clock } = world();
    const { edits, relay } = await world().begin();
    const timesMs: number[] = [];
    world().interfere({
      matches: of(Secrets),
      interference: () => {
        timesMs.push(clock.now());
        return status(429, 'TooManyRequests', { 'retry-after': '20' });
      },
      times: 4,
    });
    await world().met(1);
    await edits.round();
    await edits.right();
    expect(timesMs).toHaveLength(4);
    expect(relay.endings('TooManyRequests', 'secrets')).toBeGreaterThanOrEqual(4);
    const gapsMs = timesMs.slice(1).map((atMs, index) => atMs - (timesMs[index] ?? 0));
    for (const gapMs of gapsMs) expect(gapMs).toBeGreaterThanOrEqual(20_000);
    await world().verify();
  });

  it('R-5.7 R-5.10 500, 502 and 503 for a minute delay only the kind that they concern, and are retried at a bounded rate', async () => {
    const { edits, relay } = await world().begin();
    const failures = [status(500, 'InternalError'), GATEWAY, status(503, 'ServiceUnavailable')];
    let met = 0;
    const heal = world().interfere({
      matches: of(Secrets),
      interference: () => failures[met++ % failures.length] ?? GATEWAY,
    });
    await world().met(3);
    const minute = world().minute();
    await edits.toggleSecret('one');
    for (let time = 0; time < 3; time += 1) {
      await edits.toggleContract('two');
      await edits.right(['two']);
    }
    await minute;
    expect(relay.endings('ServerError', kindId(SecretContracts))).toBe(0);
    heal();
    await edits.right();
    await world().verify();
  });

  it('R-5.7 a token that expired is read again once it was renewed on disk', async () => {
    const { target } = world();
    const { edits, relay } = await world().begin();
    const expired = await world().token();
    const refused = status(401, 'Unauthorized');
    world().interfere({
      matches: ({ headers }) => headers.authorization === `Bearer ${expired}`,
      interference: refused,
    });
    await edits.round();
    await Promise.all([relay.ends('Unauthorized', 6), world().minute()]);
    await world().writeToken(await target.relayToken());
    await edits.right();
    await world().verify();
  });

  it('R-5.7 watches that the server ends in its own time are no failure, and nothing is lost between two of them', async () => {
    const { edits, relay } = await world().begin();
    const endings = relay.ends('Ended', 6);
    for (let time = 0; time < 6; time += 1) {
      await edits.round();
      await edits.right();
    }
    await endings;
    const reasons = new Set(
      relay.metrics.recorded.filter(({ name }) => name === 'RelayReconnect').map(({ dimensions }) => dimensions.Reason),
    );
    expect(reasons).toEqual(new Set(['Ended']));
    await world().verify();
  });
});
