import type { ReadKind, ReadMode } from '../../core/controller.ts';
import type { ResourceType } from '../../core/resource-type.ts';
import type { DesiredOf, ObjectOf } from '../kind/typed-kind.ts';
import type { KindContext, NameOrAddress } from './kind-context.ts';

/** The kinds that `reads` declares, each by itself or as a `ReadKind`. */
export type KindsOf<Reads extends readonly (ResourceType | ReadKind)[]> = Reads[number] extends infer Read
  ? Read extends { readonly type: infer Type extends ResourceType; readonly mode: ReadMode }
    ? Type
    : Extract<Read, ResourceType>
  : never;

/**
 * Nothing more for a kind that is declared, and for one of which the compiler knows no more than that it is a `ResourceType`:
 * the engine checks that one when the call is made. For every other kind a field that no kind has, so the call does not
 * compile, and the error names the field.
 */
type Declared<Type extends ResourceType, Kinds extends ResourceType, Remedy extends string> = [Type] extends [Kinds]
  ? unknown
  : [ResourceType] extends [Type]
    ? unknown
    : { readonly [Field in Remedy]: never };

/**
 * The context that `reconcile` and `finalize` get: a `KindContext` that takes the kinds of the definition's `owns` and `reads`
 * only. The engine refuses the same calls at run time (`UNDECLARED_READ`, `UNDECLARED_KIND`).
 */
export interface DeclaredContext<Owned extends ResourceType, Read extends ResourceType> extends KindContext {
  get<Type extends ResourceType>(
    type: Type & Declared<Type, Owned | Read, 'declare this kind in owns or reads'>,
    name: NameOrAddress,
  ): Promise<ObjectOf<Type> | undefined>;
  list<Type extends ResourceType>(
    type: Type & Declared<Type, Owned | Read, 'declare this kind in owns or reads'>,
    options?: { readonly namespace?: string; readonly labelSelector?: string },
  ): Promise<ObjectOf<Type>[]>;
  ensure<Type extends ResourceType>(
    type: Type & Declared<Type, Owned, 'declare this kind in owns'>,
    name: NameOrAddress,
    desired: DesiredOf<Type>,
  ): Promise<ObjectOf<Type>>;
  absent<Type extends ResourceType>(
    type: Type & Declared<Type, Owned, 'declare this kind in owns'>,
    name: NameOrAddress,
  ): Promise<boolean>;
}

/**
 * The context of a controller with these lists. Where the lists may hold any kind, it is the plain `KindContext`: a definition
 * that an author passes around by itself has such lists.
 */
export type ContextOf<Owns extends readonly ResourceType[], Reads extends readonly (ResourceType | ReadKind)[]> = [
  ResourceType,
  ResourceType,
] extends [Owns[number], KindsOf<Reads>]
  ? KindContext
  : DeclaredContext<Owns[number], KindsOf<Reads>>;
