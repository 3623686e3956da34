import { expect, it } from 'vitest';
import { SecretContracts } from '../../../lib/controllers/secret-contract/kinds.ts';
import { Secrets } from '../../../lib/core/resource-type.ts';
import { area, of } from './world.ts';

const PADDING = 'x'.repeat(3 * 1024 * 1024);

interface Line {
  readonly type: string;
  readonly object: { readonly metadata: { annotations?: Record<string, string> } };
}

const WATCH = of(Secrets, ({ isWatch }) => isWatch);

export const streams = area('streams', (world) => {
  it('R-5.7 a line of 3 MB is read, and so is what comes after it', async () => {
    const { edits, relay } = await world().begin();
    let padded = 0;
    const heal = world().interfere({
      matches: WATCH,
      interference: {
        type: 'lines',
        rewrite: (text) => {
          const line = JSON.parse(text) as Line;
          if (line.type === 'BOOKMARK') return text;
          padded += 1;
          line.object.metadata.annotations = { ...line.object.metadata.annotations, padding: PADDING };
          return JSON.stringify(line);
        },
      },
    });
    await world().met(1);
    for (let time = 0; time < 3; time += 1) {
      await edits.round();
      await edits.right();
    }
    expect(padded).toBeGreaterThanOrEqual(3);
    expect(relay.endings('Malformed')).toBe(0);
    heal();
    await world().verify();
  });

  it('R-5.7 characters that come in pieces are put together', async () => {
    const { edits, relay } = await world().begin();
    const heal = world().interfere({ matches: WATCH, interference: { type: 'pieces', bytes: 1 } });
    await world().met(1);
    const annotations = { note: 'Zoë Müller ☃ 𝒳 😀' };
    const name = { namespace: edits.contracts.namespace, name: 'two' };
    await edits.contracts.api.patch(
      Secrets,
      name,
      { type: 'merge', patch: { metadata: { annotations } } },
      { fieldManager: 'test' },
    );
    await edits.round();
    await edits.right();
    expect(relay.endings('Malformed')).toBe(0);
    heal();
    await world().verify();
  });

  it('R-5.7 a server that never sends a bookmark costs a list once its history is forgotten, and nothing is lost', async () => {
    const { edits, relay } = await world().begin();
    const rewrite = (text: string) => ((JSON.parse(text) as Line).type === 'BOOKMARK' ? undefined : text);
    const heal = world().interfere({ matches: ({ isWatch }) => isWatch, interference: { type: 'lines', rewrite } });
    await world().met(3);
    await edits.toggleSecret('one');
    await edits.right();
    await world().target.expireHistory();
    await relay.ends('Expired');
    await edits.round();
    await edits.right();
    heal();
    await world().verify();
  });

  it('R-5.7 R-5.11 old events that are delivered again cost no pass', async () => {
    const { deployment } = world();
    const { edits } = await world().begin();
    const seen: string[] = [];
    const heal = world().interfere({
      matches: WATCH,
      interference: {
        type: 'lines',
        rewrite: (text) => {
          const again = [...seen, text].join('\n');
          if ((JSON.parse(text) as Line).type !== 'BOOKMARK') seen.push(text);
          return again;
        },
      },
    });
    await world().met(1);
    const contract = await edits.contracts.read('one');
    await deployment.pass(SecretContracts, contract);
    const passes = () => deployment.about(contract).filter(({ end }) => end === 'committed').length;
    const before = passes();
    for (let time = 0; time < 4; time += 1) {
      await edits.toggleSecret('one');
      await edits.right();
    }
    // This pass comes after every pass that the repeated events may have started.
    await deployment.pass(SecretContracts, contract);
    expect(seen.length).toBeGreaterThanOrEqual(4);
    expect(passes() - before).toBe(4 + 1);
    heal();
    await world().verify();
  });
});
