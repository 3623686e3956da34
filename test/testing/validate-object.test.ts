import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineKind } from '../../lib/index.ts';
import { validateObject } from '../../lib/testing/index.ts';

const Websites = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Website',
  spec: z.object({ host: z.string().min(1), size: z.int().max(9).default(3), least: z.int().default(1) }),
  validations: [
    { rule: 'self.least <= self.size', message: 'least must not be above size' },
    { rule: 'self.host == oldSelf.host', message: 'host cannot change' },
  ],
});

describe('validateObject', () => {
  it.each<[string, object, object | undefined, RegExp[]]>([
    ['a valid object', { host: 'a' }, undefined, []],
    ['a missing field', {}, undefined, [/spec\.host: Required value/, /rules were not checked/]],
    ['a wrong value', { host: 'a', size: 10 }, undefined, [/spec\.size: Invalid value: 10/]],
    ['a rule that the defaults break', { host: 'a', least: 4 }, undefined, [/least must not be above size/]],
    ['a rule about the object before', { host: 'b' }, { host: 'a' }, [/host cannot change/]],
    ['an unchanged object', { host: 'a' }, { host: 'a' }, []],
  ])('R-6.9 R-6.6 %s is judged as the API server does', (_, spec, old, expected) => {
    const faults = validateObject(Websites, { spec }, old && { spec: old });
    expect(faults).toEqual(expected.map((text) => expect.stringMatching(text)));
  });
});
