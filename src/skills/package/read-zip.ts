import path from 'node:path';
import type { Entry, ZipFile } from 'yauzl';
import { TachoError } from '../../protocol/index.ts';
import {
  FileCollector,
  invalidPackage,
  isLeftOut,
  linkOutside,
  MAX_FILES,
  MAX_PACKAGE_BYTES,
  type PackageFile,
  type PackageFiles,
  tooLarge,
} from './package-files.ts';

const LINK = 0o120000;
const KIND = 0o170000;
const MADE_BY_UNIX = 3;
const MAX_LINK_BYTES = 4096;
/** Files and folders. */
const MAX_ENTRIES = 2 * MAX_FILES;

interface ZipLink {
  path: string;
  target: string;
}

/**
 * Reads all files of a zip into memory. Sizes are checked before anything is unpacked, and again while it is: a header
 * that lies is an error. Nothing is written.
 */
export async function readPackageZip(bytes: Uint8Array): Promise<PackageFiles> {
  const collector = new FileCollector();
  const links: ZipLink[] = [];
  const { default: yauzl } = await import('yauzl');
  try {
    const zip = await yauzl.fromBufferPromise(Buffer.from(bytes), { lazyEntries: true, decodeStrings: false });
    if (zip.entryCount > MAX_ENTRIES) throw tooLarge(`it has more than ${MAX_ENTRIES} entries`);
    for await (const entry of zip.eachEntry()) {
      const name = nameOf(entry);
      if (name.endsWith('/')) {
        collector.checkPath(name.slice(0, -1));
        continue;
      }
      collector.checkPath(name);
      if (isLeftOut(name)) continue;
      if (entry.isEncrypted()) throw invalidPackage(`${name} is encrypted`, 'Make the zip without a password.');
      const mode = modeOf(entry);
      const isLink = (mode & KIND) === LINK;
      if (isLink && entry.uncompressedSize > MAX_LINK_BYTES) throw linkOutside(name, 'a name that is too long');
      collector.announce(entry.uncompressedSize);
      const content = await contentOf(zip, entry);
      if (isLink) links.push({ path: name, target: content.toString() });
      else collector.add(name, { bytes: content, isExecutable: (mode & 0o100) !== 0 });
    }
  } catch (error) {
    if (error instanceof TachoError) throw error;
    const { message } = error as Error;
    throw invalidPackage(`the zip cannot be read: ${message}`, 'Make the zip again.', error);
  }
  for (const link of links) collector.add(link.path, targetOf(link, collector.files));
  return collector.files;
}

function nameOf(entry: Entry): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(entry.fileNameRaw);
  } catch {
    throw new TachoError('SKILL_PATH_UNSAFE', 'the package has a path that is not UTF-8', {
      fix: 'Make the zip again with a program that writes names in UTF-8.',
    });
  }
}

/** The mode of the file where the zip was made; 0 if it does not say. */
function modeOf({ versionMadeBy, externalFileAttributes }: Entry): number {
  return versionMadeBy >>> 8 === MADE_BY_UNIX ? externalFileAttributes >>> 16 : 0;
}

async function contentOf(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    length += (chunk as Buffer).length;
    // The library checks the stated size too; this does not rely on it.
    if (length > entry.uncompressedSize || length > MAX_PACKAGE_BYTES) throw new Error('a file is larger than stated');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks, length);
}

/** A copy of the file that a link leads to, if that is a file of the package and not a link itself. */
function targetOf({ path: from, target }: ZipLink, files: PackageFiles): PackageFile {
  const inner = path.posix.join(path.posix.dirname(from), target);
  const file = target.startsWith('/') ? undefined : files.get(inner);
  if (!file) throw linkOutside(from, target);
  return file;
}
