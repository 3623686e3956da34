import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { exitSignal } from '../../../cli/local/exit-signal.ts';

describe('exitSignal', () => {
  const onFirst = vi.fn();
  const exit = vi.spyOn(process, 'exit');

  beforeEach(() => {
    vi.useFakeTimers();
    onFirst.mockClear();
    exit.mockReset().mockReturnValue(undefined as never);
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  it('R-6.1 one Ctrl-C that the terminal and a parent both deliver drains, and does not end at once', () => {
    using ending = exitSignal(onFirst);
    process.emit('SIGINT');
    vi.advanceTimersByTime(100);
    process.emit('SIGINT');
    expect(ending.signal.aborted).toBe(true);
    expect(onFirst).toHaveBeenCalledTimes(1);
    expect(exit).not.toHaveBeenCalled();
  });

  it('R-6.1 a second Ctrl-C ends at once', () => {
    using _ending = exitSignal(onFirst);
    process.emit('SIGINT');
    vi.advanceTimersByTime(1_000);
    process.emit('SIGTERM');
    expect(exit).toHaveBeenCalledExactlyOnceWith(130);
  });

  it('R-6.1 below npm the end of its shell is a signal to end', () => {
    let parent = 7;
    using ending = exitSignal(onFirst, () => parent);
    vi.advanceTimersByTime(10_000);
    expect(ending.signal.aborted).toBe(false);
    parent = 1;
    vi.advanceTimersByTime(1_000);
    expect(ending.signal.aborted).toBe(true);
    vi.advanceTimersByTime(10_000);
    expect(onFirst).toHaveBeenCalledTimes(1);
    expect(exit).not.toHaveBeenCalled();
  });

  it('leaves no listener behind', () => {
    const before = process.listenerCount('SIGTERM');
    exitSignal(onFirst, () => 7)[Symbol.dispose]();
    expect(process.listenerCount('SIGTERM')).toBe(before);
    expect(vi.getTimerCount()).toBe(0);
  });
});
