/** How an error of an author's module is shown: by its description, or whole (docs/decisions/0007). */
export { errorLine as describeUnforeseen } from '../adapters/observability/error-description.ts';
export { wholeError } from '../adapters/observability/whole-error.ts';
