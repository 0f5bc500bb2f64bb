import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** Prints every file that loading the packages opens, native ones too. */
const LOAD = `
  for (const name of process.argv.slice(1)) require(name);
  process.stdout.write(JSON.stringify(Object.keys(require.cache)));`;

/**
 * The files that packages need on this platform, by path below the project: those that loading them really opens, and the
 * package.json of each package. Packages carry files for a dozen platforms, documents and sources besides.
 */
export function nativeFiles(root, packages) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', LOAD, ...packages], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${packages.join(', ')} cannot be loaded: ${stderr}`);
  const files = new Set();
  for (const file of JSON.parse(stdout)) {
    files.add(path.relative(root, file));
    files.add(path.relative(root, packageFile(file)));
  }
  return [...files].sort();
}

function packageFile(file) {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, 'package.json');
    // A package may have small package.json files inside that only say how to read a folder.
    if (path.basename(path.dirname(folder)).match(/^(node_modules|@.*)$/) && fs.existsSync(candidate)) return candidate;
  }
}
