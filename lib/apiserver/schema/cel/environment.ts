import { Environment } from '@marcbachmann/cel-js';
import { registerCollections } from './collection-functions.ts';
import { registerMacros } from './macros.ts';
import { registerText } from './text-functions.ts';
import { registerValues } from './value-functions.ts';

/**
 * The CEL environment of CRD validation rules (Kubernetes documentation, "Common Expression Language in Kubernetes").
 * It has the language, and these libraries of Kubernetes: strings, regex, lists, sets, quantity, URL and optional
 * types. It does not have IP and CIDR objects, semver, named formats, authorizer and two-variable comprehensions; a
 * rule that uses one of them is refused when it is compiled. Clone the environment; never add to it.
 */
export const KUBERNETES_ENVIRONMENT: Environment = build();

function build(): Environment {
  const environment = new Environment({ enableOptionalTypes: true });
  registerText(environment);
  registerCollections(environment);
  registerValues(environment);
  registerMacros(environment);
  return environment;
}
