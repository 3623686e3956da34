import { expect, it } from 'vitest';
import { exportText, parseExport } from '../../../lib/engine/transfer/exported-state.ts';

const STATE = {
  exportedAt: '2026-01-01T00:00:00.000Z',
  release: '1.0.0',
  cluster: { name: 'east', uid: 'u', paused: false },
  objects: [
    {
      kind: 'widgets.example.com',
      namespace: 'default',
      name: 'one',
      uid: 'u-1',
      values: { digest: 'a"\n', count: 1.5, yes: true },
    },
    { kind: 'widgets.example.com', namespace: '', name: 'two', uid: 'u-2', failures: 3, retryAtMs: 1_750_000_000_000 },
  ],
};

it('R-5.21 an export is read as it was written, with one line for each object', () => {
  const text = exportText(STATE);
  expect(parseExport(text, 'file')).toEqual({ format: 'evenkeel-export', v: 1, ...STATE });
  expect(text.split('\n')).toHaveLength(STATE.objects.length + 3);
  const empty = exportText({ ...STATE, objects: [] });
  expect(parseExport(empty, 'file').objects).toEqual([]);
});

it('R-6.8 fields that this release does not know are passed over', () => {
  const text = exportText(STATE).replace('"uid":"u-1"', '"uid":"u-1","later":{"deep":1}');
  expect(parseExport(text, 'file').objects).toEqual(STATE.objects);
});

const document = JSON.parse(exportText(STATE)) as object;

it.each<[string, string, RegExp]>([
  ['was cut', exportText(STATE).slice(0, -10), /no whole JSON document/],
  ['is something else', '{"items":[]}', /was not written by evenkeel export/],
  ['is no object', 'null', /was not written by evenkeel export/],
  ['is of a newer version', JSON.stringify({ ...document, v: 2 }), /has version 2, and this release reads 1/],
  ['lost its cluster', JSON.stringify({ ...document, cluster: {} }), /the field cluster.name cannot be read/],
  ['has other values', exportText(STATE).replace('1.5', '{}'), /the field objects.0.values.count cannot be read/],
])('R-6.4 an export that %s is refused by name', (_, text, message) => {
  expect(() => parseExport(text, '/tmp/east.json')).toThrow(message);
  expect(() => parseExport(text, '/tmp/east.json')).toThrow(/^\/tmp\/east.json /);
});
