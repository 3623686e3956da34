import { describe, expect, it } from 'vitest';
import { EvenkeelError, InfrastructureError } from '../../../lib/core/errors.ts';
import { ClusterDirectory } from '../../../lib/deployment/cloud/cluster-directory.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { RecordedMetrics, SilentLogger } from '../../../lib/testing/recorders.ts';

const PATH = '/evenkeel/prod/clusters';

class Listed {
  readonly clock = new ManualClock();
  readonly metrics = new RecordedMetrics();
  readonly logger = new SilentLogger();
  readonly values = new Map<string, string>();
  readonly closed: string[] = [];
  fails = false;
  reads = 0;
  readonly directory = new ClusterDirectory<string>({
    parameters: {
      list: async (path) => {
        this.reads += 1;
        if (this.fails) throw new InfrastructureError('SSM did not answer');
        return [...this.values].map(([name, value]) => ({ name: `${path}/${name}`, value }));
      },
    },
    path: PATH,
    open: ({ name, value }) => {
      if (value === 'broken') throw new TypeError('hunter2');
      if (value === 'bad') throw new EvenkeelError('BAD', `parameter ${name} is bad`);
      return `${value} opened`;
    },
    openFaulty: (name, { message }) => `${name}: ${message}`,
    close: async (opened) => void this.closed.push(opened),
    clock: this.clock,
    logger: this.logger,
    metrics: this.metrics,
  });

  spokenOf(name: string, agoMs = 0): Map<string, number> {
    return new Map([[name, this.clock.now() - agoMs]]);
  }
}

describe('ClusterDirectory', () => {
  it.each(['bad', 'broken'])('R-5.19 one parameter that cannot be used stops no other cluster: %s', async (value) => {
    const listed = new Listed();
    listed.values.set('east', value);
    listed.values.set('west', 'two');
    await listed.directory.refresh();
    expect(listed.directory.get('west')?.opened).toBe('two opened');
    expect(listed.directory.get('east')?.fault).toBeInstanceOf(EvenkeelError);
    expect(listed.directory.get('east')?.opened).not.toContain('hunter2');
  });

  it('R-6.4 a cluster that is added is there within a minute, without a deployment', async () => {
    const listed = new Listed();
    listed.values.set('east', 'one');
    await listed.directory.refresh();
    listed.values.set('west', 'two');
    await listed.clock.advance(59_000);
    await listed.directory.refresh();
    expect(listed.directory.get('west')).toBeUndefined();
    await listed.clock.advance(1_000);
    await listed.directory.refresh();
    expect(listed.directory.all().map(({ name, opened }) => `${name} ${opened}`)).toEqual([
      'east one opened',
      'west two opened',
    ]);
    expect(listed.reads).toBe(2);
  });

  it('R-6.4 one that somebody speaks of after the list was read is looked for at once', async () => {
    const listed = new Listed();
    await listed.directory.refresh();
    listed.values.set('west', 'two');
    await listed.clock.advance(10_000);
    await listed.directory.refresh(listed.spokenOf('west', 5_000));
    expect(listed.directory.get('west')?.opened).toBe('two opened');
  });

  it('R-5.3 one that is not in a list which was read since is not looked for again', async () => {
    const listed = new Listed();
    await listed.directory.refresh();
    await listed.clock.advance(10_000);
    await listed.directory.refresh(listed.spokenOf('gone', 12_500));
    expect(listed.reads).toBe(1);
    expect(listed.directory.isDoubtful('gone')).toBe(false);
  });

  it.each([600_000, 60_000])(
    'R-1.29 one that was added is found although the clock is %i ms ahead of the queue',
    async (aheadMs) => {
      const listed = new Listed();
      listed.clock.step(aheadMs);
      await listed.directory.refresh();
      listed.values.set('west', 'two');
      await listed.clock.advance(20_000);
      await listed.directory.refresh(listed.spokenOf('west', aheadMs));
      expect(listed.directory.get('west')?.opened).toBe('two opened');
    },
  );

  it.each([600_000, -600_000])(
    'R-1.29 the list is believed for a minute when the clock is set by %i ms',
    async (stepMs) => {
      const listed = new Listed();
      await listed.directory.refresh();
      listed.clock.step(stepMs);
      await listed.clock.advance(59_000);
      await listed.directory.refresh();
      expect(listed.reads).toBe(1);
      await listed.clock.advance(1_000);
      await listed.directory.refresh();
      expect(listed.reads).toBe(2);
    },
  );

  it('R-5.4 while the list cannot be read, one that is not in it is in doubt, and the others stay', async () => {
    const listed = new Listed();
    listed.values.set('east', 'one');
    await listed.directory.refresh();
    listed.fails = true;
    await listed.clock.advance(10_000);
    await listed.directory.refresh(listed.spokenOf('west'));
    expect(listed.directory.isDoubtful('west')).toBe(true);
    expect(listed.directory.get('east')?.opened).toBe('one opened');
    listed.fails = false;
    await listed.directory.refresh(listed.spokenOf('west'));
    expect(listed.directory.isDoubtful('west')).toBe(false);
  });

  it('R-5.4 the call fails when there is no list at all', async () => {
    const listed = new Listed();
    listed.fails = true;
    await expect(listed.directory.refresh()).rejects.toThrow('SSM did not answer');
  });

  it('R-5.14 a parameter that cannot be used is reported with its reason, and delays no other cluster', async () => {
    const listed = new Listed();
    listed.values.set('east', 'bad').set('west', 'two');
    await listed.directory.refresh();
    const east = listed.directory.get('east');
    expect(east?.fault?.message).toBe('parameter /evenkeel/prod/clusters/east is bad');
    expect(east?.opened).toBe('east: parameter /evenkeel/prod/clusters/east is bad');
    expect(listed.directory.get('west')?.fault).toBeUndefined();
    expect(listed.metrics.total('ClusterRefused', { Cluster: 'east', Reason: 'BAD' })).toBe(1);
    await listed.clock.advance(60_000);
    await listed.directory.refresh();
    expect(listed.metrics.total('ClusterRefused', { Cluster: 'east' })).toBe(2);
  });

  it('R-6.4 one that changed is opened anew, and one that went is closed', async () => {
    const listed = new Listed();
    listed.values.set('east', 'one').set('west', 'two');
    await listed.directory.refresh();
    listed.values.set('east', 'three');
    listed.values.delete('west');
    await listed.clock.advance(60_000);
    await listed.directory.refresh();
    expect(listed.closed.sort()).toEqual(['one opened', 'two opened']);
    expect(listed.directory.all().map(({ opened }) => opened)).toEqual(['three opened']);
  });
});
