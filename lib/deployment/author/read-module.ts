import { resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { z } from 'zod';
import type { Controller } from '../../core/controller.ts';
import { repeatedYamlKey } from '../../core/yaml-keys.ts';
import { readText } from '../files/read-text.ts';
import { didYouMean } from '../suggestion/closest-word.ts';
import { controllerSchema, isController } from './controller-schema.ts';
import { type Definition, definitionSchema } from './definition-schema.ts';
import { exportedEntries } from './exported-controllers.ts';

/** A value and the place where it is written, e.g. `/home/a/banner.ts: controllers[0]`. */
export interface Placed<Value> {
  readonly value: Value;
  readonly at: string;
}

export interface ReadModule {
  readonly controllers: readonly Placed<Controller>[];
  readonly definitions: readonly Placed<Definition>[];
  readonly faults: readonly string[];
}

const SEE = 'See docs/writing-a-controller.md, "Running it".';

/**
 * Reads controllers and definitions from the exports of a module.
 * @param file for messages, and for the paths in its `definitions`.
 */
export function readModule(file: string, exported: Readonly<Record<string, unknown>>): ReadModule {
  const faults: string[] = [];
  const entries = exportedEntries(exported).map(({ value, name }) => ({ value, at: `${file}: ${name}` }));
  if (entries.length === 0) {
    faults.push(noControllers(file, exported));
    return { controllers: [], definitions: [], faults };
  }
  const controllers = entries.flatMap(({ value, at }): Placed<Controller>[] => {
    if (isController(value)) return [{ value, at }];
    faults.push(...faultsOf(controllerSchema, value, at));
    return [];
  });
  const definitions = definitionEntries(file, exported.definitions, faults).flatMap(
    ({ value, at }): Placed<Definition>[] => {
      const parsed = definitionSchema.safeParse(value);
      // The schema checks only a part of the definition, but the whole object is installed.
      if (parsed.success) return [{ value: value as Definition, at }];
      faults.push(...faultsOf(definitionSchema, value, at));
      return [];
    },
  );
  return { controllers, definitions: [...definitions, ...definedKinds(controllers, definitions)], faults };
}

/** The definitions that kinds of `defineKind` contain. @param given the definitions that the module exports itself. */
function definedKinds(
  controllers: readonly Placed<Controller>[],
  given: readonly Placed<Definition>[],
): Placed<Definition>[] {
  return controllers.flatMap(({ value, at }) => {
    const { definition } = value.type as { definition?: unknown };
    const parsed = definitionSchema.safeParse(definition);
    if (!parsed.success || given.some((known) => known.value === definition)) return [];
    return [{ value: definition as Definition, at: `${at}.type.definition` }];
  });
}

function noControllers(file: string, exported: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(exported);
  if (names.includes('controllers')) return `${file}: controllers must be a list with at least one controller. ${SEE}`;
  const has = names.length === 0 ? 'nothing' : names.join(', ');
  return `${file}: it exports no controllers, but ${has}.${didYouMean('controllers', names)} ${SEE}`;
}

/** Each entry is a definition, or the path of a YAML file with definitions. */
function definitionEntries(file: string, entries: unknown, faults: string[]): Placed<unknown>[] {
  if (entries === undefined) return [];
  if (!Array.isArray(entries)) {
    faults.push(`${file}: definitions must be a list of CustomResourceDefinitions. ${SEE}`);
    return [];
  }
  return entries.flatMap((value: unknown, index): Placed<unknown>[] => {
    const at = `${file}: definitions[${index}]`;
    return typeof value === 'string' ? documentsOf(resolve(file, '..', value), at, faults) : [{ value, at }];
  });
}

function documentsOf(path: string, at: string, faults: string[]): Placed<unknown>[] {
  let text: string;
  try {
    text = readText(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code ?? 'unknown'})`;
    faults.push(`${at}: ${path}: ${why}. A path is relative to the module.`);
    return [];
  }
  return parseAllDocuments(text, { uniqueKeys: false }).flatMap((document): Placed<unknown>[] => {
    const [error] = document.errors;
    if (error !== undefined) {
      faults.push(`${at}: ${path}:${error.linePos?.[0].line ?? 1}: not valid YAML.`);
      return [];
    }
    const repeated = repeatedYamlKey(document.contents);
    if (repeated !== undefined) {
      faults.push(`${at}: ${path}: the key ${JSON.stringify(repeated.key)} stands twice in one mapping.`);
      return [];
    }
    const value: unknown = document.toJS();
    return value === null || value === undefined ? [] : [{ value, at: `${at} (${path})` }];
  });
}

function faultsOf(schema: z.ZodType, value: unknown, at: string): string[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).map(({ path, message }) => {
    const field = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
    return `${at}${field}: ${message}. ${SEE}`;
  });
}
