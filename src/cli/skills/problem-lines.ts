import path from 'node:path';
import type { CheckedPackage, SkillProblem } from '../../skills/index.ts';
import { printable } from '../output/format.ts';
import { paint } from '../output/paint.ts';

/** One problem on two lines: where, which and what; then the fix. */
export function problemLines(problem: SkillProblem, indent = ''): string {
  const { code, severity, message, fix, file, line } = problem;
  const where = file === undefined ? '' : `${printable(file)}${line === undefined ? '' : `:${line}`}: `;
  const color = severity === 'error' ? paint.red : paint.yellow;
  return `${indent}${color(severity)} ${where}${printable(message)} ${paint.dim(`[${code}]`)}\n${indent}  ${printable(fix)}\n`;
}

/** The problems of a package with paths that a reader can open; those in a zip begin with the zip. */
export function placedProblems({ place, kind, problems }: CheckedPackage): SkillProblem[] {
  const shown = relative(place);
  return problems.map((problem) => ({
    ...problem,
    file:
      problem.file === undefined
        ? shown
        : kind === 'zip'
          ? `${shown}: ${problem.file}`
          : path.join(shown, problem.file),
  }));
}

/** The path from here if that is below here, else the whole path. */
export function relative(file: string): string {
  const inner = path.relative(process.cwd(), file);
  return inner === '' ? '.' : inner.startsWith('..') ? file : inner;
}
