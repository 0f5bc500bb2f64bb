import fs from 'node:fs';
import { embeddedList } from '../config/embedded-files.ts';

/** The version in package.json, one folder above the built files and two above the sources. */
export function readVersion(): string {
  const list = embeddedList();
  if (list) return list.version;
  for (const place of ['../package.json', '../../package.json']) {
    try {
      return (JSON.parse(fs.readFileSync(new URL(place, import.meta.url), 'utf8')) as { version: string }).version;
    } catch {
      // Not here: try the other place.
    }
  }
  return '0.0.0';
}
