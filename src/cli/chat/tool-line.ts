import { columnsOf, cutToColumns } from './columns.ts';
import { harmlessOneLine } from './harmless.ts';
import type { Colors } from './page.ts';

export interface ToolLine {
  /** `unknown`: the attempt is over and the end of the call was not told. */
  sign: 'running' | 'completed' | 'failed' | 'unknown';
  name: string;
  summary: string;
  /** How long it took, or has taken so far; '' where nobody knows. */
  time: string;
}

/** `✔ name  summary  0.4 s`, of which the summary is cut so that the line fits. */
export function paintToolLine(line: ToolLine, colors: Colors, columns: number): string {
  const name = cutToColumns(harmlessOneLine(line.name) || 'tool', Math.floor(columns / 2));
  const end = line.sign === 'unknown' ? '  no end seen' : line.time;
  const whole = harmlessOneLine(line.summary);
  const room = columns - 2 - columnsOf(name) - 2 - columnsOf(end);
  const summary = whole === '' || whole === line.name || room < 4 ? '' : `  ${cutToColumns(whole, room)}`;
  const tail = columnsOf(name) + 2 + columnsOf(summary + end) <= columns ? end : '';
  switch (line.sign) {
    case 'running':
      return colors.dim(`⚙ ${name}${summary}${tail}`);
    case 'completed':
      return `${colors.green('✔')} ${name}${colors.dim(`${summary}${tail}`)}`;
    case 'failed':
      return `${colors.red(`✖ ${name}`)}${colors.dim(`${summary}${tail}`)}`;
    case 'unknown':
      return `${colors.yellow('◼')} ${colors.dim(`${name}${summary}${tail}`)}`;
  }
}
