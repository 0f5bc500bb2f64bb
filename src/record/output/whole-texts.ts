import {
  attemptFileNames,
  type ByteRange,
  MAX_RAW_BYTES,
  type OutputStream,
  outputOf,
  type RawRef,
  type RawText,
  type Redactions,
  rawText,
  redactionsSchema,
  type Unresolved,
} from '../../protocol/index.ts';
import { readText } from '../file-pieces.ts';
import { readPtyHeaderLength } from '../pty-header.ts';
import { type RecordFile, type RecordFiles, withFile } from '../record-files.ts';
import { MaskedRanges, maskedRangesOf } from './masked-ranges.ts';

/** An event or a message whose text may be the beginning of raw output; null for a line that is neither. */
type MaybeRaw = ({ data: unknown; raw_ref: RawRef } & ({ event: { type: string } } | { type: string })) | null;

interface RawData {
  text: string;
  lines: number;
  truncated: true;
  masked?: number | undefined;
}

const MAX_REDACTIONS_BYTES = 16 * 1024 * 1024;
/** Output that is held in memory at once; references of a few bytes may name far more of it. */
const MAX_HELD_BYTES = 4 * 1024 * 1024;

/** Redactions that were read before, while their file has not grown. */
const known = new WeakMap<RecordFiles, Map<number, { size: number; ranges: Redactions['ranges'] }>>();

/**
 * Reads the raw output of events and messages that only show its beginning: from the attempt files, with the recorded
 * redactions applied. Gives a reason for output that cannot be had: files that are missing or do not fit the beginning,
 * redactions that are not the ones that were applied when it was recorded, references that no recorder makes.
 */
export async function readRawTexts<T extends MaybeRaw>(
  files: RecordFiles,
  items: readonly T[],
): Promise<Map<T, RawText | { unresolved: Unresolved }>> {
  const texts = new Map<T, RawText | { unresolved: Unresolved }>();
  const output = new RecordedOutput(files);
  try {
    for (const item of items) {
      const data = cutData(item);
      if (data === null) continue;
      const bytes = outputOf(data);
      texts.set(item, bytes ? rawText(bytes) : await output.text(item!.raw_ref, data));
    }
  } finally {
    await output.close();
  }
  return texts;
}

/** The whole texts among them; a picture or an archive has none. */
export async function wholeTexts<T extends MaybeRaw>(
  files: RecordFiles,
  items: readonly T[],
): Promise<ReadonlyMap<T, string>> {
  const whole = new Map<T, string>();
  for (const [item, read] of await readRawTexts(files, items)) {
    if ('text' in read && !read.truncated) whole.set(item, read.text);
  }
  return whole;
}

/** The same items, in parts, with their whole texts; where one cannot be had, `unresolved` gives the reason. */
export async function* withWholeTexts<T extends MaybeRaw>(
  files: RecordFiles,
  items: readonly T[],
): AsyncGenerator<T[], void, undefined> {
  for (const part of inParts(items)) {
    const texts = await readRawTexts(files, part);
    yield part.map((item) => resolvedItem(item, texts.get(item)));
  }
}

/** Splits items so that all output of a part fits into memory. */
export function* inParts<T extends MaybeRaw>(items: readonly T[]): Generator<T[], void, undefined> {
  let part: T[] = [];
  let bytes = 0;
  for (const item of items) {
    const more = cutData(item) === null ? 0 : MAX_RAW_BYTES;
    if (bytes + more > MAX_HELD_BYTES) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(item);
    bytes += more;
  }
  if (part.length > 0) yield part;
}

function resolvedItem<T extends MaybeRaw>(item: T, read: RawText | { unresolved: Unresolved } | undefined): T {
  if (read === undefined || ('text' in read && read.truncated)) return item;
  const { truncated, ...data } = item!.data as RawData;
  const resolved = 'text' in read ? { ...data, text: read.text } : { ...data, truncated, ...read };
  return { ...item, data: resolved } as T;
}

/** The data of cut output; null for everything else. A record may be made up, so nothing of it is taken on trust. */
function cutData(item: MaybeRaw): RawData | null {
  if (item === null || !isRawType(item)) return null;
  const { text, lines, truncated, masked } = (item.data ?? {}) as Partial<RawData>;
  if (truncated !== true || typeof text !== 'string' || typeof lines !== 'number') return null;
  return masked === undefined || typeof masked === 'number' ? (item.data as RawData) : null;
}

/** The range of a reference; null if no recorder makes such a one. */
export function outputRange(raw_ref: unknown): (ByteRange & { stream: OutputStream }) | null {
  if (raw_ref === null || typeof raw_ref !== 'object' || Array.isArray(raw_ref)) return null;
  const { attempt_number, stream, byte_from, byte_to } = raw_ref as ByteRange;
  // What was typed is never shown: passwords are among it.
  if (stream !== 'stdout' && stream !== 'stderr' && stream !== 'pty') return null;
  if (![attempt_number, byte_from, byte_to].every(Number.isSafeInteger) || attempt_number < 1) return null;
  const length = byte_to - byte_from;
  const isPossible = byte_from >= 0 && length > 0 && length <= MAX_RAW_BYTES;
  return isPossible ? { attempt_number, stream, byte_from, byte_to } : null;
}

function isRawType(item: NonNullable<MaybeRaw>): boolean {
  const type: unknown = 'event' in item ? item.event?.type : item.type;
  return typeof type === 'string' && type.startsWith('raw.');
}

interface OpenStream {
  file: RecordFile;
  /** Redactions count from here. */
  outputFrom: number;
  /** Null when they cannot be read: without them nothing may be shown. */
  masked: MaskedRanges | null;
}

/** The output of a run's attempts, as parsers saw it. */
class RecordedOutput {
  readonly #files: RecordFiles;
  readonly #streams = new Map<string, Promise<OpenStream | null>>();

  constructor(files: RecordFiles) {
    this.#files = files;
  }

  async text(raw_ref: RawRef, shown: RawData): Promise<RawText | { unresolved: Unresolved }> {
    const range = outputRange(raw_ref);
    if (range === null) return { unresolved: 'REFERENCE_INVALID' };
    try {
      return await this.#read(range, shown);
    } catch {
      // A file that cannot be read is like one that is missing; `verify` reports it.
      return { unresolved: 'OUTPUT_MISSING' };
    }
  }

  async #read(
    { attempt_number, stream, byte_from, byte_to }: ByteRange & { stream: OutputStream },
    shown: RawData,
  ): Promise<RawText | { unresolved: Unresolved }> {
    const open = await this.#open(attempt_number, stream);
    if (open === null) return { unresolved: 'OUTPUT_MISSING' };
    const { file, outputFrom, masked } = open;
    const range = { from: byte_from - outputFrom, to: byte_to - outputFrom };
    if (range.from < 0) return { unresolved: 'REFERENCE_INVALID' };
    if (masked?.count(range) !== (shown.masked ?? 0)) return { unresolved: 'REDACTIONS_DIFFER' };
    const bytes = await file.read(byte_from, byte_to);
    if (bytes.length < byte_to - byte_from) return { unresolved: 'OUTPUT_MISSING' };
    const read = rawText(masked.mask(bytes, range.from));
    return read.truncated || read.text.startsWith(shown.text) ? read : { unresolved: 'OUTPUT_DIFFERS' };
  }

  async close(): Promise<void> {
    for (const open of this.#streams.values()) await (await open.catch(() => null))?.file.close();
  }

  #open(attempt: number, stream: OutputStream): Promise<OpenStream | null> {
    const key = `${stream}.${attempt}`;
    const open = this.#streams.get(key) ?? this.#openStream(attempt, stream);
    this.#streams.set(key, open);
    return open;
  }

  async #openStream(attempt: number, stream: OutputStream): Promise<OpenStream | null> {
    const masked = await this.#readRedactions(attempt, stream);
    const file = await this.#files.open(attemptFileNames(attempt)[stream]);
    if (file === null) return null;
    try {
      return { file, outputFrom: stream === 'pty' ? await readPtyHeaderLength(file) : 0, masked };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async #readRedactions(attempt: number, stream: OutputStream): Promise<MaskedRanges | null> {
    try {
      return await withFile(this.#files, attemptFileNames(attempt).redactions, async (file) =>
        file === null ? new MaskedRanges() : maskedRangesOf(await this.#ranges(attempt, file), stream),
      );
    } catch {
      return null;
    }
  }

  async #ranges(attempt: number, file: RecordFile): Promise<Redactions['ranges']> {
    const before = known.get(this.#files)?.get(attempt);
    if (before?.size === file.size) return before.ranges;
    const text = await readText(file, MAX_REDACTIONS_BYTES);
    const { ranges } = redactionsSchema.parse(JSON.parse(text ?? ''));
    const all = known.get(this.#files) ?? new Map();
    known.set(this.#files, all.set(attempt, { size: file.size, ranges }));
    return ranges;
  }
}
