import type { Stage } from './stage.ts';

/** Where the functions' bundles are written, from the folder of serverless.yml: in this repository, or in an author's. */
export function bundleFolder({ author }: Pick<Stage, 'author'>): string {
  return author === undefined ? 'infra/generated' : 'generated';
}
