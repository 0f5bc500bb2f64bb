import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const pages = [
  ...fs.readdirSync(root).filter((name) => name.endsWith('.md')),
  ...fs
    .readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

test.each(pages)('%s links to existing pages, sections and files', (page) => {
  const text = withoutCode(read(page));
  const broken = Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link]) => link!)
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => !leadsSomewhere(page, link));
  expect(broken).toEqual([]);
});

test.each(pages)('%s names existing files of the repository', (page) => {
  const named = Array.from(
    read(page).matchAll(/`((?:src|test|scripts|docs|bench|bin)\/[\w./-]*)`/g),
    ([, name]) => name!,
  );
  const missing = named.filter((name) => !fs.existsSync(path.join(root, name)));
  expect(missing).toEqual([]);
});

function leadsSomewhere(page: string, link: string): boolean {
  const [file, section] = link.split('#') as [string, string | undefined];
  const target = file === '' ? page : path.join(path.dirname(page), file);
  if (!fs.existsSync(path.join(root, target))) return false;
  return section === undefined || sectionsOf(target).has(section);
}

function sectionsOf(page: string): Set<string> {
  const headings = Array.from(withoutCode(read(page)).matchAll(/^#+ (.*)$/gm), ([, heading]) => heading!);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '');
}

function read(page: string): string {
  return fs.readFileSync(path.join(root, page), 'utf8');
}
