import { printable } from '../output/format.ts';

/** Complete escape sequences: colours, cursor movements, titles. They carry no text. */
const SEQUENCES =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[PX^_][^\u001b]*\u001b\\|[()][0-9A-Za-z]|[=>78cDEHMNOZ])/g;
const TAB_STOP = 4;

/** One line of untrusted text in which no byte can control the terminal and every column can be counted. */
export function sanitizeLine(text: string): string {
  const plain = text.includes('\u001b') ? text.replaceAll(SEQUENCES, '') : text;
  return printable(expandTabs(plain))
    .replaceAll(/[\u2028\u2029]/g, ' ')
    .replaceAll(/\p{Surrogate}/gu, '\ufffd');
}

/** Untrusted text as one line: line ends and runs of white space become single spaces. */
export function sanitizeOneLine(text: string): string {
  return sanitizeLine(text.replaceAll(/\s+/g, ' ').trim());
}

function expandTabs(text: string): string {
  if (!text.includes('\t')) return text;
  let expanded = '';
  for (const [at, part] of text.split('\t').entries()) {
    if (at > 0) expanded += ' '.repeat(TAB_STOP - (expanded.length % TAB_STOP));
    expanded += part;
  }
  return expanded;
}
