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
  /** Epoch milliseconds: when the pass read. */
  takenAtMs: z.number(),
  /** The reconciled object. */
  target: z.object({ kind: z.string(), namespace: z.string(), name: z.string() }),
  /** What the pass read, each object as the cluster has it, with the values of Secrets replaced. */
  objects: z.array(kubeObject),
  /** What the pass looked for and the cluster has not: `kind/namespace/name`. */
  absent: z.array(z.string()),
  /** What the pass listed: `kind/namespace/*`. */
  listed: z.array(z.string()),
  /** The durable values that the controller lets be shown. */
  values: z.record(z.string(), z.json()),
});

/** What one pass read, as `evenkeel capture` writes it. */
export interface Fixture {
  readonly v: typeof FIXTURE_VERSION;
  readonly takenAtMs: number;
  readonly target: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly objects: readonly KubeObject[];
  readonly absent: readonly string[];
  readonly listed: readonly string[];
  readonly values: DurableValues;
}

/** @throws EvenkeelError INVALID_FIXTURE naming the first field that is wrong. */
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
