import { describe, expect, it } from 'vitest';
import {
  checkpointKey,
  clusterKey,
  dueShard,
  edgeKey,
  edgePrefix,
  parseDueKey,
  parseEdgeKey,
  pollKey,
  targetKey,
} from '../../lib/adapters/state-keys.ts';

const reader = { cluster: 'prod', kind: 'sessions.t4.evenkeel.dev', uid: 'uid-1', namespace: 'apps', name: 'web' };

describe('keys of the table', () => {
  it('R-6.8 keys never change, so that stored state is found where it is', () => {
    const poll = { cluster: 'prod', group: 't4', kind: 'configmaps', namespace: 'apps', name: 'settings' };
    const edge = { cluster: 'prod', key: 'secrets/apps/db.v1', reader, epoch: 1 };
    expect(targetKey(reader, 8)).toEqual({ pk: 'T#prod#sessions.t4.evenkeel.dev#3', sk: 'uid-1' });
    expect(edgeKey(edge, 8)).toEqual({ pk: 'D#prod#secrets#5', sk: 'apps/db.v1#prod/sessions.t4.evenkeel.dev/uid-1' });
    expect(edgePrefix('prod', 'secrets/apps/*', 8)).toEqual({ pk: 'D#prod#secrets#5', sk: 'apps/*#' });
    expect(pollKey(poll)).toEqual({ pk: 'P#prod#t4#configmaps', sk: 'apps/settings' });
    expect(checkpointKey('prod', 'secrets')).toEqual({ pk: 'R#prod#secrets', sk: 'checkpoint' });
    expect(clusterKey('prod')).toEqual({ pk: 'R#prod', sk: 'health' });
    expect(dueShard(targetKey(reader, 8), 8)).toBe(3);
  });

  it.each(['secrets/apps/db.v1', 'secrets/apps/*', 'secrets//*', 'namespaces//apps', "roles/apps/system:a#b'c"])(
    'R-1.8 an edge of %s reads back from its key',
    (key) => {
      const { cluster, kind, uid } = reader;
      expect(parseEdgeKey(edgeKey({ cluster: 'prod', key, reader, epoch: 1 }, 8))).toEqual({
        cluster: 'prod',
        key,
        reader: { cluster, kind, uid },
      });
    },
  );

  it('R-1.25 a key in the index names a target or a poll; others are ignored', () => {
    const poll = { cluster: 'prod', group: 't4', kind: 'configmaps', namespace: '', name: 'settings' };
    expect(parseDueKey(targetKey(reader, 8), 5)).toEqual({
      type: 'target',
      target: { cluster: 'prod', kind: reader.kind, uid: 'uid-1' },
      dueAtMs: 5,
    });
    expect(parseDueKey(pollKey(poll), 5)).toEqual({ type: 'poll', poll, dueAtMs: 5 });
    expect(parseDueKey({ pk: 'X#prod#later', sk: 'x' }, 5)).toBeUndefined();
  });
});
