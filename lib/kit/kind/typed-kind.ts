import type { KubeObject } from '../../core/kube-object.ts';
import type { ResourceType } from '../../core/resource-type.ts';

/** Exists only as a type: no value has this field. */
declare const OBJECT: unique symbol;

/** A kind whose objects have a known type: the built-in kinds of this package, and the results of `defineKind`. */
export interface TypedKind<Shape> extends ResourceType {
  readonly [OBJECT]?: Shape;
}

/** The type of a kind's objects; `KubeObject` for a plain `ResourceType`. */
export type ObjectOf<Type extends ResourceType> = Type extends { readonly [OBJECT]?: infer Shape }
  ? unknown extends Shape
    ? KubeObject
    : NonNullable<Shape>
  : KubeObject;

/** An optional field may also be undefined: JSON has no such value, so the field is not sent. */
type Written<Value> = Value extends readonly (infer Element)[]
  ? Written<Element>[]
  : Value extends object
    ? {
        [Field in keyof Value]: Record<never, never> extends Pick<Value, Field>
          ? Written<Value[Field]> | undefined
          : Written<Value[Field]>;
      }
    : Value;

/**
 * An owned object as an author writes it: all fields except its address, its owner and its status. Labels and
 * annotations are allowed. The other metadata belongs to the API server and to evenkeel.
 */
export type DesiredOf<Type extends ResourceType> = Written<
  Omit<ObjectOf<Type>, 'apiVersion' | 'kind' | 'metadata' | 'status'>
> & {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
};
