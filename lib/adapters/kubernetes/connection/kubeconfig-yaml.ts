import { LineCounter, parseDocument, type ScalarTag, type Tags } from 'yaml';
import { yamlBoundFault } from '../../system/yaml-bounds.ts';
import { isRecord } from '../status-body.ts';

/** Far more than a kubeconfig has, and far fewer than an alias bomb has. */
const MAX_ALIASES = 10_000;

const TOO_DEEP = 'is not YAML that can be parsed: it is nested too deeply. Correct it';
const TOO_MANY_ALIASES =
  'has YAML aliases that stand for too much, for themselves or for nothing. Write the values out';
/** Far more than a kubeconfig has. */
const MAX_DEPTH = 1_000;

/** Values that YAML 1.1 reads as numbers or times, and kubectl's parser (go-yaml) as strings. */
const TEXTS_IN_GO = new Set(['intTime', 'floatTime', 'timestamp']);
const SEXAGESIMAL_OR_TIME = /TIME|timestamp/;

const binaryText: ScalarTag = {
  tag: 'tag:yaml.org,2002:binary',
  resolve: (text) => Buffer.from(text, 'base64').toString('utf8'),
};

/**
 * Parses a kubeconfig as kubectl does: by YAML 1.1, with the first of several documents, and with the last of two equal
 * keys. An empty file is valid and has no entries.
 * @param fault creates the error; its text quotes nothing of the source.
 */
export function parseKubeconfigYaml(source: string, fault: (what: string) => Error): Record<string, unknown> {
  const raw = parse(source, fault) ?? {};
  if (!isRecord(raw)) throw fault('holds no kubeconfig. Name another file');
  return raw;
}

function parse(source: string, fault: (what: string) => Error): unknown {
  const bound = yamlBoundFault(source, MAX_DEPTH);
  if (bound !== undefined) throw fault(bound === 'depth' ? TOO_DEEP : TOO_MANY_ALIASES);
  const lineCounter = new LineCounter();
  let document: ReturnType<typeof parseDocument>;
  try {
    document = parseDocument(source, {
      lineCounter,
      version: '1.1',
      uniqueKeys: false,
      customTags: (tags): Tags => [binaryText, ...tags.filter((tag) => !isTextInGo(tag))],
    });
  } catch {
    // The parser recurses, so many nested brackets overflow its stack.
    throw fault(TOO_DEEP);
  }
  const error = document.errors.find(({ code }) => code !== 'MULTIPLE_DOCS');
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    throw fault(`is not YAML: see line ${line}, column ${col}. Correct it`);
  }
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch {
    throw fault(TOO_MANY_ALIASES);
  }
}

function isTextInGo(tag: Tags[number]): boolean {
  if (typeof tag === 'string') return TEXTS_IN_GO.has(tag);
  return SEXAGESIMAL_OR_TIME.test(`${'format' in tag ? tag.format : ''} ${tag.tag}`);
}
