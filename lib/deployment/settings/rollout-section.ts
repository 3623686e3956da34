import { z } from 'zod';
import { noted } from '../../controllers/field-note.ts';
import { EvenkeelError } from '../../core/errors.ts';
import { parseLabelSelector } from '../../core/label-selector.ts';

/** Reports a text that is not a label selector. */
export function checkLabelSelector(text: string, context: z.RefinementCtx): void {
  try {
    parseLabelSelector(text);
  } catch (error) {
    if (!(error instanceof EvenkeelError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
  }
}

const stageSchema = z
  .strictObject({
    percent: z.number().gt(0).max(100).optional(),
    labelSelector: z.string().min(1).max(1_000).superRefine(checkLabelSelector).optional(),
    clusters: z.array(z.string().min(1)).min(1).max(100).optional(),
  })
  .refine((stage) => Object.keys(stage).length > 0, { message: 'a stage names a percent, a labelSelector or clusters' })
  .transform(({ percent, labelSelector, clusters }) => ({
    ...(percent !== undefined && { percent }),
    ...(labelSelector !== undefined && { labelSelector }),
    ...(clusters !== undefined && { clusters }),
  }));

/** How a new version takes over the objects. */
export const rolloutSection = z
  .strictObject({
    controllers: noted(z.array(z.string().min(1)).min(1).max(100).optional(), {
      about:
        'Modules with the new versions of your own controllers, next to `controllers`. They reconcile the objects of the active stages (docs/plan.md). Without them, the stages limit which unchanged objects get a pass because of a new version.',
      allowed: 'a list of 1 to 100 paths of files',
      example: '[./next.ts]',
    }),
    stages: noted(z.array(stageSchema).min(1).max(20), {
      about:
        'Shares of the objects, in order. Each has a percent (by a hash of the version and the UID), a labelSelector, a list of clusters, or several of these that all apply.',
      allowed: 'a list of 1 to 20 sections with percent, labelSelector or clusters',
      example: '[{percent: 5}, {percent: 100}]',
    }),
    stage: noted(z.int().min(0).max(20).prefault(0), {
      about: 'How many of the stages are active. 0 sends every object back to the version before.',
      allowed: 'a whole number from 0 to 20',
      example: '1',
    }),
    plan: noted(z.string().min(1).optional(), {
      about:
        'File with the output of `evenkeel plan -o json` for the new version. A write that it does not have stops the rollout.',
      allowed: 'the path of a file',
      example: './plan.json',
    }),
  })
  .refine(({ stage, stages }) => stage <= stages.length, {
    path: ['stage'],
    message: 'is more than there are stages',
  })
  .refine(({ plan, controllers }) => plan === undefined || controllers !== undefined, {
    path: ['plan'],
    message: 'holds the modules in rollout.controllers to it, and there are none',
  })
  .optional();
