export * from '../../lib/testing/manual-clock.ts';
