import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

/** JSON with the line of each of its values. */
export interface LocatedJson {
  value: unknown;
  /** The line of a value, from 1; the innermost one that exists on the way to it. */
  lineOf(path: readonly PropertyKey[]): number;
}

const MAX_DEPTH = 64;
const MAX_BYTES = 256 * 1024;

/** Reads JSON, or returns what is wrong with it and where. */
export function readJson(bytes: Buffer): LocatedJson | { line: number; message: string } {
  if (bytes.length > MAX_BYTES) return { line: 1, message: `it is larger than ${MAX_BYTES} bytes` };
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return flawOf(text, error as Error);
  }
  if (depthOf(value) > MAX_DEPTH) return { line: 1, message: `it is nested more than ${MAX_DEPTH} levels deep` };
  let located: ((path: readonly PropertyKey[]) => number) | undefined;
  return {
    value,
    lineOf(path) {
      located ??= locate(text);
      return located(path);
    },
  };
}

function flawOf(text: string, { message }: Error): { line: number; message: string } {
  const position = /position (\d+)/.exec(message)?.[1];
  const before = position === undefined ? text : text.slice(0, Number(position));
  const [what] = message.split(' in JSON', 1);
  return {
    line: before.split('\n').length,
    message: what!.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd').slice(0, 200),
  };
}

/** JSON is YAML, whose library keeps positions. */
function locate(text: string): (path: readonly PropertyKey[]) => number {
  const yaml = createRequire(import.meta.url)('yaml') as typeof Yaml;
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  return (path) => {
    for (let length = path.length; length >= 0; length--) {
      const node: unknown = document.getIn(path.slice(0, length), true);
      if (yaml.isNode(node) && node.range) return lines.linePos(node.range[0]).line;
    }
    return 1;
  };
}

function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return depth;
  return Object.values(value).reduce<number>((most, child) => Math.max(most, depthOf(child, depth + 1)), depth);
}
