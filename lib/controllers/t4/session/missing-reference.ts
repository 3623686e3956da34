import type { KubeObject } from '../../../core/kube-object.ts';
import { listAt, textAt } from '../../../kit/value-at.ts';

const NOT_FOUND = /^(secret|configmap)s? "([^"]*)" not found$/;
const WITHOUT_KEY = /^couldn't find key \S+ in (Secret|ConfigMap) ([^/\s]+)\/(\S+)$/;

/**
 * The object that the kubelet misses, such as `the Secret token`. The text of the kubelet may quote anything, so this
 * returns a name only if the environment of a container refers to exactly that object.
 * @param message the message of the kubelet, of a container that waits with CreateContainerConfigError
 */
export function missingReference({ metadata, spec }: KubeObject, message: string): string | undefined {
  const absent = NOT_FOUND.exec(message);
  const incomplete = WITHOUT_KEY.exec(message);
  if (incomplete !== null && incomplete[2] !== metadata.namespace) return undefined;
  const kind = (absent?.[1] ?? incomplete?.[1] ?? '').toLowerCase();
  const name = absent?.[2] ?? incomplete?.[3];
  const isSecret = kind === 'secret';
  const names = isSecret
    ? namesIn(spec, 'secretKeyRef', 'secretRef')
    : namesIn(spec, 'configMapKeyRef', 'configMapRef');
  if (name === undefined || !names.includes(name)) return undefined;
  return `the ${isSecret ? 'Secret' : 'ConfigMap'} ${name}`;
}

function namesIn(spec: unknown, ofVariable: string, ofAll: string): readonly (string | undefined)[] {
  const containers = [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers')];
  return containers.flatMap((container) => [
    ...listAt(container, 'env').map((variable) => textAt(variable, 'valueFrom', ofVariable, 'name')),
    ...listAt(container, 'envFrom').map((source) => textAt(source, ofAll, 'name')),
  ]);
}
