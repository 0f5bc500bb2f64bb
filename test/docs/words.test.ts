import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
/** Matches comments, which are skipped, and strings, which are kept. */
const TOKENS = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;
/** The texts of the scripted agent match its captured fixtures. */
const SPEECH = /^src\/demo\/(agent|wording\.ts)/;

/** Constructions that are hard to read, and what to write instead. */
const BANNED: readonly (readonly [words: RegExp, instead: string])[] = [
  [/(?<!\b(?:there|nothing) )\b(?:is|are|was|were) no (?!longer\b|more\b)/i, 'is not a …'],
  [/\b(?:whoever|nobody|somebody|anybody)\b/i, 'name the actor'],
  [/\bshall\b/i, 'must, will or the present tense'],
  [/\b(?:go|goes|going|went) on\b/i, 'continue, keep running'],
  [/\bso many\b/i, 'number of …'],
  [/\b(?:put to the proof|proven)\b/i, 'test, verify'],
  [/\b(?:tells?|told|hears?|heard)\b/i, 'report, print, send'],
  [/\bbesides\b/i, 'also, in addition to'],
  [/\bstands? (?:in|at|there|after|before|for|open|under)\b/i, 'is, follows, means'],
  [/(?:^|[.:;!] )(?:Who|What) (?!to\b)[^?]*\.$/, 'begin with the subject'],
  [/\bmore than nothing\b/i, 'greater than zero'],
  [/\bgoes without saying\b/i, 'implied by'],
  [/\bas that of\b/i, 'as, like'],
  [/\bmet (?:a|an)\b/i, 'failed with'],
  [/\bit is about\b/i, 'name the subject'],
];

test('help, errors and descriptions use ordinary words', () => {
  const found = [...sourceFiles('src'), ...sourceFiles('studio/text')]
    .filter((file) => !SPEECH.test(file))
    .flatMap((file) =>
      stringsIn(fs.readFileSync(path.join(root, file), 'utf8')).flatMap((text) => problems(file, text)),
    );
  expect(found).toEqual([]);
});

test.each([
  ['"x" is no port', 1],
  ['there is no run "x"', 0],
  ['the run is no longer live', 0],
  ['runs that are going on', 1],
  ['What it printed is gone.', 1],
  ['What do you want?', 0],
  ['nobody answers', 1],
])('finds the banned words in %j', (text, count) => {
  expect(problems('x.ts', text)).toHaveLength(count);
});

test('finds the texts of a source', () => {
  const source =
    "// it's a comment: 'not this'\nsay('one two', `three ${x} four`); /* 'nor this' */ say(\"five six\");";
  expect(stringsIn(source)).toEqual(['one two', 'three four', 'five six']);
});

function* sourceFiles(folder: string): Generator<string> {
  for (const entry of fs.readdirSync(path.join(root, folder), { withFileTypes: true })) {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* sourceFiles(file);
    else if (/\.tsx?$/.test(entry.name)) yield file;
  }
}

/** Texts for people: strings of several words, without their embedded values. */
function stringsIn(source: string): string[] {
  return Array.from(source.matchAll(TOKENS), ([, single, double, template]) =>
    (single ?? double ?? template?.replaceAll(/\$\{[^}]*\}/g, '') ?? '').replaceAll(/\\n|\s+/g, ' '),
  ).filter((text) => /[a-z] +[a-z]/i.test(text));
}

function problems(file: string, text: string): string[] {
  return BANNED.filter(([words]) => words.test(text)).map(([, instead]) => `${file}: "${text.trim()}" → ${instead}`);
}
