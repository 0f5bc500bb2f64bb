import fs from 'node:fs';
import path from 'node:path';

/** A program that tells the version of another Node. */
export function fakeNode(folder: string, version: string): string {
  const file = path.join(folder, 'node');
  fs.writeFileSync(file, `#!/bin/sh\necho v${version}\n`, { mode: 0o755 });
  return file;
}
