import { parseDuration } from '../lib/core/duration.ts';
import { clusterUnusable } from '../lib/deployment/kubernetes/cluster-unusable.ts';
import { stepsToAdd } from './cluster/add-cluster.ts';
import type { ClusterAuth, StageTools } from './cluster/cluster-tools.ts';
import { stepsToRemove } from './cluster/remove-cluster.ts';
import { type Confirm, carryOut, type StepOptions } from './cluster/steps.ts';
import type { Invocation, RunCommand } from './command.ts';
import { deployedSettings } from './deployed-stage.ts';
import { UsageError } from './usage-error.ts';
import { connectContext, openStageTools } from './wiring-cluster.ts';
import { terminalQuestions } from './wiring-terminal.ts';

const DEFAULT_LIFETIME = '8760h';
/** The shortest lifetime that the API server accepts. */
const SHORTEST_LIFETIME_MS = 10 * 60_000;

/** `evenkeel cluster add NAME --context CONTEXT --stage STAGE` */
export const clusterAdd: RunCommand = async (invocation, terminal) => {
  const [name = ''] = invocation.operands;
  if (!invocation.has('context') && !invocation.has('kubeconfig')) {
    throw new UsageError('name the cluster to add with --context NAME or --kubeconfig FILE.');
  }
  const stage = stageOf(invocation);
  const tokenLifetimeSeconds = lifetimeOf(invocation) / 1_000;
  await using tools = openStageTools(stage, { secretsKey: invocation.text('secrets-key') });
  const deployed = await deployedSettings(stage, tools.parameters);
  await using cluster = await connectContext(invocation);
  const addition = { name, auth: authOf(invocation, tools), tokenLifetimeSeconds, deployed };
  try {
    const steps = await stepsToAdd(addition, cluster, tools);
    if (steps.length === 0) terminal.err(`cluster ${name} is registered in stage ${stage}, and nothing is missing`);
    using questions = openQuestions();
    const isDone = await carryOut(steps, optionsOf(invocation, questions.confirm), terminal);
    if (isDone && steps.length > 0) {
      terminal.err(
        `cluster ${name} is registered. The relay finds it within a minute: evenkeel doctor --stage ${stage}`,
      );
    }
    return isDone || invocation.has('dry-run') ? 0 : 1;
  } catch (error) {
    throw clusterUnusable(error, cluster.place);
  }
};

/** `evenkeel cluster remove NAME --stage STAGE` */
export const clusterRemove: RunCommand = async (invocation, terminal) => {
  const [name = ''] = invocation.operands;
  const stage = stageOf(invocation);
  await using tools = openStageTools(stage);
  const { settings } = await deployedSettings(stage, tools.parameters);
  const forgo = invocation.has('forgo');
  const steps = await stepsToRemove({ name, groups: Object.keys(settings.groups).sort(), forgo }, tools);
  if (steps.length === 0) terminal.err(`stage ${stage} has nothing of cluster ${name} any more`);
  using questions = openQuestions();
  const isDone = await carryOut(steps, optionsOf(invocation, questions.confirm), terminal);
  if (isDone) {
    const until = `evenkeel uninstall --context CONTEXT --stage ${stage} --cluster ${name}`;
    terminal.err(`Objects in the cluster keep the finalizers of evenkeel until: ${until}`);
  }
  return isDone || invocation.has('dry-run') ? 0 : 1;
};

function optionsOf(invocation: Invocation, confirm: Confirm): StepOptions {
  return { yes: invocation.has('yes'), dryRun: invocation.has('dry-run'), confirm };
}

function openQuestions(): Disposable & { readonly confirm: Confirm } {
  const questions = terminalQuestions();
  const confirm: Confirm =
    questions === undefined ? undefined : async (question) => /^y(es)?$/i.test((await questions.ask(question)).trim());
  return { confirm, [Symbol.dispose]: () => questions?.[Symbol.dispose]() };
}

function authOf(invocation: Invocation, { region }: Pick<StageTools, 'region'>): ClusterAuth {
  const clusterName = invocation.text('eks');
  if (clusterName !== undefined) {
    return { type: 'eks', clusterName, region: invocation.text('eks-region') ?? region };
  }
  if (invocation.has('eks-region')) throw new UsageError('--eks-region needs the name of the cluster, with --eks.');
  return { type: 'token' };
}

function lifetimeOf(invocation: Invocation): number {
  const text = invocation.text('token-lifetime') ?? DEFAULT_LIFETIME;
  const ms = parseDuration(text);
  if (ms !== undefined && ms >= SHORTEST_LIFETIME_MS) return ms;
  throw new UsageError(`--token-lifetime cannot be "${text}". Use a duration of at least 10 minutes, such as 720h.`);
}

/** Checked before any connection, so that a missing --stage is reported, and not missing AWS settings. */
function stageOf(invocation: Invocation): string {
  const stage = invocation.text('stage');
  if (stage === undefined) throw new UsageError('name the deployment with --stage STAGE.');
  return stage;
}
