import fs from 'node:fs';
import { errnoOf, readAt } from '../../../files/index.ts';
import type { ResultArtifact, SkillManifest, SkippedArtifact, Violation } from '../../../protocol/index.ts';
import { compileGlob, keepContent } from '../../../recording/index.ts';
import { type FoundFile, walkFiles } from './walk-files.ts';

/** The artifacts of an attempt: what the record keeps, what it does not keep, and what is missing. */
export interface CollectedArtifacts {
  artifacts: ResultArtifact[];
  skipped: SkippedArtifact[];
  violations: Violation[];
}

export interface ArtifactLimits {
  files: number;
  /** Of one file, and of all. */
  fileBytes: number;
  bytes: number;
}

const LIMITS: ArtifactLimits = { files: 1000, fileBytes: 64 * 1024 ** 2, bytes: 256 * 1024 ** 2 };
const MAX_SKIPPED = 100;
/** Artifacts must not fill the disk that the record is on. */
const DISK_SHARE = 1 / 4;

interface Collecting {
  /** Where the program put them. */
  folder: string;
  /** The manifest's patterns; without any, every file is an artifact. */
  wanted: SkillManifest['artifacts'];
  /** Files that are not artifacts, such as the one with the result. */
  except: readonly string[];
  /** The record's folder. */
  audit: string;
  limits?: ArtifactLimits;
}

/** Copies the artifacts that a program left into the record. A required one that is missing is a violation. */
export function collectArtifacts({ folder, wanted, except, audit, limits = LIMITS }: Collecting): CollectedArtifacts {
  const patterns = wanted.map((artifact) => ({ ...artifact, matches: matcherOf(artifact.pattern), found: false }));
  const collected: CollectedArtifacts = { artifacts: [], skipped: [], violations: [] };
  const skip = (path: string, reason: string) => {
    if (collected.skipped.length < MAX_SKIPPED) collected.skipped.push({ path, reason });
  };
  let bytesLeft = Math.min(limits.bytes, DISK_SHARE * freeBytes(audit));
  for (const file of walkFiles(folder)) {
    const { path } = file;
    const matching = patterns.filter(({ matches }) => matches(path));
    if (patterns.length === 0 ? except.includes(path) : matching.length === 0) continue;
    const read = collected.artifacts.length < limits.files ? readFile(file, limits, bytesLeft) : TOO_MANY;
    if (typeof read === 'string') {
      skip(path, read);
      continue;
    }
    bytesLeft -= read.length;
    for (const pattern of matching) pattern.found = true;
    const { role = null, mime = null } = matching[0] ?? {};
    collected.artifacts.push({ path, role, mime, bytes: read.length, sha256: keepContent(audit, read) });
  }
  for (const { pattern, required, found } of patterns) {
    if (required && !found) {
      collected.violations.push({ path: '', message: `the required artifact ${JSON.stringify(pattern)} is missing` });
    }
  }
  return collected;
}

const TOO_MANY = 'there are too many artifacts';

/** The content, or why it is not kept. */
function readFile(file: FoundFile, { fileBytes }: ArtifactLimits, bytesLeft: number): Buffer | string {
  let fd: number;
  try {
    fd = file.open();
  } catch (error) {
    return `it cannot be read (${errnoOf(error) ?? 'unknown'})`;
  }
  try {
    const { size } = fs.fstatSync(fd);
    if (size > fileBytes) return `it has ${size} bytes; the limit is ${fileBytes}`;
    if (size > bytesLeft) return 'the artifacts are too large together';
    return readAt(fd, 0, size);
  } finally {
    fs.closeSync(fd);
  }
}

/** Patterns work on bytes, as file names do. */
function matcherOf(pattern: string): (path: string) => boolean {
  const glob = compileGlob(asLatin1(pattern), { crossesFolders: false });
  return (path) => glob?.matches(asLatin1(path)) ?? false;
}

function asLatin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = fs.statfsSync(folder);
  return bavail * bsize;
}
