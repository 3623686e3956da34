import { describe, expect, it } from 'vitest';
import { age } from '../../lib/apiserver/table/age.ts';
import { compileJsonPath } from '../../lib/apiserver/table/json-path.ts';
import { ApiClient, definitions, startMs, testServer, widget, widgetDefinition, widgets } from './api-client.ts';

const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };

describe('tables of the embedded API server', () => {
  it('R-6.2 rows hold the printer columns of the definition and the metadata of the object', async () => {
    const client = new ApiClient(testServer({ clock: () => startMs }));
    const additionalPrinterColumns = [
      { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'how large' },
      { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
      { name: 'Colour', type: 'string', jsonPath: '.spec.colour', priority: 1 },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ];
    await client.post(definitions, widgetDefinition({ additionalPrinterColumns }));
    await client.post(widgets, widget('a', { size: 3, colour: { deep: true } }));
    await client.merge(`${widgets}/a/status`, {
      status: {
        conditions: [
          { type: 'Other', status: 'False' },
          { type: 'Ready', status: 'True' },
        ],
      },
    });
    await client.post(widgets, widget('b', { size: 'large' }));
    const { body } = await client.get(widgets, table);
    expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect(
      body.columnDefinitions.map((each: { name: string; type: string; priority: number }) => [
        each.name,
        each.type,
        each.priority,
      ]),
    ).toEqual([
      ['Name', 'string', 0],
      ['Size', 'integer', 0],
      ['Ready', 'string', 0],
      ['Colour', 'string', 1],
      ['Age', 'date', 0],
    ]);
    expect(body.columnDefinitions[1].description).toBe('how large');
    expect(body.rows.map((row: { cells: unknown[] }) => row.cells)).toEqual([
      ['a', 3, 'True', '{"deep":true}', '0s'],
      ['b', null, null, null, '0s'],
    ]);
    expect(body.rows[0].object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'a' } });
    const bare = await client.get(`${widgets}/a?includeObject=None`, table);
    expect(bare.body.rows).toEqual([{ cells: ['a', 3, 'True', '{"deep":true}', '0s'] }]);
  });

  it('R-6.2 a watch as a table sends the column definitions once', async () => {
    const client = new ApiClient(testServer());
    await client.post(definitions, widgetDefinition());
    const watching = await client.watch(widgets, table);
    await client.post(widgets, widget('a'));
    await client.post(widgets, widget('b'));
    const [first, second] = await watching.take(2);
    expect(first?.object.columnDefinitions).toHaveLength(2);
    expect(second?.object).toMatchObject({ columnDefinitions: null, rows: [{ cells: ['b', '0s'] }] });
    watching.close();
  });

  it.each([
    ['2026-01-01T00:00:00Z', '0s'],
    ['2025-12-31T23:58:01Z', '119s'],
    ['2025-12-31T23:55:30Z', '4m30s'],
    ['2025-12-31T23:30:00Z', '30m'],
    ['2025-12-31T20:30:00Z', '3h30m'],
    ['2025-12-30T12:00:00Z', '36h'],
    ['2025-12-28T12:00:00Z', '3d12h'],
    ['2025-11-01T00:00:00Z', '61d'],
    ['2023-06-01T00:00:00Z', '2y215d'],
    ['2010-01-01T00:00:00Z', '16y'],
    ['2026-01-01T00:00:05Z', '<invalid>'],
    ['yesterday', '<unknown>'],
  ])('R-6.2 an age since %s is shown as %s', (time, shown) => {
    expect(age(time, startMs)).toBe(shown);
  });

  it.each([
    ['.spec.size', [3]],
    ['.spec.none.deeper', []],
    ['.spec.list[1].name', ['two']],
    ['.spec.list[-1].name', ['three']],
    ['.spec.list[*].name', ['one', 'two', 'three']],
    [".metadata.annotations['example.com/a']", ['yes']],
    ['.metadata.annotations.example\\.com/a', ['yes']],
    ['.spec.list[?(@.name=="two")].n', [2]],
    ['.spec.list[?(@.n!=2)].name', ['one', 'three']],
    ['.spec.list[?(@.on==true)].name', ['three']],
  ])('R-6.2 the JSONPath %s finds %j', (path, found) => {
    const object = {
      metadata: { annotations: { 'example.com/a': 'yes' } },
      spec: {
        size: 3,
        list: [
          { name: 'one', n: 1 },
          { name: 'two', n: 2 },
          { name: 'three', n: 3, on: true },
        ],
      },
    };
    expect(compileJsonPath(path)(object)).toEqual(found);
  });

  it('R-6.4 a JSONPath that is not understood is refused', () => {
    for (const path of ['.a[?(@.b>1)]', '.a[', 'spec']) expect(() => compileJsonPath(path)).toThrow(path);
  });
});
