import fs from 'node:fs';
import path from 'node:path';
import { type ESTree, parseSync } from 'vite';

/** A declaration of a module, with the file that has it. */
export interface Declared {
  name: string;
  /** Exported by `export type`, so there is no value, even if it is a class. */
  isType: boolean;
  file: SourceFile;
  /** Several for a function with overloads. */
  declarations: Declaration[];
  /** Where the statement begins, `export` included: the doc comment is before it. */
  start: number;
}

export type Declaration =
  | ESTree.Class
  | ESTree.Function
  | ESTree.TSInterfaceDeclaration
  | ESTree.TSTypeAliasDeclaration
  | ESTree.VariableDeclaration;

const KINDS = [
  'ClassDeclaration',
  'FunctionDeclaration',
  'TSDeclareFunction',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'VariableDeclaration',
];

export interface SourceFile {
  path: string;
  text: string;
  body: ESTree.Program['body'];
  comments: readonly { value: string; start: number; end: number }[];
}

/** Everything that a module exports, in the order in which it does; names that are exported twice, once. */
export function exportsOf(file: string): Declared[] {
  const found = new Map<string, Declared>();
  for (const one of exported(parse(path.resolve(file)))) if (!found.has(one.name)) found.set(one.name, one);
  return [...found.values()];
}

/** What a name means in a file: a declaration there, or one that it imports from another file of the sources. */
export function lookUp(name: string, file: SourceFile): Declared | null {
  const own = [...declaredIn(file)].find((one) => one.name === name);
  if (own) return own;
  for (const statement of file.body) {
    if (statement.type !== 'ImportDeclaration' || !statement.source.value.startsWith('.')) continue;
    const specifier = statement.specifiers.find(({ local }) => local.name === name);
    if (specifier?.type !== 'ImportSpecifier') continue;
    const imported = nameOf(specifier.imported);
    return exportsOf(resolve(statement.source.value, file)).find((one) => one.name === imported) ?? null;
  }
  return null;
}

function* exported(file: SourceFile): Generator<Declared> {
  const own = [...declaredIn(file)];
  for (const statement of file.body) {
    if (statement.type === 'ExportAllDeclaration') {
      yield* exportsOf(resolve(statement.source.value, file));
    } else if (statement.type === 'ExportNamedDeclaration' && statement.source) {
      const all = exportsOf(resolve(statement.source.value, file));
      for (const { local, exported: shown, exportKind } of statement.specifiers) {
        const original = all.find(({ name }) => name === nameOf(local));
        if (!original) throw new Error(`${file.path} exports ${nameOf(local)}, which was not found`);
        const isType = statement.exportKind === 'type' || exportKind === 'type' || original.isType;
        yield { ...original, name: nameOf(shown), isType };
      }
    } else if (statement.type === 'ExportNamedDeclaration') {
      yield* own.filter(({ start }) => start === statement.start);
    }
  }
}

/** All declarations of a file, exported or not. */
function* declaredIn(file: SourceFile): Generator<Declared> {
  const overloads = new Map<string, Declaration[]>();
  for (const statement of file.body) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (!isDeclaration(declaration)) continue;
    const base = { file, start: statement.start, isType: declaration.type.startsWith('TS') };
    if (declaration.type === 'VariableDeclaration') {
      for (const { id } of declaration.declarations) {
        if (id.type === 'Identifier') yield { ...base, name: id.name, declarations: [declaration] };
      }
      continue;
    }
    const { name } = declaration.id!;
    const earlier = overloads.get(name);
    if (declaration.type === 'TSDeclareFunction') {
      overloads.set(name, earlier ?? [declaration]);
      if (earlier) earlier.push(declaration);
      else yield { ...base, name, isType: false, declarations: overloads.get(name)! };
    } else if (!earlier) yield { ...base, name, declarations: [declaration] };
  }
}

function isDeclaration(node: { type: string } | null): node is Declaration {
  return node !== null && KINDS.includes(node.type);
}

const parsed = new Map<string, SourceFile>();

function parse(file: string): SourceFile {
  const known = parsed.get(file);
  if (known) return known;
  const text = fs.readFileSync(file, 'utf8');
  const { program, comments, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`);
  const source = { path: file, text, body: program.body, comments };
  parsed.set(file, source);
  return source;
}

function resolve(specifier: string, from: SourceFile): string {
  return path.resolve(path.dirname(from.path), specifier);
}

function nameOf(name: { name?: string; value?: unknown }): string {
  return name.name ?? String(name.value);
}
