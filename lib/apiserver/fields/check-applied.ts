import { isObject, type JsonObject, type JsonValue, jsonText, objectAt, stringAt } from '../json.ts';
import { memberNode, type SchemaNode } from '../schema/node.ts';
import { itemNode } from './owned-fields.ts';
import { itemElement, memberElement, printElement } from './path-element.ts';

/**
 * An applied configuration that does not fit the structure of the kind; `code` is the HTTP status of the real server.
 */
export class ApplyError extends Error {
  override readonly name = 'ApplyError';
  readonly code: 400 | 500;

  constructor(code: 400 | 500, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Refuses a configuration with fields that the kind does not declare, with list items that cannot be distinguished, or
 * with values of another type.
 * @throws ApplyError
 */
export function checkApplied(applied: JsonObject, node: SchemaNode): void {
  const metadata = objectAt(applied, 'metadata');
  if (metadata !== undefined && Object.hasOwn(metadata, 'managedFields')) {
    throw new ApplyError(400, 'metadata.managedFields must be nil');
  }
  const faults = faultsOf(applied, node, '');
  if (faults.length === 0) return;
  const list = faults.length === 1 ? faults[0] : ['errors:', ...faults.map((fault) => `  ${fault}`)].join('\n');
  throw new ApplyError(500, `failed to create typed patch object (${describe(applied)}): ${list}`);
}

function describe(applied: JsonObject): string {
  const metadata = objectAt(applied, 'metadata');
  const kind = `${stringAt(applied, 'apiVersion')}, Kind=${stringAt(applied, 'kind')}`;
  return `${stringAt(metadata, 'namespace')}/${stringAt(metadata, 'name')}; ${kind}`;
}

function faultsOf(value: JsonValue, node: SchemaNode, path: string): string[] {
  const where = path === '' ? '' : `${path}: `;
  const mismatch = typeFault(value, node);
  if (mismatch !== undefined) return [`${where}${mismatch}`];
  if (Array.isArray(value))
    return node.listType === 'atomic' ? atomicFaults(value, node, path) : itemFaults(value, node, path);
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((name) => {
    const below = memberNode(node, name);
    const memberPath = `${path}${printElement(memberElement(name))}`;
    return below === undefined
      ? [`${memberPath}: field not declared in schema`]
      : faultsOf(value[name] ?? null, below, memberPath);
  });
}

function atomicFaults(list: readonly JsonValue[], node: SchemaNode, path: string): string[] {
  return list.flatMap((item, index) => faultsOf(item, itemNode(node), `${path}[${index}]`));
}

function itemFaults(list: readonly JsonValue[], node: SchemaNode, path: string): string[] {
  const seen = new Set<string>();
  const faults: string[] = [];
  for (const [index, item] of list.entries()) {
    const element = itemElement(item, node);
    if (typeof element !== 'string') return [...faults, `${path}: element ${index}: ${element.fault}`];
    const printed = printElement(element);
    if (seen.has(element)) faults.push(`${path}: duplicate entries for key ${printed}`);
    seen.add(element);
    faults.push(...faultsOf(item, itemNode(node), `${path}${printed}`));
  }
  return faults;
}

function typeFault(value: JsonValue, node: SchemaNode): string | undefined {
  if (value === null) return undefined;
  switch (node.type) {
    case 'any':
      return undefined;
    case 'object':
      return isObject(value) ? undefined : `expected map, got ${jsonText(value)}`;
    case 'array':
      return Array.isArray(value) ? undefined : `expected list, got ${jsonText(value)}`;
    case 'integer':
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint'
        ? undefined
        : `expected numeric (int or float), got ${jsonText(value)}`;
    case 'string':
      return typeof value === 'string' ? undefined : `expected string, got ${jsonText(value)}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${jsonText(value)}`;
    case 'intOrString':
      return typeof value === 'object' ? `expected any scalar, got ${jsonText(value)}` : undefined;
  }
}
