import type { ConsoleSource } from '../../../cli/console/console-source.ts';
import { consoleSource } from '../../../cli/console/console-source.ts';
import type { Inspection, SelectedDeadLetters } from '../../../cli/inspection/inspection.ts';
import { knownKinds } from '../../../cli/inspection/known-kinds.ts';
import { MemoryFifoQueue } from '../../../lib/adapters/memory/memory-fifo-queue.ts';
import { mergeConditions, readConditions } from '../../../lib/core/conditions.ts';
import type { ReconcileResult } from '../../../lib/core/controller.ts';
import type { JsonObject, KubeObject } from '../../../lib/core/kube-object.ts';
import { checkAt, retry, settled, terminal } from '../../../lib/core/outcome.ts';
import type { ReconcileContext } from '../../../lib/core/reconcile-context.ts';
import { Secrets } from '../../../lib/core/resource-type.ts';
import { settingsSchema } from '../../../lib/deployment/settings/settings-schema.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import type { DeadLetter, DeadLetterQueue } from '../../../lib/ports/dead-letters.ts';
import { TEST_CLUSTER, World } from '../../../lib/testing/world.ts';
import { createWidget, WIDGET_DEFINITION, Widgets, widgetController } from '../../support/widget.ts';

/** The only value of a Secret in the world. Nobody may see it. */
export const SECRET_VALUE = 'hunter2-never-shown';
/** A text that anybody could write into a field. */
export const HOSTILE =
  '<script>globalThis.wasRun = true</script><img src=x onerror="globalThis.wasRun = true">\u202egnp.exe\u0007';

/** Dead letters in memory. Each queue of events contains all of them, also the queues of other stages. */
export class HeldLetters implements SelectedDeadLetters {
  readonly sent: string[] = [];
  #letters: DeadLetter[];
  readonly #others: readonly string[];

  /** @param others more stages that have queues in the account. */
  constructor(letters: readonly DeadLetter[], others: readonly string[] = []) {
    this.#letters = [...letters];
    this.#others = others;
  }

  async queues(stage: string): Promise<DeadLetterQueue[]> {
    const all = [stage, ...this.#others].flatMap((name) => [
      { name: `evenkeel-${name}-widgets-events-dead`, count: this.#letters.length },
      { name: `evenkeel-${name}-widgets-resync-dead`, count: 0 },
    ]);
    return all.filter(({ name }) => name.startsWith(`evenkeel-${stage}-`));
  }

  async peek(): Promise<DeadLetter[]> {
    return this.#letters;
  }

  async redrive(...[queue, onSent, choose]: Parameters<SelectedDeadLetters['redrive']>): Promise<void> {
    for (const letter of [...this.#letters]) {
      const choice = (await choose?.(letter)) ?? 'send';
      if (choice === 'end') return;
      if (choice === 'keep') continue;
      this.sent.push(`${queue.name} ${letter.messageId}`);
      this.#letters = this.#letters.filter((held) => held !== letter);
      onSent(letter);
    }
  }
}

export interface ConsoleWorld {
  readonly world: World;
  readonly source: ConsoleSource;
  readonly letters: HeldLetters;
  /** Creates a Widget with this outcome, and runs its first pass. */
  reconcile(name: string, spec: WidgetSpec): Promise<KubeObject>;
  pass(object: KubeObject): Promise<void>;
}

export interface WidgetSpec {
  readonly ends?: 'retry' | 'terminal' | 'checkAt' | 'settled';
  /** The Secret that the widget needs. */
  readonly secret?: string;
  readonly message?: string;
}

async function reconcile(object: KubeObject, context: ReconcileContext): Promise<ReconcileResult> {
  const { ends, secret, message } = object.spec as WidgetSpec;
  const namespace = object.metadata.namespace ?? '';
  const found = secret === undefined ? undefined : await context.get(Secrets, { namespace, name: secret });
  if (ends === 'retry')
    return { outcome: retry(new ApiError('Forbidden', 'the API server refused to read secrets: RBAC of evenkeel')) };
  if (ends === 'terminal') return { outcome: terminal('InvalidSpec', message ?? 'spec.size is not a number') };
  const isReady = secret === undefined || found !== undefined;
  const conditions = mergeConditions(
    readConditions(object.status),
    [
      {
        type: 'Ready',
        status: isReady ? 'True' : 'False',
        reason: isReady ? 'AllSatisfied' : 'SecretNotFound',
        message: message ?? (isReady ? 'everything is there' : `the Secret ${secret} does not exist`),
      },
    ],
    object.metadata.generation ?? 0,
    context.nowMs,
  );
  const outcome = ends === 'checkAt' ? checkAt(context.nowMs + 3_600_000) : settled();
  return { outcome, status: { conditions } as unknown as JsonObject };
}

export async function consoleWorld(
  options: {
    readOnly?: boolean;
    api?: boolean;
    letters?: readonly DeadLetter[];
    stage?: string;
    /** More stages in the account. */
    others?: readonly string[];
  } = {},
): Promise<ConsoleWorld> {
  const world = new World({ controllers: [widgetController({ conditions: ['Ready'], reconcile })] });
  await world.install([WIDGET_DEFINITION]);
  await world.create(Secrets, {
    metadata: { name: 'token', namespace: 'default' },
    data: { token: Buffer.from(SECRET_VALUE).toString('base64') },
  } as never);
  const settings = settingsSchema.parse({ intervals: { targetResync: '6h' } });
  const letters = new HeldLetters(options.letters ?? [], options.others);
  const lane = () => new MemoryFifoQueue({ clock: world.clock, maxReceiveCount: 10 });
  const queues = { widgets: { events: lane(), resync: lane() } };
  const inspection: Inspection = {
    cluster: TEST_CLUSTER,
    registry: world.registry,
    settings,
    kinds: knownKinds([Widgets], [WIDGET_DEFINITION as never]),
    store: world.store,
    sender: async () => world.sender,
    operated: {
      stage: options.stage ?? 'local',
      isCloud: options.stage !== undefined,
      authorGroups: ['widgets'],
      deadLetters: letters,
      queues: async () => queues,
    },
    api: options.api === false ? undefined : world.user,
    clock: world.clock,
    by: 'ann@laptop',
    [Symbol.asyncDispose]: async () => {},
  };
  const pass = async (object: KubeObject) => {
    await world.sender.sendAll('events', [world.event(Widgets, object)]);
    await world.drain();
  };
  return {
    world,
    source: consoleSource(inspection, options.readOnly ?? false),
    letters,
    pass,
    async reconcile(name, spec) {
      const object = await createWidget(world, name, spec);
      await pass(object);
      return object;
    },
  };
}
