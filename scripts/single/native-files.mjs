import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** Prints every file that loading the packages opens, including native ones. */
const LOAD = `
  for (const name of process.argv.slice(1)) require(name);
  process.stdout.write(JSON.stringify(Object.keys(require.cache)));`;

/**
 * The files that packages need on this platform, by path below the project: the files that loading them opens, and the
 * package.json of each package. Packages also contain files for many other platforms, documentation and sources.
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
    // A package may contain small package.json files that only set the module type of a folder.
    if (path.basename(path.dirname(folder)).match(/^(node_modules|@.*)$/) && fs.existsSync(candidate)) return candidate;
  }
}
