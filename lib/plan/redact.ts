import type { JsonObject } from '../apiserver/json.ts';
import type { KubeObject } from '../core/kube-object.ts';
import type { DurableValues } from '../core/reconcile-context.ts';
import { SecretValues, SHORTEST_PART } from './changes/secret-values.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const HIDDEN = 'redacted';
/** Replaces a number. Most schemas accept it. */
const HIDDEN_NUMBER = 1;
/** The fields that identify an object. A replay finds objects by them, and refuses an object without them. */
const IDENTITY = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'ownerReferences',
  'finalizers',
] as const;
/** The form of field names in schemas. If such a field were renamed, the object would be useless for a replay. */
const FIELD_NAME = /^[a-z]+(?:[A-Z][a-z]*)*$/;

/**
 * The objects without the values of Secrets, and without any text that contains one. The fields that identify an object
 * stay, and so does every reference to it, because its name is in the file in any case. Equal values stay equal, so
 * that a controller that compares them gets the same result.
 * @param durable the durable values of the controller.
 * @param absent the names of objects that the pass did not find.
 */
export function withoutSecretValues(
  objects: readonly KubeObject[],
  absent: readonly string[] = [],
  durable: DurableValues = {},
): { readonly objects: KubeObject[]; readonly values: DurableValues } {
  const values = new SecretValues();
  for (const object of objects) if (isSecret(object)) values.add(object as unknown as JsonObject);
  const shown = new Set([...absent, ...objects.flatMap(identityTexts)]);
  const hider = new Hider(values, shown);
  const redacted = objects.map((object) => {
    // A schema contains no value of a Secret, and a replay needs the whole schema.
    if (object.kind === 'CustomResourceDefinition') return object;
    return isSecret(object) ? withoutData(object, hider) : hider.object(object);
  });
  return { objects: redacted, values: hider.values(durable) };
}

function isSecret({ apiVersion, kind }: KubeObject): boolean {
  return apiVersion === 'v1' && kind === 'Secret';
}

function identityTexts({ metadata }: KubeObject): string[] {
  const owners = metadata.ownerReferences ?? [];
  return [metadata, ...owners].flatMap(({ name, uid }) => [name, uid]).concat(metadata.namespace ?? []);
}

function withoutData(secret: KubeObject, hider: Hider): KubeObject {
  const { data = {}, ...rest } = secret;
  const { [LAST_APPLIED]: _, ...annotations } = secret.metadata.annotations ?? {};
  const others = hider.object({ ...rest, metadata: { ...secret.metadata, annotations } } as KubeObject);
  const replaced = Object.entries(data as Record<string, string>).map(([key, value]) => [
    key,
    Buffer.from(hider.standIn(value)).toString('base64'),
  ]);
  return { ...others, data: Object.fromEntries(replaced) };
}

/** Replaces every text that contains a value of a Secret. */
class Hider {
  readonly #values: SecretValues;
  readonly #shown: ReadonlySet<string>;
  readonly #standIns = new Map<string, string>();

  /** @param shown texts that are in the file in any case. */
  constructor(values: SecretValues, shown: ReadonlySet<string>) {
    this.#values = values;
    this.#shown = shown;
  }

  object(object: KubeObject): KubeObject {
    const { apiVersion, kind, metadata, ...rest } = object;
    const identity = IDENTITY.flatMap((field) => (field in metadata ? [[field, metadata[field]]] : []));
    const hidden = this.#value(metadata) as KubeObject['metadata'];
    const others = this.#value(rest) as object;
    return { apiVersion, kind, metadata: { ...hidden, ...Object.fromEntries(identity) }, ...others };
  }

  values(values: DurableValues): DurableValues {
    return this.#value(values) as DurableValues;
  }

  /** @param encoded a text in base64. @returns always the same text for the same argument. */
  standIn(encoded: string): string {
    const known = this.#standIns.get(encoded) ?? `${HIDDEN}-${this.#standIns.size + 1}`;
    this.#standIns.set(encoded, known);
    return known;
  }

  #value(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((part) => this.#value(part));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, part]) => [this.#name(name), this.#value(part)]));
    }
    if (typeof value === 'string') return this.#isHidden(value) ? this.#replaced(value) : value;
    const isNumberOfSecret =
      typeof value === 'number' && String(value).length >= SHORTEST_PART && this.#values.isWhole(value);
    return isNumberOfSecret ? HIDDEN_NUMBER : value;
  }

  #name(name: string): string {
    // Managed fields contain the names of the object's fields: `f:` and the name, or `k:` and the key of an element.
    if (name.startsWith('f:')) return `f:${this.#name(name.slice(2))}`;
    if (FIELD_NAME.test(name) || !this.#isHidden(name)) return name;
    return /^[kv]:/.test(name) ? `f:${this.#replaced(name)}` : this.#replaced(name);
  }

  /** Short texts, such as `1`, contain a value or are equal to one by chance. */
  #isHidden(text: string): boolean {
    return text.length >= SHORTEST_PART && !this.#shown.has(text) && this.#values.isIn(text);
  }

  #replaced(text: string): string {
    return this.standIn(Buffer.from(text).toString('base64'));
  }
}
