import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadKubeconfig } from '../../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import { realCluster } from './real-cluster.ts';
import { KillStorm } from './storm/kill-storm.ts';

/** Four kills take about a minute, twenty take five minutes. docs/measurements.md has the figures of the long run. */
const KILLS = Number(process.env.EVENKEEL_KILLS ?? 4);

/** Resync and the timers of objects are off, because they would hide what a restart loses. */
const SETTINGS = `
intervals: {sweep: 1s, resync: off, targetResync: off}
rateLimit: {burst: 1000}
`;

it(`R-5.21 R-5.5 R-5.7 evenkeel start brings every status right, lists no kind again and repeats no pass when it is killed ${KILLS} times in a storm`, {
  timeout: 300_000 + KILLS * 120_000,
}, async () => {
  await using cluster = await realCluster();
  const { context } = await loadKubeconfig({ file: cluster.kubeconfig, environment: {}, clock: new SystemClock() });
  await using storm = new KillStorm(cluster);
  await writeFile(join(storm.folder.path, 'settings.yaml'), SETTINGS);
  const options = ['--kubeconfig', cluster.kubeconfig, '--context', context, '--settings', 'settings.yaml'];
  await storm.begin([...options, '--log-format', 'json']);

  for (let kill = 1; kill <= KILLS; kill += 1) {
    const { lists, ...found } = await storm.killOnce();
    expect({ kill, ...found }).toEqual({ kill, requestsForUntouched: [], needless: [], deadLetters: 0 });
    // A list of one object asks for the server's current version.
    const small = Object.keys(lists).map((kind) => [kind, ['limit 1']]);
    expect({ kill, lists }).toEqual({ kill, lists: Object.fromEntries(small) });
    expect(Object.keys(lists)).toEqual(expect.arrayContaining(['secrets', 'secretcontracts.evenkeel.dev']));
  }
  console.log(JSON.stringify(storm.figures()));
});
