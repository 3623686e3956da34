import { z } from 'zod';
import { EvenkeelError } from '../../core/errors.ts';
import { type PlannedWrites, plannedWrites } from '../../core/planned-writes.ts';
import { fileFault } from '../files/file-fault.ts';
import { readText } from '../files/read-text.ts';

/** The fields of the output of `evenkeel plan -o json` that a rollout needs. */
const savedPlan = z.object({
  errors: z.array(z.unknown()),
  writes: z.array(
    z.object({
      kind: z.string(),
      namespace: z.string(),
      name: z.string(),
      creates: z.boolean(),
      deletes: z.boolean(),
      paths: z.array(z.string()),
    }),
  ),
});

/**
 * The writes of a saved plan.
 * @param file absolute.
 * @throws EvenkeelError INVALID_PLAN if the file cannot be read, is not a plan, or is a plan that could not evaluate
 * every object.
 */
export function readSavedPlan(file: string): PlannedWrites {
  const fault = (why: string) =>
    new EvenkeelError('INVALID_PLAN', `${file}: ${why}. Write it with: evenkeel plan -o json > ${file}`);
  let content: unknown;
  try {
    content = JSON.parse(readText(file));
  } catch (error) {
    throw fault(error instanceof SyntaxError ? 'it is not JSON' : `it cannot be read: ${fileFault(error).why}`);
  }
  const read = savedPlan.safeParse(content);
  if (!read.success) throw fault('it is no plan of this release');
  const { errors, writes } = read.data;
  if (errors.length > 0) throw fault(`the plan has ${errors.length} errors, so it does not know every write`);
  return plannedWrites(writes);
}
