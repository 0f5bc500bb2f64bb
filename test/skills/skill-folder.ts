import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** A temporary folder, removed after the test. */
export function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-skills-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function writeFiles(root: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), content);
  }
}

/** The text of a SKILL.md. */
export function skillFile(
  name: string,
  { description = `Does ${name}.`, body = `# ${name}\n`, more = '' } = {},
): string {
  return `---\nname: ${name}\ndescription: ${description}\n${more}---\n${body}`;
}

/** Makes files look old enough for their times to be relied on. */
export function makeOld(...files: string[]): void {
  for (const file of files) fs.utimesSync(file, new Date('2020-01-01'), new Date('2020-01-01'));
}
