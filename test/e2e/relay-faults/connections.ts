import { expect, it } from 'vitest';
import { Secrets } from '../../../lib/core/resource-type.ts';
import { area, of } from './world.ts';

/** A TLS handshake and a little more. */
const SOON_BYTES = 4_000;

export const connections = area('connections', (world) => {
  it('R-5.7 that fall silent for ever are given up, the new ones too, until one answers', async () => {
    const { tcp } = world();
    const { edits, relay } = await world().begin();
    tcp.silence();
    await edits.round();
    // A stream may have been between two watches, and either the handshake or the request is given up first.
    await Promise.all([relay.ends('Idle'), relay.ends(['Timeout', 'Unreachable'], 3)]);
    await tcp.heal();
    await edits.right();
    await world().verify();
  });

  it('R-5.7 watches that are half-open after a sleep are closed, and the changes since then are handled', async () => {
    const { tcp } = world();
    const { edits, relay } = await world().begin();
    tcp.silenceEstablished();
    await edits.round();
    await edits.right();
    expect(relay.endings('Idle')).toBeGreaterThan(0);
    await world().verify();
  });

  it('R-5.7 that are reset again and again lose nothing', async () => {
    const { tcp } = world();
    const { edits } = await world().begin();
    for (let time = 0; time < 5; time += 1) {
      tcp.reset();
      await edits.round();
      tcp.reset();
    }
    await edits.right();
    await world().verify();
  });

  it('R-5.7 a reset in the middle of an event’s line loses nothing', async () => {
    const { edits, relay } = await world().begin();
    const cut = {
      matches: of(Secrets, ({ isWatch }) => isWatch),
      interference: { type: 'resetInLine' },
      times: 1,
    } as const;
    const ended = relay.ends('Unreachable', 1, 'secrets');
    const met = world().met(1);
    world().interfere(cut);
    // The watch that is open ends by itself soon; the next one is cut at its first line.
    await met;
    await edits.round();
    await ended;
    await edits.right();
    await world().verify();
  });

  it('R-5.7 that are cut before the first answer, or in it, are tried again at a bounded pace', async () => {
    const { tcp } = world();
    const { edits, relay } = await world().begin();
    tcp.cutAfter(SOON_BYTES);
    tcp.reset();
    await edits.round();
    await Promise.all([relay.ends('Unreachable', 6), world().minute()]);
    await tcp.heal();
    await edits.right();
    await world().verify();
  });

  it('R-5.7 a server that refuses connections is tried at a bounded pace, and found when it is back', async () => {
    const { tcp } = world();
    const { edits, relay } = await world().begin();
    await tcp.refuse();
    await edits.round();
    await Promise.all([relay.ends('Unreachable', 6), world().minute()]);
    await tcp.heal();
    await edits.right();
    await world().verify();
  });

  it('R-5.7 R-5.16 a renewed certificate of the same authority is taken, one of another authority is not', async () => {
    const { http } = world();
    const { edits, relay } = await world().begin();
    http.present(world().certificate());
    http.disconnect();
    await edits.round();
    await edits.right();
    http.present(world().foreignCertificate());
    http.disconnect();
    await edits.round();
    await Promise.all([relay.ends('Unreachable', 6), world().minute()]);
    expect(relay.endings('Unexpected')).toBe(0);
    http.present(world().certificate());
    await edits.right();
    await world().verify();
  });
});
