import { z } from 'zod';
import { EvenkeelError } from '../../core/errors.ts';

/** Raised only when older code could not read the file. Fields that a release does not know are ignored. */
const EXPORT_VERSION = 1;

const objectSchema = z.object({
  kind: z.string().min(1),
  namespace: z.string(),
  name: z.string().min(1),
  uid: z.string().min(1),
  /** The controller's durable values; absent when there are none. */
  values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  /**
   * The number of consecutive failures, and the time of the next pass in epoch ms. Both are absent when the last pass
   * did not fail.
   */
  failures: z.int().positive().optional(),
  retryAtMs: z.number().optional(),
  /** Who published the condition types that the controller does not declare. */
  conditionOwners: z.record(z.string(), z.enum(['controller', 'engine'])).optional(),
});

const exportSchema = z.object({
  format: z.literal('evenkeel-export'),
  v: z.number(),
  /** ISO 8601. */
  exportedAt: z.string(),
  /** The release that wrote it. */
  release: z.string(),
  cluster: z.object({
    name: z.string().min(1),
    /** The UID of the namespace kube-system; absent when no pass or watch of the cluster has started yet. */
    uid: z.string().optional(),
    paused: z.boolean(),
  }),
  objects: z.array(objectSchema),
});

/** The state of one object that cannot be found in the cluster again. */
export type ExportedObject = z.infer<typeof objectSchema>;

/**
 * The state that one installation has of one cluster and that cannot be found in the cluster again. It contains no
 * value of a Secret.
 */
export type ExportedState = z.infer<typeof exportSchema>;

/** One line for each object, so that two exports can be compared. */
export function exportText({ objects, ...head }: Omit<ExportedState, 'format' | 'v'>): string {
  const first = JSON.stringify({ format: 'evenkeel-export', v: EXPORT_VERSION, ...head });
  const lines = objects.map((object) => JSON.stringify(object)).join(',\n');
  return `${first.slice(0, -1)},"objects":[\n${lines}\n]}\n`;
}

/**
 * @param where the name of the text in errors, e.g. its file.
 * @throws EvenkeelError INVALID_EXPORT unless the text is a whole export of this version or an older one.
 */
export function parseExport(text: string, where: string): ExportedState {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw invalid(`${where} is no whole JSON document: export again`, error);
  }
  const { format, v } = (json ?? {}) as { format?: unknown; v?: unknown };
  if (format !== 'evenkeel-export') throw invalid(`${where} was not written by evenkeel export: name another file`);
  if (typeof v === 'number' && v > EXPORT_VERSION) {
    throw invalid(
      `${where} has version ${v}, and this release reads ${EXPORT_VERSION} at most: install the release that wrote it`,
    );
  }
  const parsed = exportSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const place = parsed.error.issues[0]?.path.join('.') ?? '';
  throw invalid(`${where} was changed: the field ${place} cannot be read. Export again`, parsed.error);
}

function invalid(message: string, cause?: unknown): EvenkeelError {
  return new EvenkeelError('INVALID_EXPORT', message, { cause });
}
