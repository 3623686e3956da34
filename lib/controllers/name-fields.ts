import { z } from 'zod';
import { noted } from './field-note.ts';

const OBJECT_NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
/** A namespace's name: a DNS label. */
export const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** A setting that names a Kubernetes object. */
export function objectNameField(about: string, example: string) {
  return noted(z.string().regex(OBJECT_NAME), { about, allowed: "a Kubernetes object's name", example });
}

/** A setting that names a namespace. */
export function namespaceField(about: string, example: string) {
  return noted(z.string().regex(NAMESPACE), { about, allowed: 'a namespace', example });
}
