/** A command that a page shows after `$`, and its documented output. */
export interface Example {
  command: string;
  output: string;
}

/** A command that continues on the next line ends with a backslash, as in a shell. */
export function readExamples(block: string): Example[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const command = /^(?:.*\\\n)*.*\n/.exec(text)![0];
      return { command: command.trimEnd(), output: text.slice(command.length) };
    });
}

/** Values that differ from run to run. */
const VARIABLE: [RegExp, string][] = [
  [/\d{8}T\d{6}-[a-z]+-[0-9a-f]{8}/g, '<run>'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<session>'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+Z)?/g, '<date>'],
  [/\d\d:\d\d:\d\d\.\d{3}/g, '<time>'],
  [/sha256=[0-9a-f]+/g, 'sha256=<hash>'],
  [/(?<=show |resume |^)[0-9a-f]{8}(?=\s)/gm, '<handle>'],
  [/\d+(\.\d+)? (ms|s|min)\b/g, '<duration>'],
  [/\d+(\.\d+)? [kMG]?B\b/g, '<size>'],
];

export function normalise(text: string): string {
  return VARIABLE.reduce((current, [variable, name]) => current.replaceAll(variable, name), text);
}

/** `…` alone on a line matches any lines, elsewhere anything in that line. */
export function pattern(output: string): RegExp {
  const lines = normalise(output).split(/^…\n/m);
  const escaped = lines.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*'));
  return new RegExp(`^${escaped.join('[\\s\\S]*')}$`);
}
