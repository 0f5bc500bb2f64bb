import type { ESTree } from 'vite';
import type { Declaration, Declared, SourceFile } from './exports.ts';

type Node = { start: number; end: number };
type Parameter = ESTree.Function['params'][number];
/** Longer ones get a line for each parameter. */
const MAX_SIGNATURE = 100;

/** The doc comment right before a position, as text; empty if there is none. */
export function docBefore({ text, comments }: SourceFile, position: number): string {
  const comment = comments.findLast(({ end }) => end <= position);
  if (!comment?.value.startsWith('*') || text.slice(comment.end, position).trim() !== '') return '';
  return comment.value
    .slice(1)
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trim())
    .join('\n')
    .trim();
}

/** Declarations in TypeScript, without bodies and private members. */
export function printDeclared(declared: Declared): string {
  return declared.declarations.map((declaration) => print(declaration, declared)).join('\n');
}

function print(declaration: Declaration, { name, isType, file }: Declared): string {
  const source = (node: Node) => file.text.slice(node.start, node.end);
  if ('params' in declaration) return `function ${name}${signature(declaration, source)}`;
  if ('superClass' in declaration) return printClass(declaration, { name, isType, file, source });
  if (declaration.type !== 'VariableDeclaration') return withoutLintComments(source(declaration));
  const { id, init } = declaration.declarations.find(({ id }) => (id as { name: string }).name === name)!;
  const type = 'typeAnnotation' in id ? id.typeAnnotation : null;
  return `const ${name}${type ? source(type) : ` = ${source(init!)}`}`;
}

interface ClassPlace {
  name: string;
  isType: boolean;
  file: SourceFile;
  source: (node: Node) => string;
}

function printClass(declaration: ESTree.Class, { name, isType, file, source }: ClassPlace): string {
  const parameters = declaration.typeParameters ? source(declaration.typeParameters) : '';
  const parent = declaration.superClass ? ` extends ${source(declaration.superClass)}` : '';
  const kinds = declaration.implements?.length ? ` implements ${declaration.implements.map(source).join(', ')}` : '';
  const members = declaration.body.body.flatMap((member) => {
    const printed = printMember(member, { isType, source });
    const doc = docBefore(file, member.start);
    if (printed === null || doc.startsWith('@internal')) return [];
    return [`${doc === '' ? '' : comment(doc)}  ${printed};`];
  });
  return `class ${name}${parameters}${parent}${kinds} {\n${members.join('\n')}\n}`;
}

/** Null for what users of the class cannot or need not use. */
function printMember(
  member: ESTree.ClassElement,
  { isType, source }: Pick<ClassPlace, 'isType' | 'source'>,
): string | null {
  if (!('key' in member)) return null;
  if (member.key.type === 'PrivateIdentifier' || member.accessibility === 'private') return null;
  const prefix = member.static ? 'static ' : '';
  const key = member.computed ? `[${source(member.key)}]` : source(member.key);
  if (!('kind' in member)) {
    const type = member.typeAnnotation ? source(member.typeAnnotation) : '';
    return `${prefix}${member.readonly ? 'readonly ' : ''}${key}${member.optional ? '?' : ''}${type}`;
  }
  const { value } = member;
  if (member.kind === 'constructor') return isType ? null : `constructor${signature(value, source)}`;
  if (member.kind === 'get') return `readonly ${key}${value.returnType ? source(value.returnType) : ''}`;
  return `${prefix}${key}${signature(value, source)}`;
}

function signature(
  { typeParameters, params, returnType }: Pick<ESTree.Function, 'typeParameters' | 'params' | 'returnType'>,
  source: (node: Node) => string,
): string {
  const printed = params.map((parameter) => printParameter(parameter, source));
  const [before, after] = [typeParameters ? source(typeParameters) : '', returnType ? source(returnType) : ''];
  const line = `${before}(${printed.join(', ')})${after}`;
  if (line.length <= MAX_SIGNATURE) return line;
  return `${before}(\n${printed.map((parameter) => `  ${parameter},\n`).join('')})${after}`;
}

/** Options that are taken apart in place have no name in the source. */
function printParameter(parameter: Parameter, source: (node: Node) => string): string {
  const isOptional = parameter.type === 'AssignmentPattern';
  const pattern = isOptional ? parameter.left : parameter;
  const type = 'typeAnnotation' in pattern && pattern.typeAnnotation ? source(pattern.typeAnnotation) : null;
  if (pattern.type === 'ObjectPattern') return `options${isOptional ? '?' : ''}${type ?? ''}`;
  if (pattern.type !== 'Identifier') return source(parameter);
  const literal = isOptional && parameter.right.type === 'Literal' ? `: ${typeof parameter.right.value}` : '';
  return `${pattern.name}${isOptional || pattern.optional ? '?' : ''}${type ?? literal}`;
}

function comment(doc: string): string {
  const lines = doc.split('\n');
  if (lines.length === 1) return `  /** ${doc} */\n`;
  return `  /**\n${lines.map((line) => `   * ${line}\n`).join('')}   */\n`;
}

function withoutLintComments(text: string): string {
  return text.replaceAll(/^\s*\/\/ biome-ignore .*\n/gm, '');
}
