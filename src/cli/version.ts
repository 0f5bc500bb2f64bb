import fs from 'node:fs';
import { embeddedList } from '../config/embedded-files.ts';

/** The version in package.json, which stands one folder above the built files and two above the sources. */
export function readVersion(): string {
  const list = embeddedList();
  if (list) return list.version;
  for (const place of ['../package.json', '../../package.json']) {
    try {
      return (JSON.parse(fs.readFileSync(new URL(place, import.meta.url), 'utf8')) as { version: string }).version;
    } catch {
      // Not there: the other place is right.
    }
  }
  return '0.0.0';
}
