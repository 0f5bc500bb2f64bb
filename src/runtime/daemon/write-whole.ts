import fs from 'node:fs';

/** Readers see the old content or the new one. It survives us, not the machine: neither do the processes it is about. */
export function writeWhole(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`;
  fs.writeFileSync(temporary, text, { mode: 0o600 });
  fs.renameSync(temporary, file);
}
