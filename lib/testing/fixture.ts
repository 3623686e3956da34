import { z } from 'zod';
import { EvenkeelError } from '../core/errors.ts';
import type { KubeObject } from '../core/kube-object.ts';
import type { DurableValues } from '../core/reconcile-context.ts';

export const FIXTURE_VERSION = 1;

const kubeObject = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), uid: z.string(), resourceVersion: z.string() }),
});

const fixtureSchema = z.object({
  v: z.literal(FIXTURE_VERSION),
  /** When the pass read, epoch milliseconds. */
  takenAtMs: z.number(),
  /** The reconciled object. */
  target: z.object({ kind: z.string(), namespace: z.string(), name: z.string() }),
  /** The objects that the pass read, as in the cluster, with the values of Secrets replaced. */
  objects: z.array(kubeObject),
  /** The objects that the pass looked for and that are not in the cluster: `kind/namespace/name`. */
  absent: z.array(z.string()),
  /** The lists that the pass read: `kind/namespace/*`. */
  listed: z.array(z.string()),
  /** The durable values that the controller declares as shown. */
  values: z.record(z.string(), z.json()),
});

/** Everything that one pass read, as `evenkeel capture` writes it. */
export interface Fixture {
  readonly v: typeof FIXTURE_VERSION;
  /** When the pass read, epoch ms. */
  readonly takenAtMs: number;
  /** The reconciled object. `kind` is the id of its kind. */
  readonly target: { readonly kind: string; readonly namespace: string; readonly name: string };
  /** The objects that the pass read, as in the cluster, with the values of Secrets replaced. */
  readonly objects: readonly KubeObject[];
  /** The objects that the pass looked for and that are not in the cluster: `kind/namespace/name`. */
  readonly absent: readonly string[];
  /** The lists that the pass read: `kind/namespace/*`. */
  readonly listed: readonly string[];
  /** The durable values that the controller declares as shown. */
  readonly values: DurableValues;
}

/** @throws EvenkeelError INVALID_FIXTURE with the first wrong field. */
export function parseFixture(value: unknown): Fixture {
  const { data, error } = fixtureSchema.safeParse(value);
  if (data !== undefined) return data as unknown as Fixture;
  const [issue] = error.issues;
  const where = issue === undefined || issue.path.length === 0 ? 'the file' : issue.path.join('.');
  throw new EvenkeelError(
    'INVALID_FIXTURE',
    `${where} is not as evenkeel capture writes it. Capture the object again.`,
  );
}
