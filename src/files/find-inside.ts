import fs from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { errnoOf } from './errno.ts';
import { descriptorPath, openBeneath } from './open-beneath.ts';

/**
 * Resolves a name in a folder with all links, as `openBeneath` does. The name may be absolute, and go through links with
 * absolute targets, as long as it ends inside; otherwise it fails with EXDEV. `folder` is a descriptor; so is the result,
 * which the caller closes.
 */
export async function findInside(folder: number, name: string): Promise<number> {
  const root = fs.readlinkSync(descriptorPath(folder));
  const wanted = path.resolve(root, name);
  try {
    return openBeneath(folder, path.relative(root, wanted));
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV') throw error;
    const real = await realpath(wanted).catch(() => null);
    if (real === null || !isBelow(real, root)) throw error;
    return openBeneath(folder, path.relative(root, real));
  }
}

/** Whether a path is the folder or lies in it; both absolute and without `..`. */
export function isBelow(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder === '/' ? folder : `${folder}/`);
}
