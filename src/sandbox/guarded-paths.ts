import fs from 'node:fs';
import path from 'node:path';

/**
 * Files that other programs execute or obey when they work in a folder: git, package managers, shells, editors,
 * debuggers, and tacho. They stay read-only in a folder that is writable in a sandbox; otherwise the program could have
 * its code run outside.
 */
const OBEYED = [
  ...['config/tacho.yaml', '.env', '.envrc', '.mise.toml', '.tool-versions', '.asdfrc'],
  ...[
    '.npmrc',
    '.yarnrc',
    '.yarnrc.yml',
    '.yarn/releases',
    '.yarn/plugins',
    '.pnpmfile.cjs',
    '.cargo/config.toml',
    '.cargo/config',
  ],
  ...[
    '.husky',
    '.githooks',
    '.gitconfig',
    '.pre-commit-config.yaml',
    '.lefthook.yml',
    '.devcontainer',
    '.vscode',
    '.idea',
  ],
  ...['.profile', '.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.inputrc'],
  ...['.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.kshrc', '.cshrc', '.tcshrc', '.login'],
  ...['.vimrc', '.exrc', '.gvimrc', '.nvimrc', '.emacs', '.emacs.d', '.nanorc', '.gdbinit', '.lldbinit', '.pdbrc'],
  ...['.pythonrc', '.irbrc', '.pryrc', '.perldb', '.tmux.conf', '.screenrc', '.xinitrc', '.xprofile', '.xsession'],
  ...['.curlrc', '.wgetrc', '.ssh', '.gnupg', '.config', '.local/bin'],
];

/** Files of a repository that run programs, or make git look for such files elsewhere. */
const OBEYED_BY_GIT = ['hooks', 'config', 'config.worktree', 'commondir', 'info/attributes', 'modules', 'worktrees'];

/** Maximum number of folders to search below one that is shown. */
const MAX_FOLDERS = 2000;
const NOT_SEARCHED = new Set(['.git', '.tacho', 'node_modules']);

export interface Guarded {
  /** Runtimes with their secrets, and data folders: never shown. */
  hidden: string[];
  /** Never writable. */
  fixed: string[];
}

/** The paths to guard in a folder that is shown; only those that exist now. */
export function findGuarded(root: string): Guarded {
  const hidden: string[] = [];
  const fixed = OBEYED.map((name) => path.join(root, name));
  const pending = [root];
  for (let count = 0; count < MAX_FOLDERS && pending.length > 0; count++) {
    const folder = pending.shift()!;
    const names = new Set<string>();
    for (const entry of readFolder(folder)) {
      names.add(entry.name);
      if (entry.isDirectory() && !NOT_SEARCHED.has(entry.name)) pending.push(path.join(folder, entry.name));
    }
    if (names.has('.tacho')) hidden.push(path.join(folder, '.tacho', 'runtime'));
    if (names.has('keys') && fs.existsSync(path.join(folder, 'keys', 'seal.ed25519.pem'))) hidden.push(folder);
    if (names.has('.git')) fixed.push(...guardRepository(path.join(folder, '.git')));
  }
  return { hidden, fixed };
}

/** A `.git` file holds the path of the repository. */
function guardRepository(git: string): string[] {
  const isFolder = fs.lstatSync(git, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isFolder ? OBEYED_BY_GIT.map((name) => path.join(git, name)) : [git];
}

function readFolder(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // Gone meanwhile, or not readable.
  }
}
