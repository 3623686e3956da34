import type { FieldIssue } from '../../api-error.ts';
import { immutableField, invalidValue, requiredValue } from '../../field-issue.ts';
import { deepEqual, ensureObject, type JsonObject, numberAt, objectAt, objectsAt, stringAt } from '../../json.ts';
import { scaleSubresource } from '../../scale/scale.ts';
import { ageColumn, column, nameColumn, wide } from '../../table/standard-columns.ts';
import { builtIn } from './define.ts';
import { validatePodSpec } from './pod.ts';
import { defaultPodSpec, setDefault } from './pod-template.ts';
import { selectorText } from './selector-text.ts';

const scaled = new Map([
  [
    'scale',
    scaleSubresource({
      specReplicas: ['spec', 'replicas'],
      statusReplicas: ['status', 'replicas'],
      selectorOf: (object) => selectorText(objectAt(objectAt(object, 'spec'), 'selector')),
    }),
  ],
]);

export const deploymentType = builtIn({
  group: 'apps',
  resource: 'deployments',
  kind: 'Deployment',
  fields: ['spec', 'status'],
  shortNames: ['deploy'],
  categories: ['all'],
  subresources: ['status'],
  others: scaled,
  columns: [
    nameColumn,
    column(
      'Ready',
      (object) => `${replicas(object, 'readyReplicas')}/${numberAt(objectAt(object, 'spec'), 'replicas') ?? 0}`,
      {
        description: 'Number of the pod with ready state',
      },
    ),
    column('Up-to-date', (object) => replicas(object, 'updatedReplicas')),
    column('Available', (object) => replicas(object, 'availableReplicas')),
    ageColumn,
    ...templateColumns(),
  ],
  shape(object) {
    const spec = objectAt(object, 'spec');
    if (spec === undefined) return;
    setDefault(spec, 'replicas', 1);
    setDefault(spec, 'strategy', {});
    const strategy = ensureObject(spec, 'strategy');
    setDefault(strategy, 'type', 'RollingUpdate');
    if (strategy.type === 'RollingUpdate') {
      const rolling = ensureObject(strategy, 'rollingUpdate');
      setDefault(rolling, 'maxUnavailable', '25%');
      setDefault(rolling, 'maxSurge', '25%');
    }
    setDefault(spec, 'revisionHistoryLimit', 10);
    setDefault(spec, 'progressDeadlineSeconds', 600);
    defaultTemplate(spec);
  },
  strategy: {
    generation: true,
    changesGeneration: (object, old) =>
      !deepEqual(object.spec, old.spec) || !deepEqual(annotationsOf(object), annotationsOf(old)),
    prepareForCreate(object) {
      object.status = {};
    },
    validate: validateWorkload,
    validateUpdate: (object, old, subresource) => (subresource === 'status' ? [] : validateWorkloadUpdate(object, old)),
  },
});

export const replicaSetType = builtIn({
  group: 'apps',
  resource: 'replicasets',
  kind: 'ReplicaSet',
  fields: ['spec', 'status'],
  shortNames: ['rs'],
  categories: ['all'],
  subresources: ['status'],
  others: scaled,
  selectableFields: new Map([['status.replicas', ['status', 'replicas']]]),
  columns: [
    nameColumn,
    column('Desired', (object) => numberAt(objectAt(object, 'spec'), 'replicas') ?? 0, { type: 'integer' }),
    column('Current', (object) => replicas(object, 'replicas'), { type: 'integer' }),
    column('Ready', (object) => replicas(object, 'readyReplicas'), { type: 'integer' }),
    ageColumn,
    ...templateColumns(),
  ],
  shape(object) {
    const spec = objectAt(object, 'spec');
    if (spec === undefined) return;
    setDefault(spec, 'replicas', 1);
    defaultTemplate(spec);
  },
  strategy: {
    generation: true,
    changesGeneration: (object, old) => !deepEqual(object.spec, old.spec),
    prepareForCreate(object) {
      object.status = { replicas: 0 };
    },
    validate: validateWorkload,
    validateUpdate: (object, old, subresource) => (subresource === 'status' ? [] : validateWorkloadUpdate(object, old)),
  },
});

function templateColumns() {
  const containers = (object: JsonObject): readonly JsonObject[] =>
    objectsAt(objectAt(objectAt(objectAt(object, 'spec'), 'template'), 'spec'), 'containers');
  const joined = (object: JsonObject, field: string): string =>
    containers(object)
      .map((container) => stringAt(container, field))
      .join(',');
  return [
    wide('Containers', (object) => joined(object, 'name'), { description: 'Names of each container in the template.' }),
    wide('Images', (object) => joined(object, 'image'), {
      description: 'Images referenced by each container in the template.',
    }),
    wide('Selector', (object) => selectorText(objectAt(objectAt(object, 'spec'), 'selector'))),
  ];
}

function replicas(object: JsonObject, field: string): number {
  return numberAt(objectAt(object, 'status'), field) ?? 0;
}

function annotationsOf(object: JsonObject): JsonObject {
  return objectAt(objectAt(object, 'metadata'), 'annotations') ?? {};
}

function defaultTemplate(spec: JsonObject): void {
  const podSpec = objectAt(objectAt(spec, 'template'), 'spec');
  if (podSpec !== undefined) defaultPodSpec(podSpec);
}

function validateWorkload(object: JsonObject): FieldIssue[] {
  const spec = objectAt(object, 'spec');
  const selector = objectAt(spec, 'selector');
  const template = objectAt(spec, 'template');
  const labels = objectAt(objectAt(template, 'metadata'), 'labels') ?? {};
  const issues: FieldIssue[] = [];
  if (selector === undefined) issues.push(requiredValue('spec.selector'));
  if (selector === undefined || !selects(selector, labels)) {
    const detail = '`selector` does not match template `labels`';
    issues.push(invalidValue('spec.template.metadata.labels', labels, detail));
  }
  return [...issues, ...validatePodSpec(objectAt(template, 'spec'), 'spec.template.spec')];
}

function selects(selector: JsonObject, labels: JsonObject): boolean {
  const wanted = Object.entries(objectAt(selector, 'matchLabels') ?? {});
  const expressions = objectsAt(selector, 'matchExpressions');
  return (wanted.length > 0 || expressions.length > 0) && wanted.every(([key, value]) => labels[key] === value);
}

function validateWorkloadUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const selector = objectAt(object, 'spec')?.selector;
  const changed = !deepEqual(selector, objectAt(old, 'spec')?.selector);
  return [...validateWorkload(object), ...(changed ? [immutableField('spec.selector', selector)] : [])];
}
