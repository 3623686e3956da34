import type { Stage } from './stage.ts';

/** The folder of the functions' bundles, relative to serverless.yml: in this repository, or in an author's project. */
export function bundleFolder({ author }: Pick<Stage, 'author'>): string {
  return author === undefined ? 'infra/generated' : 'generated';
}
