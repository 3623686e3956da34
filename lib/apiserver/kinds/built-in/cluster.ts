import { invalidValue } from '../../field-issue.ts';
import { numberAt, objectAt, objectsAt, stringAt } from '../../json.ts';
import { ageColumn, column, nameColumn } from '../../table/standard-columns.ts';
import { builtIn } from './define.ts';

export const leaseType = builtIn({
  group: 'coordination.k8s.io',
  resource: 'leases',
  kind: 'Lease',
  fields: ['spec'],
  columns: [nameColumn, column('Holder', (lease) => stringAt(objectAt(lease, 'spec'), 'holderIdentity')), ageColumn],
  strategy: {
    unconditionalUpdate: false,
    validate: (lease) => leaseIssues(numberAt(objectAt(lease, 'spec'), 'leaseDurationSeconds')),
    validateUpdate: (lease) => leaseIssues(numberAt(objectAt(lease, 'spec'), 'leaseDurationSeconds')),
  },
});

function leaseIssues(seconds: number | undefined) {
  return seconds !== undefined && seconds <= 0
    ? [invalidValue('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]
    : [];
}

export const nodeType = builtIn({
  resource: 'nodes',
  kind: 'Node',
  fields: ['spec', 'status'],
  shortNames: ['no'],
  cluster: true,
  subresources: ['status'],
  columns: [
    nameColumn,
    column(
      'Status',
      (node) => {
        const ready = objectsAt(objectAt(node, 'status'), 'conditions').find((each) => each.type === 'Ready');
        if (ready === undefined) return 'Unknown';
        return ready.status === 'True' ? 'Ready' : 'NotReady';
      },
      { description: 'The status of the node' },
    ),
    column('Roles', () => '<none>', { description: 'The roles of the node' }),
    ageColumn,
    column('Version', (node) => stringAt(objectAt(objectAt(node, 'status'), 'nodeInfo'), 'kubeletVersion')),
  ],
});
