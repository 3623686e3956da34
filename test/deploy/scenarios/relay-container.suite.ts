import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { relayVariablesParameter } from '../../../functions/cloud/cloud-names.ts';
import { eventually } from '../../e2e/support/eventually.ts';
import { STAGE } from '../support/cloud-world.ts';
import { type Deployed, right } from './deployed.ts';

/** Lets no code write a file, as on a read-only root file system, nor start a process. */
const READ_ONLY = ['--permission', '--allow-fs-read=*'];

const CLUSTERS = ['east', 'west'];

/** The same relay as a process. */
export function relayContainer(deployed: () => Deployed): void {
  it('R-5.5 R-5.7 the relay as a container takes over from a function that died, writes no file, and gives its leases back', async () => {
    const { world, east, west } = deployed();
    const built = await world.copy.node('build/relay-container.ts');
    expect(built.code, built.output).toBe(0);
    const { Variables } = await world.functionEnvironment('relay');
    await world.putParameter(relayVariablesParameter(STAGE), JSON.stringify(Variables));
    const before = await Promise.all(CLUSTERS.map((name) => world.relayHold(name)));
    const child = spawn(process.execPath, [...READ_ONLY, 'infra/generated/relay-container/index.mjs'], {
      cwd: world.copy.folder,
      env: { ...world.copy.environment(), EVENKEEL_STAGE: STAGE, EVENKEEL_PROBE_PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'exit');
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
    try {
      const probes = await eventually('probes', async () => /"probes":"(http:[^"]+)"/.exec(output)?.[1]);
      await eventually('readiness', async () => ((await fetch(`${probes}/ready`)).ok ? true : undefined));
      expect((await fetch(`${probes}/live`)).status).toBe(200);
      // What happened before it had the leases is in the watch that it resumes.
      await east.edits.toggleSecret('web-8');
      await west.edits.toggleContract('web-9');
      for (const [index, name] of CLUSTERS.entries()) {
        await eventually(`hold of ${name} by the container`, async () => {
          // The schedule starts functions meanwhile.
          world.kill('relay');
          const { epoch, untilMs } = await world.relayHold(name);
          return epoch > (before[index]?.epoch ?? 0) && untilMs > Date.now() ? true : undefined;
        });
      }
      await right(east, ['web-8']);
      await right(west, ['web-9']);
    } finally {
      child.kill('SIGTERM');
    }
    expect(await ended, output).toEqual([0, null]);
    expect(output).toContain('the relay gave its clusters back');
    for (const name of CLUSTERS) expect((await world.relayHold(name)).untilMs).toBeLessThan(Date.now());
    await world.deleteParameter(relayVariablesParameter(STAGE));
    await world.call('relay');
  });
}
