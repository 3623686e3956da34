import { EvenkeelError } from '../../core/errors.ts';
import { parseLabelSelector as parse } from '../../core/label-selector.ts';
import { badRequest } from '../api-error.ts';
import type { JsonObject } from '../json.ts';

/** Whether an object's labels satisfy the selector. */
export type LabelSelector = (labels: JsonObject) => boolean;

/**
 * Parses a label selector such as `app=web,tier in (a, b),!canary`. Returns undefined for an empty one.
 * @throws ApiError 400 when it cannot be parsed.
 */
export function parseLabelSelector(selector: string): LabelSelector | undefined {
  if (selector.trim() === '') return undefined;
  try {
    const { matches } = parse(selector);
    // Validation has made sure that all labels are strings.
    return (labels) => matches(labels as Record<string, string>);
  } catch (error) {
    if (!(error instanceof EvenkeelError)) throw error;
    throw badRequest(`unable to parse requirement: ${error.message}`);
  }
}
