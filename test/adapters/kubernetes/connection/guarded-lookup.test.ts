import type { lookup } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { guardedLookup } from '../../../../lib/adapters/kubernetes/connection/guarded-lookup.ts';

type Answer = { address: string; family: number }[];

/** Calls the guarded lookup for a name that resolves to this answer. Returns what its callback received. */
function ask(answer: Answer | Error, options: { all?: boolean }): Promise<unknown[]> {
  const resolve = ((_name: string, asked: { all: boolean }, callback: (...args: unknown[]) => void) => {
    expect(asked.all).toBe(true);
    if (answer instanceof Error) callback(answer);
    else callback(null, answer);
  }) as unknown as typeof lookup;
  return new Promise((done) => guardedLookup(resolve)('api.test', options, (...got) => done(got)));
}

const open = [
  { address: '10.0.0.7', family: 4 },
  { address: '2001:db8::7', family: 6 },
];

describe('R-5.16 the lookup of a cloud connection', () => {
  it('the lookup returns the addresses that it checked', async () => {
    await expect(ask(open, { all: true })).resolves.toEqual([null, open]);
    await expect(ask(open, {})).resolves.toEqual([null, '10.0.0.7', 4]);
  });

  const LOCAL = [
    '127.0.0.1',
    '169.254.169.254',
    '::1',
    'fe80::1%eth0',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::7f00:1',
    '2002:7f00:1::1',
  ];

  it.each(LOCAL)('the lookup refuses a name with only %s', async (address) => {
    const [error] = await ask([{ address, family: 6 }], { all: true });
    expect(error).toMatchObject({
      code: 'ADDRESS_REFUSED',
      message: expect.stringContaining(`api.test resolves to ${address}`),
    });
  });

  it.each(LOCAL)('the lookup drops %s, and returns the other addresses', async (address) => {
    const local = { address, family: 6 };
    await expect(ask([local, ...open], { all: true })).resolves.toEqual([null, open]);
    await expect(ask([...open, local], { all: true })).resolves.toEqual([null, open]);
    await expect(ask([local, ...open], {})).resolves.toEqual([null, '10.0.0.7', 4]);
  });

  it('the lookup refuses a name with several refused addresses', async () => {
    const all = LOCAL.map((address) => ({ address, family: 6 }));
    await expect(ask(all, { all: true })).resolves.toMatchObject([{ code: 'ADDRESS_REFUSED' }, []]);
  });

  it('the lookup refuses a name without an address, and passes on the failure of a lookup', async () => {
    await expect(ask([], { all: true })).resolves.toMatchObject([{ code: 'ADDRESS_REFUSED' }, []]);
    const failure = new Error('ENOTFOUND');
    await expect(ask(failure, {})).resolves.toEqual([failure, []]);
  });
});
