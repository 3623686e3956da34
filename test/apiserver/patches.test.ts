import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../lib/apiserver/json.ts';
import { applyJsonPatch, parseJsonPatch } from '../../lib/apiserver/patch/json-patch.ts';
import { applyMergePatch } from '../../lib/apiserver/patch/merge-patch.ts';

describe('patches of the embedded API server', () => {
  // The examples of RFC 7386, appendix A, whose documents and patches are objects.
  it.each<[JsonObject, JsonObject, JsonObject]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('R-1.13 merging into %j the patch %j gives %j', (document, patch, result) => {
    expect(applyMergePatch(document, patch)).toEqual(result);
  });

  it('R-1.13 a merge patch shares no parts with its arguments', () => {
    const [document, patch] = [{ kept: { deep: [1] } }, { added: { deep: [2] } }];
    const result = applyMergePatch(document, patch) as { kept: { deep: number[] }; added: { deep: number[] } };
    result.kept.deep.push(9);
    result.added.deep.push(9);
    expect([document, patch]).toEqual([{ kept: { deep: [1] } }, { added: { deep: [2] } }]);
  });

  it.each<[string, JsonValue, JsonObject]>([
    ['adds a member', [{ op: 'add', path: '/b', value: 2 }], { a: { l: [1, 2, 3] }, b: 2 }],
    ['adds null', [{ op: 'add', path: '/b', value: null }], { a: { l: [1, 2, 3] }, b: null }],
    ['inserts an element', [{ op: 'add', path: '/a/l/1', value: 9 }], { a: { l: [1, 9, 2, 3] } }],
    ['appends an element', [{ op: 'add', path: '/a/l/-', value: 9 }], { a: { l: [1, 2, 3, 9] } }],
    ['removes an element', [{ op: 'remove', path: '/a/l/0' }], { a: { l: [2, 3] } }],
    ['replaces an element', [{ op: 'replace', path: '/a/l/2', value: 9 }], { a: { l: [1, 2, 9] } }],
    ['moves', [{ op: 'move', from: '/a/l', path: '/m' }], { a: {}, m: [1, 2, 3] }],
    ['copies', [{ op: 'copy', from: '/a/l/0', path: '/c' }], { a: { l: [1, 2, 3] }, c: 1 }],
    ['tests for absence by null', [{ op: 'test', path: '/none', value: null }], { a: { l: [1, 2, 3] } }],
    ['unescapes pointers', [{ op: 'add', path: '/x~1y~0z', value: 1 }], { a: { l: [1, 2, 3] }, 'x/y~z': 1 }],
  ])('R-1.19 a JSON patch %s', (_, patch, result) => {
    const document = { a: { l: [1, 2, 3] } };
    expect(applyJsonPatch(document, parseJsonPatch(patch))).toEqual(result);
    expect(document).toEqual({ a: { l: [1, 2, 3] } });
  });

  it.each([
    ['a list is copied into itself', ['x'.repeat(10)], '/a', '/a/-', 20],
    ['a map is copied into itself', { x: 'y'.repeat(1_000) }, '/a', '/a/z', 100],
    ['a long text is copied', 'x'.repeat(1024 * 1024), '/a', '/b', 3],
  ])('R-5.18 a JSON patch is refused when its copies are larger than 3 MiB: %s', (_, value, from, path, times) => {
    const copies = Array.from({ length: times }, () => ({ op: 'copy', from, path }));
    const patch = parseJsonPatch([{ op: 'add', path: '/a', value }, ...copies] as JsonValue);
    expect(() => applyJsonPatch({}, patch)).toThrow(expect.objectContaining({ code: 422 }));
  });

  it('R-5.18 a JSON patch is accepted when its copies are 3 MiB together', () => {
    // With its quotes each copy has 1 MiB.
    const value = 'x'.repeat(1024 * 1024 - 2);
    const copies = ['/b', '/c', '/d'].map((path) => ({ op: 'copy', from: '/a', path }));
    const patched = applyJsonPatch({ a: value }, parseJsonPatch(copies));
    expect(Object.keys(patched)).toEqual(['a', 'b', 'c', 'd']);
  });

  it.each<[string, JsonValue]>([
    ['a test of another value', [{ op: 'test', path: '/a/l/0', value: 2 }]],
    ['a test of nothing', [{ op: 'test', path: '/none', value: 2 }]],
    ['the removal of nothing', [{ op: 'remove', path: '/none' }]],
    ['the replacement of nothing', [{ op: 'replace', path: '/none', value: 1 }]],
    ['an index past the end', [{ op: 'add', path: '/a/l/4', value: 1 }]],
    ['an index that is no number', [{ op: 'remove', path: '/a/l/x' }]],
    ['a parent that is missing', [{ op: 'add', path: '/none/b', value: 1 }]],
    ['an operation that does not exist', [{ op: 'spread', path: '/a' }]],
    ['a member that is missing', [{ op: 'add', path: '/b' }]],
  ])('R-1.19 a JSON patch fails at %s', (_, patch) => {
    const apply = () => applyJsonPatch({ a: { l: [1, 2, 3] } }, parseJsonPatch(patch));
    expect(apply).toThrow('the server rejected our request due to an error in our request');
  });

  it('R-6.4 an invalid JSON patch is a bad request', () => {
    expect(() => parseJsonPatch({ op: 'add' })).toThrow('error decoding patch');
    expect(() => parseJsonPatch([{ op: 'add' }])).toThrow('error decoding patch');
  });
});
