export * from '../../lib/testing/seeded-entropy.ts';
