import { arrayAt, type JsonObject, objectAt, objectsAt } from '../../json.ts';
import { ageColumn, column, nameColumn } from '../../table/standard-columns.ts';
import { builtIn } from './define.ts';
import { setDefault } from './pod-template.ts';
import { selectorText } from './selector-text.ts';

export const networkPolicyType = builtIn({
  group: 'networking.k8s.io',
  resource: 'networkpolicies',
  kind: 'NetworkPolicy',
  fields: ['spec'],
  shortNames: ['netpol'],
  columns: [
    nameColumn,
    column('Pod-Selector', (policy) => selectorText(objectAt(objectAt(policy, 'spec'), 'podSelector'))),
    ageColumn,
  ],
  shape(policy) {
    const spec = objectAt(policy, 'spec');
    if (spec === undefined) return;
    setDefault(spec, 'podSelector', {});
    const egress = arrayAt(spec, 'egress').length > 0;
    setDefault(spec, 'policyTypes', egress ? ['Ingress', 'Egress'] : ['Ingress']);
    for (const rule of rulesOf(spec)) for (const port of objectsAt(rule, 'ports')) setDefault(port, 'protocol', 'TCP');
  },
  strategy: { generation: true },
});

function rulesOf(spec: JsonObject): readonly JsonObject[] {
  return [...objectsAt(spec, 'ingress'), ...objectsAt(spec, 'egress')];
}
