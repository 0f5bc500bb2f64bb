import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';

const root = path.join(import.meta.dirname, '../..');

export function readPage(name: string): string {
  return fs.readFileSync(path.join(root, name), 'utf8');
}

/**
 * The part of a page between `<!-- name:begin … -->` and `<!-- name:end -->` must match the code. With UPDATE_DOCS=1 it
 * is written instead.
 */
export function expectGenerated(page: string, name: string, content: string): void {
  const part = new RegExp(`(<!-- ${name}:begin.*-->\\n)([\\s\\S]*?)(<!-- ${name}:end -->)`);
  if (process.env.UPDATE_DOCS === '1') {
    const updated = readPage(page).replace(part, (_, begin, __, end) => `${begin}${content}${end}`);
    fs.writeFileSync(path.join(root, page), updated);
  }
  expect(part.exec(readPage(page))?.[2], `${page}, ${name}; rewrite it with UPDATE_DOCS=1`).toBe(content);
}

/** Code blocks of a language, in order. */
export function codeBlocks(page: string, language: string): string[] {
  return Array.from(
    readPage(page).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm')),
    ([, code]) => code!,
  );
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return `${line(head)}|${'---|'.repeat(head.length)}\n${rows.map(line).join('')}`;
}
