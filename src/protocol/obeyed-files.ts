/**
 * Files that other programs execute or obey when they work in a folder: git, package managers, shells, editors,
 * debuggers, and tacho. They stay read-only in a folder that is writable in a sandbox, and a policy asks before
 * they are changed; otherwise a program could have its code run outside.
 */
export const OBEYED_FILES: readonly string[] = [
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
export const OBEYED_BY_GIT: readonly string[] = [
  'hooks',
  'config',
  'config.worktree',
  'commondir',
  'info/attributes',
  'modules',
  'worktrees',
];
