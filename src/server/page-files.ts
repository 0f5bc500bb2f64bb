import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

/** One file of the page, ready to send. */
export interface PageFile {
  type: string;
  bytes: Buffer;
  /** Compressed on first use; null if compression saves nothing. */
  gzipped(): Buffer | null;
  etag: string;
  /** The name contains a hash of the content, so it can be cached forever. */
  immutable: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The built page: the folder it is in, or its files by their path in that folder. */
export type PageSource = string | ReadonlyMap<string, Buffer>;

/**
 * The built page in memory, by URL. There are a few dozen files, and no part of a request is ever used as a path.
 * `basePath` is where browsers see it, such as `/tacho`: empty, or without a trailing slash.
 */
export function readPageFiles(source: PageSource, basePath = ''): Map<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const [name, content] of typeof source === 'string' ? readFolder(source) : source) {
    const type = TYPES[path.extname(name)];
    if (type === undefined) continue;
    const bytes = name === 'index.html' ? withBasePath(content, basePath) : content;
    const address = `/${name}`;
    files.set(address, {
      type,
      bytes,
      gzipped: once(() => (type.startsWith('font/') ? null : gzipSync(bytes, { level: 9 }))),
      etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
      immutable: address.startsWith('/assets/'),
    });
  }
  return files;
}

/** The page is built with relative addresses, which would be wrong below `/runs/`. */
function withBasePath(page: Buffer, basePath: string): Buffer {
  return Buffer.from(page.toString().replaceAll(/(?<= (?:src|href)=")\.(?=\/)/g, basePath));
}

function* readFolder(folder: string): Generator<[string, Buffer]> {
  if (!fs.existsSync(folder)) return;
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    yield [path.relative(folder, file), fs.readFileSync(file)];
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
