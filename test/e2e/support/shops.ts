import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResourceType } from '../../../lib/core/resource-type.ts';

export const Shops: ResourceType = {
  group: 'example.com',
  version: 'v1',
  plural: 'shops',
  kind: 'Shop',
  namespaced: true,
};

/** The work of a controller's release for each shop, as source text of a function body. */
export interface ShopRelease {
  readonly version: string;
  /** Changes `wanted`, the objects of a shop: `{ deployment, config, service }`, each of which may be undefined. */
  readonly code?: string;
}

/** The controller of another author: each Shop has a Deployment and a ConfigMap, and reads the Secret `token`. */
export function shopModule({ version, code = '' }: ShopRelease): string {
  return `
import { type Controller, ConfigMaps, Deployments, mergeConditions, readConditions, Secrets, settled } from 'evenkeel';

const Services = { group: '', version: 'v1', plural: 'services', kind: 'Service', namespaced: true };

const shop: Controller = {
  name: 'shop',
  group: 'shop',
  type: { group: 'example.com', version: 'v1', plural: 'shops', kind: 'Shop', namespaced: true },
  owns: [ConfigMaps, Deployments, Services],
  reads: [{ type: Secrets, mode: 'watch' }],
  version: '${version}',
  reconcile: async (object, context) => {
    const { name, namespace = '', uid, generation = 0 } = object.metadata;
    const { image } = object.spec as { image: string };
    const secret = await context.get(Secrets, { namespace, name: 'token' });
    const token = Buffer.from((secret?.data as Record<string, string> | undefined)?.token ?? '', 'base64').toString();
    const labels = { app: name };
    const wanted: Record<string, any> = {
      deployment: { spec: { replicas: 2, selector: { matchLabels: labels }, template: {
        metadata: { labels }, spec: { containers: [{ name: 'app', image }] } } } },
      config: { data: { greeting: 'hello from ' + name } },
      service: undefined,
    };
    let text = 'ready';
    ${code}
    const types = { deployment: Deployments, config: ConfigMaps, service: Services };
    for (const [part, type] of Object.entries(types)) {
      const owner = { apiVersion: 'example.com/v1', kind: 'Shop', name, uid, controller: true };
      const metadata = { namespace, name, ownerReferences: [owner] };
      const apiVersion = type.group === '' ? 'v1' : type.group + '/' + type.version;
      const desired = wanted[part] && { apiVersion, kind: type.kind, metadata, ...wanted[part] };
      const found = await context.get(type, { namespace, name });
      if (desired === undefined) {
        if (found !== undefined) await context.delete(type, found);
      } else if (found === undefined) await context.create(type, desired);
      else await context.apply(type, found, desired);
    }
    const ready = { type: 'Ready', status: 'True', reason: 'Published', message: text } as const;
    const conditions = mergeConditions(readConditions(object.status), [ready], generation, context.nowMs);
    return { outcome: settled(), status: { observedGeneration: generation, conditions } };
  },
};

export const controllers = [shop];
export const definitions = ['./shops.yaml'];
`;
}

export const SHOPS_DEFINITION = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shops.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: shops, singular: shop, kind: Shop, listKind: ShopList}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {type: object, properties: {image: {type: string}}}
            status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`;

/** Writes a release of the controller as `NAME.ts`, with its CRD and with settings that install no other group. */
export function writeShopRelease(folder: string, name: string, release: ShopRelease): void {
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'shops.yaml'), SHOPS_DEFINITION);
  writeFileSync(join(folder, `${name}.ts`), shopModule(release));
  writeFileSync(join(folder, 'settings.yaml'), 'groups: {}\n');
}
