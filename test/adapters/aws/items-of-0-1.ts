/**
 * The items of release 0.1 in a table: a target that was reconciled and failed once, and its edge. They never change,
 * because they are what a rolling deployment or a rollback finds.
 */
export const TARGET_OF_0_1 = {
  pk: { S: 'T#c#widgets.dev#0' },
  sk: { S: 'u' },
  objectName: { S: 'default/one' },
  format: { N: '1' },
  epoch: { N: '1750000000001' },
  committedEpoch: { N: '1750000000001' },
  incarnation: { N: '1' },
  failures: { N: '1' },
  tokens: { N: '1' },
  tokensAt: { N: '1750000000000' },
  durableValues: { S: '{"rev":3}' },
  wakeSent: { BOOL: false },
  reconcilerVersion: { S: '1' },
  lastOutcome: {
    S: '{"type":"settled","reason":"Settled","message":"","atMs":1750000000000,"durationMs":1,"cause":"updated"}',
  },
  observedVersion: { N: '5' },
  observedGeneration: { N: '2' },
  dueAt: { N: '1750000000001' },
  dueShard: { N: '0' },
  edgeKeys: { SS: ['secrets/default/a'] },
  versions: { M: { 'secrets/default/a': { N: '1' } } },
};

/** A poll as release 0.1 stores it, without wakeSent. */
export const POLL_OF_0_1 = {
  pk: { S: 'P#c#secrets' },
  sk: { S: 'x' },
  pollCounter: { N: '2' },
  pollInterval: { N: '30000' },
  seenVersion: { N: '7' },
  dueAt: { N: '1750000030000' },
  dueShard: { N: '0' },
};

export const EDGE_OF_0_1 = {
  pk: { S: 'D#c#secrets#0' },
  sk: { S: 'default/a#c/widgets.dev/u' },
  epoch: { N: '3' },
  readerName: { S: 'default/one' },
};
