import { execFileSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';

/** Prints, for each type, the permissions that its handlers for create, read, update and delete need. */
const SCRIPT = `
import json, os, sys, cfnlint
root = os.path.join(os.path.dirname(cfnlint.__file__), 'data', 'schemas')
files = json.load(open(os.path.join(root, 'providers', 'eu-central-1.json')))
def permissions(type):
    handlers = json.load(open(os.path.join(root, 'resources', files[type] + '.json'))).get('handlers') or {}
    return sorted({p for name in handlers if name != 'list' for p in handlers[name].get('permissions', [])})
print(json.dumps({type: permissions(type) for type in sys.argv[1:]}))
`;

/**
 * The permissions that CloudFormation needs to create, read, update and delete resources of these types, from their
 * schemas in CloudFormation's registry. cfn-lint contains the schemas.
 */
export function handlerPermissions(types: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const folder = (process.env.PATH ?? '').split(delimiter).find((one) => isThere(join(one, 'cfn-lint')));
  const python = join(folder ?? dirname('cfn-lint'), 'python3');
  return JSON.parse(execFileSync(python, ['-c', SCRIPT, ...types]).toString()) as Record<string, string[]>;
}

function isThere(file: string): boolean {
  try {
    execFileSync('test', ['-x', file]);
    return true;
  } catch {
    return false;
  }
}
