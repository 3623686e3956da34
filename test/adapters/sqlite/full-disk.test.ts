import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { StateFileError } from '../../../lib/adapters/sqlite/sqlite-failure.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import { type Mount, mountSmall, whyNoMount } from './mounts.ts';
import { openTestState } from './test-state.ts';
import { dump } from './workload.ts';

const why = whyNoMount();
const body = 'x'.repeat(900);

describe.skipIf(why !== undefined)(
  `a state file on a disk of its own${why === undefined ? '' : ` (skipped: ${why})`}`,
  () => {
    const mounts: Mount[] = [];
    afterEach(() => {
      for (const mount of mounts.splice(0)) mount.unmount();
    });

    function mounted(size: string): Mount {
      const mount = mountSmall(size);
      mounts.push(mount);
      return mount;
    }

    it.each(['600k', '900k', '2m'])(
      'R-5.5 no acknowledged write is lost when a disk of %s is full, and writes continue when there is space',
      async (size) => {
        const { directory } = mounted(size);
        const ballast = join(directory, 'ballast');
        writeFileSync(ballast, Buffer.alloc(200 * 1024));
        const { state } = await openTestState({ directory });
        const queue = await state.fifoQueue('evenkeel-local-events');
        const accepted: string[] = [];
        let failure: unknown;
        for (let count = 0; failure === undefined && count < 5_000; count += 1) {
          const message = {
            body: `${count}:${body}`,
            messageGroupId: `g-${count % 7}`,
            deduplicationId: String(count),
          };
          try {
            const [result] = await queue.send([message]);
            if (result?.accepted === true) accepted.push(message.body);
          } catch (error) {
            failure = error;
          }
        }
        expect(failure).toBeInstanceOf(InfrastructureError);
        expect(String(failure)).toMatch(/the disk is full|check that its disk works and has space/);
        expect(await queue.waiting()).toBe(accepted.length);
        rmSync(ballast);
        await queue.send([{ body: 'more', messageGroupId: 'g-0', deduplicationId: 'more' }]);
        state.close();
        const again = await openTestState({ directory });
        expect(await (await again.state.fifoQueue('evenkeel-local-events')).waiting()).toBe(accepted.length + 1);
        again.state.close();
        const held = dump(state.path);
        for (const one of [...accepted, 'more']) expect(held).toContain(JSON.stringify(one));
      },
    );

    it.each(['0', '16k', '40k'])(
      'R-6.4 a clear error says that there is no space when only %s are left for a new file',
      async (left) => {
        const { directory } = mounted('256k');
        writeFileSync(join(directory, 'ballast'), Buffer.alloc((256 - Number.parseInt(left, 10)) * 1024));
        await expect(openTestState({ directory })).rejects.toThrow(/disk is full|has space/);
        rmSync(join(directory, 'ballast'));
      },
    );

    it('R-6.4 a clear error says that the file system is read-only, with a state file and without', async () => {
      const mount = mounted('2m');
      const { state } = await openTestState({ directory: mount.directory });
      await state.store.setPaused('local', true);
      state.close();
      mount.makeReadOnly();
      const opening = openTestState({ directory: mount.directory });
      await expect(opening).rejects.toThrow(StateFileError);
      await expect(opening).rejects.toThrow(/its file system is read-only/);
      await expect(openTestState({ directory: join(mount.directory, 'new') })).rejects.toThrow(
        /its file system is read-only/,
      );
      expect(readFileSync(state.path, 'latin1')).toContain('"paused":true');
    });
  },
);
