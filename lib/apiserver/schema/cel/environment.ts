import { Environment } from '@marcbachmann/cel-js';
import { registerCollections } from './collection-functions.ts';
import { registerMacros } from './macros.ts';
import { registerText } from './text-functions.ts';
import { registerValues } from './value-functions.ts';

/**
 * The CEL environment of CRD validation rules: the language and, of the libraries that Kubernetes adds (documentation,
 * "Common Expression Language in Kubernetes"), strings, regex, lists, sets, quantity, URL and optional types. Left out
 * are IP and CIDR objects, semver, named formats, authorizer and two-variable comprehensions: rules that use them are
 * refused when they are compiled. It is to be cloned, never added to.
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
