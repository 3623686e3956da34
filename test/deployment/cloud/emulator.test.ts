import { describe, expect, it } from 'vitest';
import { mayReachThisMachine } from '../../../lib/deployment/cloud/emulator.ts';

describe('mayReachThisMachine', () => {
  it('R-5.16 the stage for emulators may, while AWS itself is one on this machine', () => {
    expect(mayReachThisMachine('emulator', 'http://127.0.0.1:4566')).toBe(true);
    expect(mayReachThisMachine('emulator', 'http://localhost:4566')).toBe(true);
  });

  it.each([
    ['prod', 'http://127.0.0.1:4566'],
    ['dev', 'http://127.0.0.1:4566'],
    ['emulator', undefined],
    ['emulator', 'https://dynamodb.eu-central-1.amazonaws.com'],
    ['emulator', 'http://127.0.0.1.example.com'],
    ['emulator', 'nonsense'],
  ])('R-5.16 stage %s with AWS at %s may not', (stage, endpoint) => {
    expect(mayReachThisMachine(stage, endpoint)).toBe(false);
  });
});
