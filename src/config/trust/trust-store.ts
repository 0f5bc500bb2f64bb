import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { openRegularFile } from '../../files/regular-file.ts';
import { writeWhole } from '../../files/write-whole.ts';
import { makePrivateFolder } from '../private-folder.ts';
import { liesIn } from './workspace-folder.ts';

const FORMAT = 'tacho-trust/1';
const OTHERS_MAY_WRITE = 0o022;

/** Built only when there is a file to check. */
const entrySchema = () => {
  const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
  return z.strictObject({
    format: z.literal(FORMAT),
    folder: z.string(),
    /** Of its settings files; null if it had none. */
    sha256: sha256.nullable(),
    /** Of each of its skills, by path. */
    skills: z.record(z.string(), sha256).optional(),
    trusted_at: z.iso.datetime(),
  });
};
export type TrustEntry = z.infer<ReturnType<typeof entrySchema>>;

/** Whether this folder is trusted with this content. An unreadable trust file does not count. */
export function isTrusted(dataFolder: string, folder: string, sha256: string): boolean {
  if (!canHoldTrust(dataFolder, folder)) return false;
  const entry = readEntry(fileOf(dataFolder, folder));
  return entry?.folder === folder && entry.sha256 === sha256;
}

/** The hashes of the trusted skills of a folder, by path below it. */
export function trustedSkills(dataFolder: string, folder: string): Readonly<Record<string, string>> {
  if (!canHoldTrust(dataFolder, folder)) return {};
  const entry = readEntry(fileOf(dataFolder, folder));
  return entry?.folder === folder ? (entry.skills ?? {}) : {};
}

/** False for a data folder inside the workspace, which may come from its author, trust included. */
export function canHoldTrust(dataFolder: string, folder: string): boolean {
  return !liesIn(folder, dataFolder);
}

export function storeTrust(
  dataFolder: string,
  { folder, sha256, skills }: Pick<TrustEntry, 'folder' | 'sha256' | 'skills'>,
): TrustEntry {
  const file = fileOf(dataFolder, folder);
  const has = skills && Object.keys(skills).length > 0 ? { skills } : {};
  const entry: TrustEntry = { format: FORMAT, folder, sha256, ...has, trusted_at: new Date().toISOString() };
  makePrivateFolder(path.dirname(file));
  writeWhole(file, `${JSON.stringify(entry)}\n`, { durable: true });
  return entry;
}

/** False if there was none. */
export function removeTrust(dataFolder: string, folder: string): boolean {
  const file = fileOf(dataFolder, folder);
  if (!fs.existsSync(file)) return false;
  fs.rmSync(file);
  return true;
}

export function listTrust(dataFolder: string): TrustEntry[] {
  const folder = path.join(dataFolder, 'trust');
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  const entries = names.map((name) => readEntry(path.join(folder, name))).filter((entry) => entry !== null);
  return entries.sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

function fileOf(dataFolder: string, folder: string): string {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 32);
  return path.join(dataFolder, 'trust', `${name}.json`);
}

/** Null if it is missing, invalid, or could have been written by another user. */
function readEntry(file: string): TrustEntry | null {
  try {
    const fd = openRegularFile(file);
    try {
      const { uid, mode } = fs.fstatSync(fd);
      if (uid !== process.getuid!() || (mode & OTHERS_MAY_WRITE) !== 0) return null;
      return entrySchema().parse(JSON.parse(fs.readFileSync(fd, 'utf8')));
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return null;
  }
}
