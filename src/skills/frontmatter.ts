import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import { TachoError } from '../protocol/index.ts';
import { parsePlainYaml } from './plain-yaml.ts';
import { quoted } from './quoted.ts';
import { MAX_FRONTMATTER_BYTES } from './skill.ts';

/** The head of a SKILL.md: YAML between two lines of three hyphens. */
export interface Frontmatter {
  yaml: string;
  /** Line of the file that `yaml` begins at, from 1. */
  line: number;
  /** Index of the first byte after the head. */
  bodyAt: number;
}

const FENCE = /^(?:\ufeff)?---[ \t]*\r?\n/;
const FENCE_BYTES = 64;
/** Aliases may repeat whole trees, and nested ones exceed any memory. */
const MAX_ALIASES = 100;

/**
 * Finds the head in the first bytes of a file. Null if these bytes begin like one and end inside of it, so more of the
 * file is needed. Throws SKILL_FRONTMATTER_INVALID without a head, and SKILL_FRONTMATTER_TOO_LARGE beyond 64 KiB.
 */
export function splitFrontmatter(bytes: Buffer, { isWhole }: { isWhole: boolean }): Frontmatter | null {
  const opening = FENCE.exec(bytes.toString('utf8', 0, FENCE_BYTES))?.[0];
  if (opening === undefined) throw withoutHead('its first line has to be ---');
  const start = Buffer.byteLength(opening);
  const end = findClosing(bytes, start, isWhole);
  const length = (end?.at ?? bytes.length) - start;
  if (length > MAX_FRONTMATTER_BYTES) {
    throw new TachoError(
      'SKILL_FRONTMATTER_TOO_LARGE',
      `its frontmatter is larger than ${MAX_FRONTMATTER_BYTES} bytes`,
      {
        fix: 'Move what is not metadata below the frontmatter.',
      },
    );
  }
  if (end === null && !isWhole) return null;
  if (end === null) throw withoutHead('the line --- that ends it is missing');
  return { yaml: decode(bytes.subarray(start, end.at)), line: 2, bodyAt: end.bodyAt };
}

/** The next line that consists of three hyphens. */
function findClosing(bytes: Buffer, from: number, isWhole: boolean): { at: number; bodyAt: number } | null {
  // The first line of the YAML may be the closing one, so the search includes the line end before it.
  for (let at = bytes.indexOf('\n---', from - 1); at >= 0; at = bytes.indexOf('\n---', at + 1)) {
    const lineEnd = bytes.indexOf(0x0a, at + 1);
    if (lineEnd < 0 && !isWhole) return null;
    const line = bytes.toString('utf8', at + 1, lineEnd < 0 ? bytes.length : lineEnd);
    if (line.trimEnd() === '---') return { at: at + 1, bodyAt: lineEnd < 0 ? bytes.length : lineEnd + 1 };
  }
  return null;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw withoutHead('it is not UTF-8');
  }
}

function withoutHead(why: string): TachoError {
  return new TachoError('SKILL_FRONTMATTER_INVALID', `it has no frontmatter: ${why}`, {
    fix: 'Begin the file with ---, the lines name: and description:, and ---.',
    facts: { line: 1 },
  });
}

export interface ParsedFrontmatter {
  fields: Readonly<Record<string, unknown>>;
  /** Whether a value had to be put in quotes to be valid YAML. */
  isRepaired: boolean;
}

/** Throws SKILL_FRONTMATTER_INVALID with the line of the file. */
export function parseFrontmatter({ yaml, line }: Pick<Frontmatter, 'yaml' | 'line'>): ParsedFrontmatter {
  const plain = parsePlainYaml(yaml);
  if (plain) return { fields: plain, isRepaired: false };
  const first = parse(yaml);
  // Other agents read values such as `description: Use this: always`, which are not YAML.
  const repaired = 'flaw' in first ? quoteValues(yaml) : yaml;
  const parsed = repaired === yaml ? first : parse(repaired);
  const result = 'flaw' in parsed ? first : parsed;
  if ('flaw' in result) {
    const at = line + result.flaw.line - 1;
    throw new TachoError('SKILL_FRONTMATTER_INVALID', `its frontmatter is not valid YAML: ${result.flaw.message}`, {
      fix: 'Correct the YAML; put values with colons or special characters in quotes.',
      facts: { line: at },
    });
  }
  return { fields: result.fields, isRepaired: result !== first };
}

/** The line of the file that a key at the top of the head is on; the first of the head if it is not there. */
export function lineOfKey({ yaml, line }: Pick<Frontmatter, 'yaml' | 'line'>, key: string): number {
  const index = yaml.split('\n').findIndex((text) => new RegExp(`^["']?${key}["']?\\s*:`).test(text));
  return line + Math.max(0, index);
}

type Parsed = { fields: Record<string, unknown> } | { flaw: { line: number; message: string } };

function parse(text: string): Parsed {
  const library = yamlLibrary();
  const lines = new library.LineCounter();
  const at = (offset: number) => Math.max(1, lines.linePos(offset).line);
  // The library would compare each key with all earlier ones.
  const document = library.parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const [error] = document.errors;
  if (error) return { flaw: { line: at(error.pos[0]), message: onFirstLine(error) } };
  const twice = repeatedKey(library, document.contents);
  if (twice) return { flaw: { line: at(twice.range![0]), message: `${quoted(String(twice.value))} is set twice` } };
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    if (isMap(value)) return { fields: value };
    return { flaw: { line: 1, message: 'it has to be a map of keys to values' } };
  } catch (error) {
    return { flaw: { line: 1, message: onFirstLine(error as Error) } };
  }
}

function repeatedKey(library: typeof Yaml, contents: unknown): Yaml.Scalar | undefined {
  const seen = new Set<unknown>();
  const keys = library.isMap(contents) ? contents.items.map(({ key }) => key).filter(library.isScalar) : [];
  return keys.find((key) => seen.size === seen.add(key.value).size);
}

/** Puts values of top-level keys in quotes if they contain a colon and a space. */
function quoteValues(yaml: string): string {
  return yaml.replaceAll(/^([A-Za-z][\w-]*): +([^\s"'|>[{&*!%@`#].*: .*?)[ \t\r]*$/gm, (_, key, value) => {
    return `${key}: ${JSON.stringify(value)}`;
  });
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function onFirstLine({ message }: Error): string {
  return message.split('\n', 1)[0]!.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd');
}

let loaded: typeof Yaml | undefined;

/** Loaded on first use, because most commands need no skill. */
function yamlLibrary(): typeof Yaml {
  loaded ??= createRequire(import.meta.url)('yaml') as typeof Yaml;
  return loaded;
}
