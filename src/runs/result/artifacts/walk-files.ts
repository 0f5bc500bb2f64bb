import fs from 'node:fs';
import { descriptorPath, openFolder, openRegularFile } from '../../../files/index.ts';

/** A regular file below a folder. */
export interface FoundFile {
  /** From the folder. */
  path: string;
  /** Opens it without following links: the program may replace it at any time. The caller closes the descriptor. */
  open(): number;
}

const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 16;
/** Control characters, and U+FFFD for bytes that are not UTF-8: such names deceive readers, or cannot be opened. */
const UNSAFE_NAME = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffd\\]/;

/**
 * The regular files below a folder, by name. A program filled it: links, pipes and devices are left out, and so is what is
 * beyond the limits or has a name that is not plain text. Nothing if there is no such folder.
 */
export function* walkFiles(folder: string): Generator<FoundFile> {
  const root = tryTo(() => openFolder(folder));
  if (root === null) return;
  try {
    yield* below(root, '', { depth: 1, budget: { entries: MAX_ENTRIES } });
  } finally {
    fs.closeSync(root);
  }
}

function* below(
  folder: number,
  prefix: string,
  { depth, budget }: { depth: number; budget: { entries: number } },
): Generator<FoundFile> {
  const entries = tryTo(() => fs.readdirSync(descriptorPath(folder), { withFileTypes: true })) ?? [];
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    if (budget.entries-- <= 0) return;
    const { name } = entry;
    if (UNSAFE_NAME.test(name)) continue;
    const place = descriptorPath(folder, name);
    if (entry.isFile()) yield { path: `${prefix}${name}`, open: () => openRegularFile(place) };
    const inner = entry.isDirectory() && depth < MAX_DEPTH ? tryTo(() => openFolder(place)) : null;
    if (inner === null) continue;
    try {
      yield* below(inner, `${prefix}${name}/`, { depth: depth + 1, budget });
    } finally {
      fs.closeSync(inner);
    }
  }
}

/** Null for what was removed or replaced meanwhile, or cannot be read. */
function tryTo<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
