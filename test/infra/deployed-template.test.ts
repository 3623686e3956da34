import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { functions } from '../../infra/functions.ts';
import { outputs } from '../../infra/outputs.ts';
import { resources } from '../../infra/serverless-parts.ts';
import { loadStage, type Stage } from '../../infra/stage.ts';
import { aRichStage, aStage } from './a-stage.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Fields that people read and AWS does not. */
const PROSE = new Set(['description', 'Description', 'AlarmDescription', 'DashboardBody']);

/**
 * Everything that a stage deploys, without prose and with sorted fields, because their order has no meaning in a
 * template.
 */
function template(stage: Stage): string {
  const whole = { functions: functions(stage, '0.0.0'), resources: resources(stage, '0.0.0'), outputs: outputs(stage) };
  return stringify(sorted(JSON.parse(JSON.stringify(whole))), { lineWidth: 0, aliasDuplicateObjects: false });
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => !PROSE.has(name));
  entries.sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([name, field]) => [name, sorted(field)]));
}

/** A stage that an earlier release deployed. Its settings say that its names contain no region. */
function asDeployedBefore(stage: Stage): Stage {
  return { ...stage, cloud: { ...stage.cloud, names: 'stage' } };
}

describe('the template of a stage', () => {
  const settings = { groups: { 'control-plane': {}, t4: {} } };
  it.each<[string, () => Stage]>([
    ['prod', () => asDeployedBefore(loadStage('prod', ROOT))],
    ['rich', aRichStage],
    ['container', () => aStage({ settings, cloud: { relay: 'container' } })],
  ])('R-6.8 stage %s keeps the resources that an earlier release deployed', async (name, stage) => {
    // A changed name in this file means that a deployment replaces a resource: the table or a queue would lose its
    // content.
    await expect(template(stage())).toMatchFileSnapshot(`templates/${name}.yaml`);
  });
});
