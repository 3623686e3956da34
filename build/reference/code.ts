import {
  type ClassElement,
  isClassDeclaration,
  isFunctionDeclaration,
  isInterfaceDeclaration,
  isPrivateIdentifier,
  isTypeAliasDeclaration,
  isVariableDeclaration,
  ModifierFlags,
  type Node,
} from 'typescript/unstable/ast';
import { type Checker, NodeBuilderFlags } from 'typescript/unstable/sync';

/** Types whole, and by their names. */
const TYPE_FLAGS = NodeBuilderFlags.NoTruncation | NodeBuilderFlags.UseAliasDefinedOutsideCurrentScope;

export type DeclarationKind = 'function' | 'class' | 'type' | 'constant';

/** @throws Error for another form of declaration. */
export function kindOf(node: Node): DeclarationKind {
  if (isFunctionDeclaration(node)) return 'function';
  if (isClassDeclaration(node)) return 'class';
  if (isInterfaceDeclaration(node) || isTypeAliasDeclaration(node)) return 'type';
  if (isVariableDeclaration(node)) return 'constant';
  throw new Error(`the reference does not know how to show: ${node.getText().slice(0, 80)}`);
}

/**
 * The code of an export as a reader needs it: no bodies, no private members, no values, and every type. The doc comments of
 * members stay. An overloaded function has several declarations, of which the last one, with the body, is nobody's to call.
 */
export function codeOf(declarations: readonly Node[], checker: Checker): string {
  const shown = declarations.length > 1 ? declarations.filter((node) => bodyOf(node) === undefined) : declarations;
  return (shown.length > 0 ? shown : declarations).map((node) => declarationCode(node, checker)).join('\n');
}

function declarationCode(node: Node, checker: Checker): string {
  if (isClassDeclaration(node)) return classCode(node, checker);
  if (isVariableDeclaration(node)) return `const ${node.name.getText()}: ${typeText(node, node.type, checker)};`;
  const code = signature(node, checker);
  return isFunctionDeclaration(node) ? `${code.replace(/;$/, '')};` : code;
}

function classCode(node: Node & { readonly members: readonly ClassElement[] }, checker: Checker): string {
  const [first] = node.members;
  const head = textBetween(node, node.getStart(), first === undefined ? node.end - 1 : first.getFullStart());
  const members = node.members.filter(isPublic).map((member) => {
    const doc = member.jsDoc?.at(-1)?.getText();
    const code = `${memberCode(member, checker).replace(/;$/, '')};`;
    return (doc === undefined ? code : `${doc}\n  ${code}`).replace(/^/, '  ');
  });
  return [withoutExport(head).trim(), ...members, '}'].join('\n');
}

function isPublic(member: ClassElement): boolean {
  const { name, modifierFlags = 0 } = partsOf(member);
  if (name !== undefined && isPrivateIdentifier(name)) return false;
  return !(modifierFlags & (ModifierFlags.Private | ModifierFlags.Protected));
}

function memberCode(member: ClassElement, checker: Checker): string {
  const { name, initializer, type } = partsOf(member);
  if (initializer === undefined) return signature(member, checker);
  const code = textBetween(member, member.getStart(), (type ?? name ?? member).end);
  return type === undefined ? `${code}: ${typeText(member, undefined, checker)}` : code;
}

/** The text up to the body, with the type of the result. */
function signature(node: Node, checker: Checker): string {
  const body = bodyOf(node);
  const text = withoutExport(textBetween(node, node.getStart(), body?.getStart() ?? node.end)).trim();
  const { type } = node as Node & { readonly type?: Node };
  if (body === undefined || type !== undefined || /^constructor\b|^set /.test(text)) return text;
  const found = checker.getSignatureFromDeclaration(node);
  const result = found && checker.getReturnTypeOfSignature(found);
  return result === undefined ? text : `${text}: ${checker.typeToString(result, node, TYPE_FLAGS)}`;
}

function typeText(node: Node, written: Node | undefined, checker: Checker): string {
  if (written !== undefined) return written.getText();
  const type = checker.getTypeAtLocation(node);
  return type === undefined ? 'unknown' : checker.typeToString(type, node, TYPE_FLAGS);
}

/** Parts that some kinds of members have. */
function partsOf(member: Node) {
  return member as Node & {
    readonly name?: Node;
    readonly type?: Node;
    readonly initializer?: Node;
    readonly modifierFlags?: ModifierFlags;
  };
}

function bodyOf(node: Node): Node | undefined {
  const { body } = node as Node & { readonly body?: Node };
  return body;
}

function textBetween(node: Node, start: number, end: number): string {
  return node.getSourceFile().text.slice(start, end);
}

/** What a caller need not know of a declaration. */
function withoutExport(text: string): string {
  return text.replace(/^export (?:default )?/, '').replace(/^(?:override )?async /, '');
}
