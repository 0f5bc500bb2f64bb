import { hash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { isRegularFile, readRegularBytes, writeWhole } from '../files/index.ts';
import { BLOBS_FOLDER } from '../protocol/index.ts';
import { writeFailure } from './attempt-file.ts';

/** Keeps content in the record as a blob, named by its sha256, which it returns. */
export function keepContent(audit: string, content: Buffer): string {
  const sha256 = hash('sha256', content);
  const file = path.join(audit, BLOBS_FOLDER, sha256);
  if (isKept(file, content)) return sha256;
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeWhole(file, content, { durable: true });
  } catch (cause) {
    throw writeFailure(file, cause);
  }
  return sha256;
}

/** The program could have written anything under that name. */
function isKept(file: string, content: Buffer): boolean {
  try {
    return isRegularFile(file) && readRegularBytes(file, { maxBytes: content.length }).equals(content);
  } catch {
    return false;
  }
}
