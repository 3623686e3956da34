/** The settings of the T4 controllers. Every session shows a missing or invalid one. */
export interface T4Settings {
  /** The image that sessions run, `repository@sha256:<64 hex digits>`. */
  readonly runtimeImage?: string | undefined;
  readonly omp?: OmpReferences | undefined;
}

/** The ConfigMap and the Secret that each session namespace has, and the keys that are read from them. */
export interface OmpReferences {
  readonly configMap: { readonly name: string; readonly modelsKey: string; readonly settingsKey: string };
  readonly secret: { readonly name: string; readonly keys: readonly string[] };
}

const DIGEST_IMAGE = /^[^\s@]+@sha256:[0-9a-f]{64}$/;
const OBJECT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const DATA_KEY = /^[-._a-zA-Z0-9]{1,253}$/;
const MAX_NAME_LENGTH = 253;
const MAX_SECRET_KEYS = 64;

/** A tag can be moved to another image, a digest cannot. */
export function isDigestImage(image: string): boolean {
  return DIGEST_IMAGE.test(image);
}

export function areValidReferences({ configMap, secret }: OmpReferences): boolean {
  const isName = (name: string) => name.length <= MAX_NAME_LENGTH && OBJECT_NAME.test(name);
  const isKey = (key: string) => DATA_KEY.test(key) && key !== '.' && !key.startsWith('..');
  return (
    isName(configMap.name) &&
    isKey(configMap.modelsKey) &&
    isKey(configMap.settingsKey) &&
    configMap.modelsKey !== configMap.settingsKey &&
    isName(secret.name) &&
    secret.keys.length > 0 &&
    secret.keys.length <= MAX_SECRET_KEYS &&
    new Set(secret.keys).size === secret.keys.length &&
    secret.keys.every(isKey)
  );
}
