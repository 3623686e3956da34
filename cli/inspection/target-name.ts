import type { ResourceType } from '../../lib/core/resource-type.ts';
import { didYouMean } from '../../lib/deployment/suggestion/closest-word.ts';
import { UsageError } from '../usage-error.ts';
import { findKind, type KnownKind } from './known-kinds.ts';

/** An object as a person writes it. */
export interface TargetName {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Reads `KIND/NAMESPACE/NAME`, or `KIND/NAME` for a cluster-scoped kind.
 * @throws UsageError
 */
export function parseTargetName(text: string, kinds: readonly KnownKind[]): TargetName {
  const [kindWord = '', ...rest] = text.split('/');
  const [known] = kinds;
  // Only a name. A word that is similar to a kind counts as a kind with a typing mistake.
  if (rest.length === 0 && known !== undefined && text !== '' && !isLikeKind(text, kinds)) {
    const [kind] = known.names;
    const name = known.type.namespaced ? `default/${text}` : text;
    throw new UsageError(
      `"${text}" is not KIND/NAMESPACE/NAME. Write it like ${kind}/${name}. evenkeel list shows all known objects.`,
    );
  }
  const type = kindNamed(kindWord, kinds);
  const wanted = type.namespaced ? 2 : 1;
  const form = type.namespaced ? 'KIND/NAMESPACE/NAME' : 'KIND/NAME';
  if (rest.length !== wanted || rest.some((part) => part === '')) {
    const [kind] = kinds.find((known) => known.type === type)?.names ?? [];
    const example = type.namespaced ? `${kind}/default/web` : `${kind}/web`;
    throw new UsageError(`"${text}" is not ${form}. Write it like ${example}.`);
  }
  const [namespace = '', name = ''] = type.namespaced ? rest : ['', ...rest];
  return { type, namespace, name };
}

function isLikeKind(word: string, kinds: readonly KnownKind[]): boolean {
  const names = kinds.flatMap((kind) => kind.names);
  return findKind(word, kinds) !== undefined || didYouMean(word, names) !== '';
}

/** @throws UsageError with the kinds that are reconciled. */
export function kindNamed(word: string, kinds: readonly KnownKind[]): ResourceType {
  const type = findKind(word, kinds);
  if (type !== undefined) return type;
  const suggestion = didYouMean(
    word,
    kinds.flatMap(({ names }) => names),
  );
  const known = kinds.map(({ names }) => names.join(' or ')).join('; ');
  throw new UsageError(`"${word}" is no kind that is reconciled here.${suggestion} The kinds are: ${known}.`);
}
