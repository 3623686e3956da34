import type { FieldIssue } from '../../api-error.ts';
import { invalidValue, requiredValue } from '../../field-issue.ts';
import { ensureObject, type JsonObject, numberAt, objectAt, objectsAt, stringAt, stringsAt } from '../../json.ts';
import { ageColumn, column, nameColumn, wide } from '../../table/standard-columns.ts';
import { builtIn } from './define.ts';
import { setDefault } from './pod-template.ts';
import { labelsText } from './selector-text.ts';

export const serviceType = builtIn({
  resource: 'services',
  kind: 'Service',
  fields: ['spec', 'status'],
  shortNames: ['svc'],
  categories: ['all'],
  subresources: ['status'],
  selectableFields: new Map([
    ['spec.clusterIP', ['spec', 'clusterIP']],
    ['spec.type', ['spec', 'type']],
  ]),
  columns: [
    nameColumn,
    column('Type', (service) => stringAt(objectAt(service, 'spec'), 'type')),
    column('Cluster-IP', (service) => stringAt(objectAt(service, 'spec'), 'clusterIP') || '<none>'),
    column('External-IP', externalText),
    column('Port(s)', portsText),
    ageColumn,
    wide('Selector', (service) => labelsText(objectAt(objectAt(service, 'spec'), 'selector'))),
  ],
  shape(service) {
    const spec = objectAt(service, 'spec');
    if (spec === undefined) return;
    setDefault(spec, 'sessionAffinity', 'None');
    setDefault(spec, 'type', 'ClusterIP');
    for (const port of objectsAt(spec, 'ports')) {
      setDefault(port, 'protocol', 'TCP');
      const target = port.targetPort;
      if (target === undefined || target === 0 || target === '') port.targetPort = port.port ?? 0;
    }
    const type = stringAt(spec, 'type');
    if (type === 'NodePort' || type === 'LoadBalancer') setDefault(spec, 'externalTrafficPolicy', 'Cluster');
    if (type !== 'ExternalName') setDefault(spec, 'internalTrafficPolicy', 'Cluster');
    if (type === 'LoadBalancer') setDefault(spec, 'allocateLoadBalancerNodePorts', true);
  },
  strategy: {
    names: 'label',
    prepareForCreate(service) {
      service.status = { loadBalancer: {} };
      allocate(service);
    },
    prepareForUpdate(service, old) {
      const spec = ensureObject(service, 'spec');
      const before = objectAt(old, 'spec');
      // An update that leaves the allocated fields out keeps them.
      for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) {
        const value = before?.[field];
        if (value !== undefined && stringAt(spec, 'type') === stringAt(before, 'type')) setDefault(spec, field, value);
      }
      allocate(service);
    },
    validate: validateService,
    validateUpdate: (service, old, subresource) =>
      subresource === 'status' ? [] : [...validateService(service), ...validateServiceUpdate(service, old)],
  },
});

/**
 * Gives the service its cluster address. No traffic uses it, so the address is computed from the name. It is the same
 * in each run; in rare cases two services have the same address.
 */
function allocate(service: JsonObject): void {
  const spec = ensureObject(service, 'spec');
  if (stringAt(spec, 'type') === 'ExternalName') return;
  const metadata = objectAt(service, 'metadata');
  if (stringAt(spec, 'clusterIP') === '') {
    spec.clusterIP = addressOf(`${stringAt(metadata, 'namespace')}/${stringAt(metadata, 'name')}`);
  }
  setDefault(spec, 'clusterIPs', [stringAt(spec, 'clusterIP')]);
  setDefault(spec, 'ipFamilies', ['IPv4']);
  setDefault(spec, 'ipFamilyPolicy', 'SingleStack');
}

/** An address of 10.96.0.0/16, by FNV-1a. */
function addressOf(name: string): string {
  let hash = 0x811c9dc5;
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return `10.96.${(hash >>> 8) % 256}.${1 + (hash % 254)}`;
}

function validateService(service: JsonObject): FieldIssue[] {
  const spec = objectAt(service, 'spec');
  const ports = objectsAt(spec, 'ports');
  const headless = stringAt(spec, 'clusterIP') === 'None';
  if (ports.length === 0 && !headless && stringAt(spec, 'type') !== 'ExternalName')
    return [requiredValue('spec.ports')];
  return ports.flatMap((port, index) => {
    const number = numberAt(port, 'port') ?? 0;
    const path = `spec.ports[${index}]`;
    return [
      ...(ports.length > 1 && stringAt(port, 'name') === '' ? [requiredValue(`${path}.name`)] : []),
      ...(number < 1 || number > 65_535
        ? [invalidValue(`${path}.port`, number, 'must be between 1 and 65535, inclusive')]
        : []),
    ];
  });
}

function validateServiceUpdate(service: JsonObject, old: JsonObject): FieldIssue[] {
  const before = stringAt(objectAt(old, 'spec'), 'clusterIP');
  const spec = objectAt(service, 'spec');
  if (before === '' || stringAt(spec, 'type') === 'ExternalName' || stringAt(spec, 'clusterIP') === before) return [];
  const addresses = [...stringsAt(spec, 'clusterIPs')];
  return [invalidValue('spec.clusterIPs[0]', addresses, 'may not change once set')];
}

function externalText(service: JsonObject): string {
  const spec = objectAt(service, 'spec');
  const addresses = stringsAt(spec, 'externalIPs');
  switch (stringAt(spec, 'type')) {
    case 'ExternalName':
      return stringAt(spec, 'externalName');
    case 'LoadBalancer':
      return addresses.length === 0 ? '<pending>' : addresses.join(',');
    default:
      return addresses.length === 0 ? '<none>' : addresses.join(',');
  }
}

function portsText(service: JsonObject): string {
  const ports = objectsAt(objectAt(service, 'spec'), 'ports').map((port) => {
    const node = numberAt(port, 'nodePort') ?? 0;
    return `${numberAt(port, 'port') ?? 0}${node > 0 ? `:${node}` : ''}/${stringAt(port, 'protocol')}`;
  });
  return ports.length === 0 ? '<none>' : ports.join(',');
}
