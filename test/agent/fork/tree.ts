import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** Everything in a folder except `.tacho`: names, types, modes, contents. */
export function treeOf(root: string): Record<string, string> {
  const tree: Record<string, string> = {};
  const walk = (folder: string) => {
    for (const name of fs.readdirSync(path.join(root, folder)).sort()) {
      const relative = path.join(folder, name);
      if (relative === '.tacho') continue;
      const file = path.join(root, relative);
      const stat = fs.lstatSync(file);
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isSymbolicLink()) tree[relative] = `link ${fs.readlinkSync(file)}`;
      else if (stat.isFile()) tree[relative] = `file ${mode} ${hash(fs.readFileSync(file))}`;
      else if (stat.isDirectory()) {
        tree[relative] = `folder ${mode}`;
        walk(relative);
      } else tree[relative] = 'other';
    }
  };
  walk('');
  return tree;
}

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}
