import type { PolicyRuleSetting } from '../../agent/from-config/index.ts';
import { printable } from '../output/format.ts';

/** A rule in one line, and where it is. */
export function ruleLine({ rule, source }: PolicyRuleSetting): string {
  const { decision, command, tool, path, access } = rule;
  const words = command?.map((word) => [word].flat().join('|')).join(' ');
  const subject =
    words !== undefined
      ? `commands that begin with "${words}"`
      : tool !== undefined
        ? `the tool ${tool}`
        : `${access === undefined || access === 'any' ? 'access to' : `to ${access}`} ${path}`;
  return `${decision} ${printable(subject)} (${printable(source)})`;
}
