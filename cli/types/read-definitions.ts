import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { EvenkeelError, FaultsError } from '../../lib/core/errors.ts';
import type { JsonValue } from '../../lib/core/kube-object.ts';
import { fileFault } from '../../lib/deployment/files/file-fault.ts';
import { isFields, listAt } from '../../lib/kit/value-at.ts';
import { type CustomDefinition, readDefinition } from './custom-definition.ts';

/**
 * The CustomResourceDefinitions of a YAML file. Other objects are skipped.
 * @throws EvenkeelError INVALID_DEFINITION
 */
export function readDefinitions(file: string): CustomDefinition[] {
  const documents = parseAllDocuments(textOf(file), { uniqueKeys: false });
  const values = (Array.isArray(documents) ? documents : []).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) {
      throw new EvenkeelError(
        'INVALID_DEFINITION',
        `${file}:${error.linePos?.[0].line ?? 1}: not valid YAML. Correct it.`,
      );
    }
    return listed(document.toJS() as JsonValue);
  });
  const found = values.filter((value) => isFields(value) && value.kind === 'CustomResourceDefinition');
  if (found.length === 0) {
    const remedy = 'Write one with kubectl get crd NAME -o yaml.';
    throw new EvenkeelError('INVALID_DEFINITION', `${file}: it contains no CustomResourceDefinition. ${remedy}`);
  }
  const read = found.map((value) => readDefinition(value, file));
  const faults = read.flatMap(({ faults: each }) => each);
  if (faults.length > 0) throw new FaultsError('INVALID_DEFINITION', faults);
  return read.flatMap(({ definition }) => (definition === undefined ? [] : [definition]));
}

/** `kubectl get` writes several objects as one list. */
function listed(value: JsonValue): JsonValue[] {
  return isFields(value) && value.kind === 'List' ? [...(listAt(value, 'items') as JsonValue[])] : [value];
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { why, advice } = fileFault(error);
    throw new EvenkeelError('INVALID_DEFINITION', `${file} cannot be read: ${why}. ${advice}.`, { cause: error });
  }
}
