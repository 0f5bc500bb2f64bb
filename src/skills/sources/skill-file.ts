import fs, { type Stats } from 'node:fs';
import { descriptorPath, errnoOf, openBeneath } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { type Frontmatter, splitFrontmatter } from '../frontmatter.ts';
import { MAX_FRONTMATTER_BYTES } from '../skill.ts';

const { O_NONBLOCK, O_RDONLY } = fs.constants;
/** Nearly every head is shorter. */
const FIRST_READ_BYTES = 4096;
/** With both fences, and the byte that shows that there is more. */
const HEAD_BYTES = MAX_FRONTMATTER_BYTES + 1024;

/**
 * Opens a file below a folder, given by a descriptor. Links are followed as long as they stay in the folder; otherwise it
 * throws SKILL_LINK_OUTSIDE. Refuses everything that is not a regular file. Null if there is no such file.
 */
export function openSkillFile(folder: number, name: string): { fd: number; stats: Stats } | null {
  let found: number;
  try {
    found = openBeneath(folder, name);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return null;
    if (errno === 'EXDEV' || errno === 'ELOOP') {
      throw new TachoError('SKILL_LINK_OUTSIDE', 'it is reached by a link that leads out of the folder', {
        fix: 'Replace the link with a copy of its target.',
      });
    }
    throw error;
  }
  try {
    const stats = fs.fstatSync(found);
    if (!stats.isFile()) {
      throw new TachoError('SKILL_PACKAGE_INVALID', 'it is not a regular file', { fix: 'Replace it with a file.' });
    }
    return { fd: fs.openSync(descriptorPath(found), O_RDONLY | O_NONBLOCK), stats };
  } finally {
    fs.closeSync(found);
  }
}

const shared = Buffer.allocUnsafe(HEAD_BYTES);

/** Reads the head of an open SKILL.md, and no more of it than a page unless the head is longer. */
export function readHead(fd: number): Frontmatter {
  let length = 0;
  for (const wanted of [FIRST_READ_BYTES, HEAD_BYTES]) {
    const isWhole = fill();
    const head = splitFrontmatter(shared.subarray(0, length), { isWhole });
    if (head) return head;

    /** False if the file has more. */
    function fill(): boolean {
      while (length < wanted) {
        const count = fs.readSync(fd, shared, length, wanted - length, length);
        if (count === 0) return true;
        length += count;
      }
      return false;
    }
  }
  throw new Error('a head of more bytes than allowed was accepted');
}

/** The text below the head. Null if it is larger than `maxBytes`. */
export function readBelowHead(fd: number, maxBytes: number): { text: string } | { bytes: number } {
  const { bodyAt } = readHead(fd);
  const { size } = fs.fstatSync(fd);
  const bytes = size - bodyAt;
  if (bytes > maxBytes) return { bytes };
  const body = Buffer.alloc(Math.max(0, bytes));
  let length = 0;
  while (length < body.length) {
    const count = fs.readSync(fd, body, length, body.length - length, bodyAt + length);
    if (count === 0) break;
    length += count;
  }
  return { text: body.toString('utf8', 0, length) };
}
