import type { ObjectMeta } from '../../core/kube-object.ts';

/** An object of a built-in kind as it was read; a type, so that it is a `KubeObject`. */
export type BuiltIn<Fields> = { apiVersion: string; kind: string; metadata: ObjectMeta } & Fields;
