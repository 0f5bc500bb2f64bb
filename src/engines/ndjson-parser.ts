import type { OutputStream, Parser, ParserContext } from '../protocol/index.ts';
import { type ElementReader, splitArrays } from './json/json-array.ts';
import { gatherDocuments } from './json/json-document.ts';
import { isObject, type JsonObject } from './json-value.ts';
import { createLineParser, type LineReader, type Surface } from './line-parser.ts';
import type { LinePattern } from './line-pattern.ts';
import { type MergedLine, mergeApart } from './merged-apart.ts';
import { createMisreadReport } from './misread-report.ts';
import type { Unit } from './unit.ts';

/**
 * What of an event was not understood. Fields that are not known are reported once for each kind of event, by a warning
 * alone: the rest of the line was read. Otherwise the line is kept as raw, with a warning each time.
 */
export interface Misread {
  event_type: string;
  problem: 'unknown type' | 'unexpected shape' | 'unknown fields';
  fields?: readonly string[];
}

/** One engine's events, each a JSON object on a line of its own. */
export interface EventReader {
  /** Turns one event into drafts; says what it did not understand. */
  event(event: JsonObject, unit: Unit): Misread | null;
  end(): void;
  /** Text that begins like an object and is none; it is kept as raw, with a warning. */
  unreadable?(text: string, unit: Unit): void;
  /** What makes two printings of one event the same event, for logs that were recorded apart. */
  identity?(event: JsonObject): string;
}

export interface NdjsonDialect {
  parser: string;
  confidence: number;
  usualStream: OutputStream;
  /** True for an event that is at home on another stream too. */
  alsoUsual?(event: JsonObject, stream: OutputStream): boolean;
  /** Objects may be printed over several lines; the first of them may carry a label before the brace. */
  documents?: { label: string };
  /** Events may be printed as the objects of one array. */
  arrays?: boolean;
  patterns: readonly LinePattern[];
  open(surface: Surface, context: ParserContext): EventReader;
}

const BRACE = 0x7b;

export function createNdjsonParser(context: ParserContext, dialect: NdjsonDialect): Parser {
  const { parser, confidence, patterns } = dialect;
  return createLineParser(context, {
    parser,
    confidence,
    patterns,
    open(surface) {
      const reader = open(surface, context, dialect);
      if (dialect.arrays) return splitArrays(surface, reader, reader.line);
      return dialect.documents ? gatherDocuments(surface, reader, dialect.documents.label) : reader;
    },
  });
}

function open(surface: Surface, context: ParserContext, dialect: NdjsonDialect): LineReader & { line: ElementReader } {
  const { draft } = surface;
  const reader = dialect.open(surface, context);
  const drifted = new Set<OutputStream>();
  const report = createMisreadReport(surface);
  const apart: { split: MergedLine[]; merged: MergedLine[] } | null =
    context.mergedApart && reader.identity ? { split: [], merged: [] } : null;

  function line(bytes: Buffer, unit: Unit, json = bytes): void {
    const text = firstByte(json) === BRACE ? json.toString('utf8') : null;
    const event = text === null ? null : parseObject(text);
    if (apart && unit.stream === 'pty') {
      // The merged log repeats the others; only what they lack is taken from it.
      if (event) apart.merged.push({ event, unit, identity: reader.identity!(event) });
      return;
    }
    if (!event) {
      surface.raw(bytes, unit);
      if (text === null) return;
      draft.warning('UNPARSED_CONTENT', unit, { problem: 'not JSON' });
      // The other log may hold the whole of it.
      if (!apart) reader.unreadable?.(text, unit);
      return;
    }
    if (apart) apart.split.push({ event, unit, identity: reader.identity!(event), bytes: Buffer.from(bytes) });
    else {
      draft.line = text;
      read(event, bytes, unit);
      draft.line = null;
    }
  }

  function read(event: JsonObject, bytes: Buffer | null, unit: Unit): void {
    const { stream } = unit;
    const usual = stream === dialect.usualStream || stream === 'pty' || dialect.alsoUsual?.(event, stream);
    if (!usual && !drifted.has(stream)) {
      drifted.add(stream);
      draft.warning('CHANNEL_DRIFT', unit, { usual: dialect.usualStream, found: stream });
    }
    report(reader.event(event, unit), bytes, unit);
  }

  return {
    line,
    end() {
      if (apart) {
        const { lines, missing, extra } = mergeApart(apart.split, apart.merged);
        for (const { event, unit, bytes } of lines) read(event, bytes ?? null, unit);
        if (missing.length > 0) draft.warning('PTY_FALLBACK_USED', missing, { recovered: missing.length });
        const last = lines.at(-1)?.unit;
        if (last && missing.length + extra > 0) {
          draft.warning('PTY_STREAM_MISMATCH', last, { missing_in_split: missing.length, missing_in_merged: extra });
        }
      }
      reader.end();
    },
  };
}

/** The first byte that is not a blank. */
function firstByte(bytes: Buffer): number {
  let at = 0;
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at++;
  return bytes[at] ?? 0;
}

export function parseObject(json: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : null;
  } catch {
    return null; // Cut off, glued to something else, or never JSON: kept as raw.
  }
}

/** Fields of an event that its reader does not know, as a misreading; null when it knows them all. */
export function unknownFields(type: string, object: JsonObject, known: ReadonlySet<string>): Misread | null {
  let fields: string[] | null = null;
  for (const name in object) {
    if (known.has(name) || !Object.hasOwn(object, name)) continue;
    fields ??= [];
    fields.push(name);
  }
  return fields && { event_type: type, problem: 'unknown fields', fields: fields.slice(0, 20) };
}
