import { isDeepStrictEqual } from 'node:util';
import type * as Yaml from 'yaml';
import { yamlLibrary } from '../sources/yaml-text.ts';

/**
 * The text with the value set at the path. Changes only the lines concerned if possible; otherwise the library rewrites
 * the document, which keeps comments but not all whitespace. Throws when the path leads through a value that is not a
 * map.
 */
export function setInYaml(text: string, path: readonly string[], value: unknown): string {
  const rebuilt = rewritten(text, (document) => {
    fillEmptySections(document, path);
    document.setIn(path, flowLists(document.createNode(value)));
  });
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  const spliced = isMap ? undefined : (valueReplaced(text, path, value) ?? pairInserted(text, path, value));
  return spliced !== undefined && isSameData(spliced, rebuilt) ? spliced : rebuilt;
}

/** The text with one more item at the end of the list at the path, which may be missing. */
export function addInYaml(text: string, path: readonly string[], item: unknown): string {
  const { isCollection, isSeq } = yamlLibrary();
  return rewritten(text, (document) => {
    fillEmptySections(document, path);
    const node = document.createNode(item);
    if (isCollection(node)) node.flow = true;
    const list = document.getIn(path, true);
    if (isSeq(list)) list.add(node);
    else {
      document.setIn(path, document.createNode([]));
      (document.getIn(path, true) as Yaml.YAMLSeq).add(node);
    }
  });
}

/** The value at the path, as plain data; undefined if there is none. */
export function valueInYaml(text: string, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key], parse(text).toJS());
}

/** The text without the pair at the path, and without maps that would become empty; undefined if it does not exist. */
export function unsetInYaml(text: string, path: readonly string[]): string | undefined {
  const document = parse(text);
  if (!document.hasIn(path)) return undefined;
  let kept = [...path];
  while (kept.length > 1 && itemsOf(document, kept.slice(0, -1)).length === 1) kept = kept.slice(0, -1);
  const rebuilt = rewritten(text, (copy) => copy.deleteIn(kept));
  const spliced = pairRemoved(text, kept);
  return spliced !== undefined && isSameData(spliced, rebuilt) ? spliced : rebuilt;
}

function parse(text: string): Yaml.Document.Parsed {
  return yamlLibrary().parseDocument(text);
}

function rewritten(text: string, change: (document: Yaml.Document) => void): string {
  const document = parse(text);
  const indent = indentOf(document, text);
  change(document);
  const written = document.toString({
    lineWidth: 0,
    indent,
    flowCollectionPadding: !/[[{](?=[^\s\]}])/.test(text),
  });
  return text.includes('\r\n') ? written.replace(/\r?\n/g, '\r\n') : written;
}

/** `limits:` without content is null, which cannot contain a value. */
function fillEmptySections(document: Yaml.Document, path: readonly string[]): void {
  const { isScalar } = yamlLibrary();
  for (let depth = 1; depth < path.length; depth += 1) {
    const node = document.getIn(path.slice(0, depth), true);
    if (isScalar(node) && node.value === null) document.setIn(path.slice(0, depth), document.createNode({}));
  }
}

/** Puts a list on one line, as in the documentation. */
function flowLists(node: Yaml.Node): Yaml.Node {
  const yaml = yamlLibrary();
  yaml.visit(node, {
    Seq: (_, list) => {
      list.flow = true;
    },
  });
  return node;
}

function valueReplaced(text: string, path: readonly string[], value: unknown): string | undefined {
  const { isCollection, isScalar } = yamlLibrary();
  const node = parse(text).getIn(path, true);
  const isInline = isScalar(node) || (isCollection(node) && node.flow === true);
  if (!isInline || !node.range) return undefined;
  const [start, end] = node.range;
  const gap = text[start - 1] === ':' ? ' ' : '';
  return `${text.slice(0, start)}${gap}${inline(value)}${text.slice(end)}`;
}

/** Inserts a line after the last one of the innermost existing map. */
function pairInserted(text: string, path: readonly string[], value: unknown): string | undefined {
  const { isMap } = yamlLibrary();
  const document = parse(text);
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const unit = indentOf(document, text);
  for (let depth = path.length - 1; depth >= 0; depth -= 1) {
    const map = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true);
    if (!isMap(map) || map.flow || map.items.length === 0) continue;
    const column = columnOf(text, map);
    const at = endOfLine(text, lastOffset(map));
    if (column === undefined) return undefined;
    return `${text.slice(0, at)}${lineEnd}${lines(path.slice(depth), column)}${text.slice(at)}`;
  }
  if (document.contents !== null) return undefined;
  const gap = text === '' || text.endsWith('\n') ? '' : lineEnd;
  return `${text}${gap}${lines(path, 0)}${lineEnd}`;

  function lines(keys: readonly string[], column: number): string {
    return keys
      .map((key, index) => {
        const last = index === keys.length - 1;
        return `${' '.repeat(column + index * unit)}${inline(key)}:${last ? ` ${inline(value)}` : ''}`;
      })
      .join(lineEnd);
  }
}

function pairRemoved(text: string, path: readonly string[]): string | undefined {
  const { isMap, isScalar } = yamlLibrary();
  const document = parse(text);
  const map = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (!isMap(map) || map.flow) return undefined;
  const pair = map.items.find(({ key }) => isScalar(key) && key.value === path.at(-1));
  const start = (pair?.key as Yaml.Scalar | undefined)?.range?.[0];
  if (pair === undefined || start === undefined) return undefined;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  if (text.slice(lineStart, start).trim() !== '') return undefined;
  return `${text.slice(0, lineStart)}${text.slice(endOfLine(text, endOfPair(pair)) + 1)}`;
}

/** A value on one line. */
function inline(value: unknown): string {
  const yaml = yamlLibrary();
  if (typeof value === 'string' && /[\n\r]/.test(value)) return JSON.stringify(value);
  const document = new yaml.Document(value);
  if (yaml.isCollection(document.contents)) document.contents.flow = true;
  return document.toString({ lineWidth: 0, flowCollectionPadding: false }).trimEnd();
}

/** The end of the last pair of a map. */
function lastOffset(map: Yaml.YAMLMap): number {
  return endOfPair(map.items.at(-1)!);
}

function endOfPair({ key, value }: Yaml.Pair): number {
  const { isMap, isSeq, isNode, isPair } = yamlLibrary();
  if (isMap(value) && !value.flow && value.items.length > 0) return lastOffset(value);
  if (isSeq(value) && !value.flow && value.items.length > 0) {
    const item = value.items.at(-1);
    if (isPair(item)) return endOfPair(item);
    if (isMap(item) && !item.flow && item.items.length > 0) return lastOffset(item);
    if (isNode(item) && item.range) return item.range[1];
  }
  const end = isNode(value) && value.range ? value.range[1] : (key as Yaml.Node).range![1];
  return end;
}

/** The offset before the line break; a text block ends after it. */
function endOfLine(text: string, offset: number): number {
  const from = offset > 0 && text[offset - 1] === '\n' ? offset - 1 : offset;
  const end = text.indexOf('\n', from);
  const at = end < 0 ? text.length : end;
  return text[at - 1] === '\r' ? at - 1 : at;
}

/** The zero-based column of a map's keys; undefined unless its first key starts a line. */
function columnOf(text: string, map: Yaml.YAMLMap): number | undefined {
  const start = (map.items[0]!.key as Yaml.Node).range![0];
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  return /^ *$/.test(text.slice(lineStart, start)) ? start - lineStart : undefined;
}

/** The indentation of the first nested map. */
function indentOf(document: Yaml.Document, text: string): number {
  const { isMap } = yamlLibrary();
  const root = document.contents;
  if (!isMap(root)) return 2;
  for (const { value } of root.items) {
    const column = isMap(value) && !value.flow && value.items.length > 0 ? columnOf(text, value) : undefined;
    if (column !== undefined && column > 0) return column;
  }
  return 2;
}

function itemsOf(document: Yaml.Document, path: readonly string[]): readonly unknown[] {
  const node = document.getIn(path, true);
  return yamlLibrary().isMap(node) ? node.items : [];
}

function isSameData(one: string, other: string): boolean {
  const [a, b] = [parse(one), parse(other)];
  if (a.errors.length > 0 || b.errors.length > 0) return false;
  return isDeepStrictEqual(a.toJS() ?? {}, b.toJS() ?? {});
}
