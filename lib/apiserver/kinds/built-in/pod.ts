import type { FieldIssue } from '../../api-error.ts';
import { forbiddenField, invalidValue, requiredValue } from '../../field-issue.ts';
import {
  clone,
  deepEqual,
  ensureObject,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  stringAt,
} from '../../json.ts';
import { labelFaults } from '../../metadata/names.ts';
import { ageColumn, column, nameColumn, wide } from '../../table/standard-columns.ts';
import { builtIn } from './define.ts';
import { defaultPod, defaultPodSpec, setDefault } from './pod-template.ts';

export const podType = builtIn({
  resource: 'pods',
  kind: 'Pod',
  fields: ['spec', 'status'],
  shortNames: ['po'],
  categories: ['all'],
  subresources: ['status'],
  selectableFields: new Map(
    [
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'spec.hostNetwork',
      'status.phase',
      'status.podIP',
      'status.nominatedNodeName',
    ].map((field) => [field, field.split('.')]),
  ),
  columns: [
    nameColumn,
    column('Ready', readyText, { description: 'The aggregate readiness state of this pod for accepting traffic.' }),
    column('Status', statusText, { description: 'The aggregate status of the containers in this pod.' }),
    column('Restarts', restarts, {
      description:
        'The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.',
    }),
    ageColumn,
    wide('IP', (pod) => stringAt(objectAt(pod, 'status'), 'podIP') || '<none>'),
    wide('Node', (pod) => stringAt(objectAt(pod, 'spec'), 'nodeName') || '<none>'),
    wide('Nominated Node', (pod) => stringAt(objectAt(pod, 'status'), 'nominatedNodeName') || '<none>'),
    wide('Readiness Gates', () => '<none>'),
  ],
  shape(pod) {
    const spec = objectAt(pod, 'spec');
    if (spec === undefined) return;
    defaultPodSpec(spec);
    defaultPod(spec);
    completeStatus(objectAt(pod, 'status'));
  },
  strategy: {
    generation: true,
    changesGeneration: (pod, old) => !deepEqual(pod.spec, old.spec),
    prepareForCreate(pod) {
      pod.status = { phase: 'Pending', qosClass: qosClass(pod) };
      const spec = ensureObject(pod, 'spec');
      // The values that the Priority and DefaultTolerationSeconds admissions of the real server add.
      setDefault(spec, 'priority', 0);
      setDefault(spec, 'preemptionPolicy', 'PreemptLowerPriority');
      addDefaultTolerations(spec);
    },
    validate: validatePod,
    validateUpdate: (pod, old, subresource) =>
      subresource === 'status' ? [] : [...validatePod(pod), ...validatePodUpdate(pod, old)],
    graceSeconds(pod, requested) {
      const spec = objectAt(pod, 'spec');
      const phase = stringAt(objectAt(pod, 'status'), 'phase');
      // A Pod without a node has no kubelet that would end it, so it has no grace period.
      if (stringAt(spec, 'nodeName') === '' || phase === 'Failed' || phase === 'Succeeded') return 0;
      return requested ?? numberAt(spec, 'terminationGracePeriodSeconds') ?? 30;
    },
  },
});

/** Fields of a status that the real server writes even when they are empty, and the two forms of the address. */
function completeStatus(status: JsonObject | undefined): void {
  if (status === undefined) return;
  for (const condition of objectsAt(status, 'conditions')) {
    for (const field of ['lastProbeTime', 'lastTransitionTime']) condition[field] ??= null;
  }
  for (const container of objectsAt(status, 'containerStatuses')) {
    container.lastState ??= {};
    const running = objectAt(objectAt(container, 'state'), 'running');
    if (running !== undefined) running.startedAt ??= null;
  }
  const podIP = stringAt(status, 'podIP');
  if (podIP !== '' && stringAt(objectsAt(status, 'podIPs')[0], 'ip') !== podIP) status.podIPs = [{ ip: podIP }];
}

function addDefaultTolerations(spec: JsonObject): void {
  const tolerations = objectsAt(spec, 'tolerations');
  const added = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']
    .filter((key) => !tolerations.some((each) => each.key === key || (!each.key && each.operator === 'Exists')))
    .map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }));
  if (added.length > 0) spec.tolerations = [...tolerations, ...added];
}

function qosClass(pod: JsonObject): string {
  const spec = objectAt(pod, 'spec');
  const lists = [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')].map((container) => {
    const resources = objectAt(container, 'resources');
    return { limits: objectAt(resources, 'limits') ?? {}, requests: objectAt(resources, 'requests') ?? {} };
  });
  const names = ['cpu', 'memory'];
  const used = lists.some(({ limits, requests }) => names.some((name) => name in limits || name in requests));
  if (!used) return 'BestEffort';
  const guaranteed = lists.every(({ limits, requests }) =>
    names.every((name) => limits[name] !== undefined && deepEqual(limits[name], requests[name] ?? limits[name])),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

function validatePod(pod: JsonObject): FieldIssue[] {
  return validatePodSpec(objectAt(pod, 'spec'), 'spec');
}

/** Checks a Pod specification for common errors. The real server checks many more. */
export function validatePodSpec(spec: JsonObject | undefined, path: string): FieldIssue[] {
  const containers = objectsAt(spec, 'containers');
  if (containers.length === 0) return [requiredValue(`${path}.containers`)];
  const issues = containers.flatMap((container, index) => {
    const at = `${path}.containers[${index}]`;
    const name = stringAt(container, 'name');
    return [
      ...(name === ''
        ? [requiredValue(`${at}.name`)]
        : labelFaults(name).map((fault) => invalidValue(`${at}.name`, name, fault))),
      ...(stringAt(container, 'image') === '' ? [requiredValue(`${at}.image`)] : []),
    ];
  });
  const volumes = new Set(objectsAt(spec, 'volumes').map((volume) => stringAt(volume, 'name')));
  containers.forEach((container, index) => {
    objectsAt(container, 'volumeMounts').forEach((mount, mountIndex) => {
      const name = stringAt(mount, 'name');
      if (!volumes.has(name)) {
        const message = `Not found: ${JSON.stringify(name)}`;
        const at = `${path}.containers[${index}].volumeMounts[${mountIndex}].name`;
        issues.push({ path: at, reason: 'FieldValueNotFound', message });
      }
    });
  });
  return issues;
}

const podUpdateText =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

function validatePodUpdate(pod: JsonObject, old: JsonObject): FieldIssue[] {
  return deepEqual(withoutMutable(pod), withoutMutable(old)) ? [] : [forbiddenField('spec', podUpdateText)];
}

function withoutMutable(pod: JsonObject): JsonObject {
  const spec = clone(objectAt(pod, 'spec') ?? {});
  for (const list of ['containers', 'initContainers']) for (const each of objectsAt(spec, list)) delete each.image;
  for (const field of ['activeDeadlineSeconds', 'tolerations', 'schedulingGates']) delete spec[field];
  return spec;
}

function statuses(pod: JsonObject): readonly JsonObject[] {
  return objectsAt(objectAt(pod, 'status'), 'containerStatuses');
}

function readyText(pod: JsonObject): string {
  const ready = statuses(pod).filter((status) => status.ready === true).length;
  return `${ready}/${objectsAt(objectAt(pod, 'spec'), 'containers').length}`;
}

function statusText(pod: JsonObject): string {
  const status = objectAt(pod, 'status');
  const phase = stringAt(status, 'phase');
  if (objectAt(pod, 'metadata')?.deletionTimestamp !== undefined && phase !== 'Succeeded' && phase !== 'Failed') {
    return 'Terminating';
  }
  for (const each of statuses(pod)) {
    const state = objectAt(each, 'state');
    const reason = stringAt(objectAt(state, 'waiting'), 'reason') || stringAt(objectAt(state, 'terminated'), 'reason');
    if (reason !== '') return reason;
  }
  return stringAt(status, 'reason') || phase;
}

function restarts(pod: JsonObject): string {
  return String(statuses(pod).reduce((sum, status) => sum + (numberAt(status, 'restartCount') ?? 0), 0));
}
