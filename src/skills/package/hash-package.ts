import { createHash } from 'node:crypto';
import type { PackageFiles } from './package-files.ts';

/** SHA-256 over the names, modes and bytes of all files of a package, whatever their order. */
export function hashPackage(files: PackageFiles): string {
  const hash = createHash('sha256').update('tacho-skill/1\n');
  for (const name of [...files.keys()].sort()) {
    const { bytes, isExecutable } = files.get(name)!;
    const mode = isExecutable ? 'x' : '-';
    hash.update(`${Buffer.byteLength(name)} ${mode} ${bytes.length} ${name}\n`).update(bytes);
  }
  return hash.digest('hex');
}
