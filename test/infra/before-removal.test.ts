import { describe, expect, it } from 'vitest';
import { checkRemovable } from '../../infra/before-removal.ts';

describe('removing a stage', () => {
  it('R-6.8 is refused with what to do first when clusters are registered', () => {
    expect(() => checkRemovable('prod', ['east', 'west'])).toThrow(
      /still has the clusters east, west, .*evenkeel uninstall/,
    );
    expect(() => checkRemovable('prod', ['east'])).toThrow('stage prod still has the cluster east,');
  });

  it('R-6.8 continues when no cluster is registered', () => {
    expect(() => checkRemovable('prod', [])).not.toThrow();
  });
});
