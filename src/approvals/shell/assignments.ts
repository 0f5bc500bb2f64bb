/**
 * Variables that no program takes as a program, a library, a file or an option. All others could change what a safe
 * command does: PATH, LD_PRELOAD, GIT_PAGER, NODE_OPTIONS, IFS …
 */
const HARMLESS = new Set([
  ...['CI', 'NO_COLOR', 'FORCE_COLOR', 'CLICOLOR', 'CLICOLOR_FORCE', 'COLUMNS', 'LINES', 'TERM', 'COLORTERM'],
  ...['LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'LC_COLLATE', 'LC_MESSAGES', 'LC_NUMERIC', 'LC_TIME'],
  ...['NODE_ENV', 'RUST_BACKTRACE', 'RUST_LOG', 'DEBUG', 'VERBOSE', 'PYTHONUNBUFFERED', 'PYTHONDONTWRITEBYTECODE'],
]);
const HARMLESS_VALUE = /^[\w.,:@+=*-]*$/;

/** Why the assignment of a variable cannot be called harmless; null if it is. `value` is null if it is not known. */
export function assignmentConcern(name: string, value: string | null): string | null {
  if (!HARMLESS.has(name)) return variableConcern(name);
  if (value === null || !HARMLESS_VALUE.test(value)) return `sets the variable ${name} to an unusual value`;
  return null;
}

export function variableConcern(name: string): string {
  return `sets the variable ${name}, which may change what programs do`;
}

/** Names that a loop may use: lower-case ones that programs do not read. */
export function isHarmlessLoopName(name: string): boolean {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !name.includes('proxy') && name !== 'histchars' && name !== 'auto_resume';
}

/** Variables whose values are not secrets. */
const PUBLIC = new Set([
  ...['HOME', 'PWD', 'OLDPWD', 'PATH', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TERM', 'TMPDIR', 'HOSTNAME'],
  ...['EDITOR', 'RANDOM', 'SECONDS', 'LINENO', 'UID', 'EUID', 'PPID', 'BASH_VERSION', 'NODE_ENV', 'CI', 'SHLVL'],
]);

/** Whether the value of the variable may be used without a question. */
export function isPublicVariable(name: string, loopNames: readonly string[]): boolean {
  return /^[0-9?$!#@*_-]$/.test(name) || PUBLIC.has(name) || loopNames.includes(name);
}
