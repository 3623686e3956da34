/** Any value in a template. */
export type CfnValue =
  | string
  | number
  | boolean
  | undefined
  | readonly CfnValue[]
  | { readonly [key: string]: CfnValue };

export interface Resource {
  readonly Type: string;
  readonly Properties: { readonly [name: string]: CfnValue };
  readonly DependsOn?: readonly string[];
  readonly DeletionPolicy?: 'Delete' | 'Retain';
  readonly UpdateReplacePolicy?: 'Delete' | 'Retain';
}

/** Resources by their logical ids. */
export type Resources = Readonly<Record<string, Resource>>;

export function ref(logicalId: string): CfnValue {
  return { Ref: logicalId };
}

export function attribute(logicalId: string, name: string): CfnValue {
  return { 'Fn::GetAtt': [logicalId, name] };
}

/** A text that contains `${LogicalId}`, `${LogicalId.Attribute}` and `${AWS::...}`. */
export function substitute(text: string): CfnValue {
  return { 'Fn::Sub': text };
}
