import type { Parser, ParserContext } from '../../protocol/index.ts';
import type { EngineProfile } from '../engine.ts';
import type { JsonObject } from '../json-value.ts';

/**
 * The file that an engine itself keeps of a session: one JSON object per line, each with its time. Such a file is read
 * like output: push its bytes, as they are appended, as the stream `stdout` of `parser`. Events have the times of the
 * entries, whenever the bytes are pushed, and what people said is in them.
 */
export interface SessionFormat {
  /** What people call such a file. */
  title: string;
  /**
   * Below the user's home: the folder that holds them, at any depth; null if they are in no common folder. `name` matches
   * the names of the files.
   */
  folder: string | null;
  name: RegExp;
  /** Set instead of `folder` when this variable is set: the folder is then below it. */
  movedBy?: { variable: string; folder: string };
  parser: { name: string; version: string; create(context: ParserContext): Parser };
  signals: EngineProfile['signals'];
  /** The engine prints the same entries. */
  isPrinted?: true;
  /** Whether an entry is one of this format; some entry of the first ten is, in every such file. */
  recognizes(entry: JsonObject): boolean;
  /** When the entry was written, in milliseconds since the epoch; null where it does not say. */
  timeOf(entry: JsonObject): number | null;
  /** What an entry is known by when the file is written anew; null if it has no id. */
  idOf(entry: JsonObject): string | null;
  /** The session's id and the folder it worked in, where the entry says so. */
  aboutSession(entry: JsonObject): { id?: string; cwd?: string };
}

/** The engine, reading its session files instead of its output. */
export function readingSessions(profile: EngineProfile, { parser, signals }: SessionFormat): EngineProfile {
  return { ...profile, parser, signals, patterns: [] };
}
