import { TachoError } from '../../protocol/index.ts';
import { quoted } from '../quoted.ts';

/** One file of a package. */
export interface PackageFile {
  bytes: Buffer;
  isExecutable: boolean;
}

/** All files of a package, by path below its folder. Links that stay inside are copies of their targets. */
export type PackageFiles = ReadonlyMap<string, PackageFile>;

export const MAX_FILES = 2000;
export const MAX_PACKAGE_BYTES = 64 * 1024 * 1024;
const MAX_PATH_BYTES = 512;
const MAX_NAME_BYTES = 255;
const MAX_DEPTH = 16;

/** Left out of a package: not part of the skill, and often large. */
const LEFT_OUT = new Set(['.git', '.hg', '.svn', 'node_modules', '__MACOSX', '.DS_Store']);

export function isLeftOut(path: string): boolean {
  return path.split('/').some((name) => LEFT_OUT.has(name));
}

/** Collects the files of a package within the limits. */
export class FileCollector {
  readonly files = new Map<string, PackageFile>();
  readonly #folders = new Set<string>();
  #bytes = 0;

  /** Throws SKILL_PATH_UNSAFE for a path that no package has. */
  checkPath(path: string): void {
    const names = path.split('/');
    const complaint = names.some((name) => name === '' || name === '.' || name === '..')
      ? 'it leads out of the package or has empty parts'
      : /[\\\0-\x1f\x7f]/.test(path) || /^[A-Za-z]:/.test(path)
        ? 'it has characters that are not allowed'
        : Buffer.byteLength(path) > MAX_PATH_BYTES || names.some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES)
          ? 'it is too long'
          : names.length > MAX_DEPTH
            ? 'it is too deep'
            : null;
    if (complaint !== null) throw unsafePath(path, complaint);
  }

  /** Before its content is read, so that a bomb is never unpacked. */
  announce(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > MAX_PACKAGE_BYTES) throw tooLarge(`it has more than ${MAX_PACKAGE_BYTES} bytes`);
    if (this.files.size >= MAX_FILES) throw tooLarge(`it has more than ${MAX_FILES} files`);
  }

  add(path: string, file: PackageFile): void {
    const names = path.split('/');
    const folders = names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
    if (this.files.has(path)) throw unsafePath(path, 'it is in the package twice');
    if (this.#folders.has(path) || folders.some((folder) => this.files.has(folder))) {
      throw unsafePath(path, 'it is a file and a folder');
    }
    for (const folder of folders) this.#folders.add(folder);
    this.files.set(path, file);
  }
}

function unsafePath(path: string, complaint: string): TachoError {
  return new TachoError(
    'SKILL_PATH_UNSAFE',
    `the package has the path ${quoted(path)}, which cannot be used: ${complaint}`,
    {
      facts: { path: path.slice(0, 1000) },
      fix: 'Do not use this package unless you trust its author; otherwise rename the file.',
    },
  );
}

export function tooLarge(what: string): TachoError {
  return new TachoError('SKILL_PACKAGE_TOO_LARGE', `the package is too large: ${what}`, {
    facts: { max_files: MAX_FILES, max_bytes: MAX_PACKAGE_BYTES },
    fix: 'Leave out files that the skill does not need.',
  });
}

export function linkOutside(path: string, target: string): TachoError {
  return new TachoError(
    'SKILL_LINK_OUTSIDE',
    `${quoted(path)} is a link to ${quoted(target)}, which is not in the package`,
    {
      facts: { path: path.slice(0, 1000) },
      fix: 'Replace the link with a copy of its target.',
    },
  );
}

export function invalidPackage(what: string, fix: string, cause?: unknown): TachoError {
  return new TachoError('SKILL_PACKAGE_INVALID', what, { fix, cause });
}
