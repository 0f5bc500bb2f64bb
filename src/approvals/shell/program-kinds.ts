/** Shells whose language the grammar reads. */
export const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'ash', 'rbash']);

/** Shells with a language of their own: looked at for dangers, never called safe. */
export const OTHER_SHELLS: ReadonlySet<string> = new Set([
  ...['zsh', 'ksh', 'ksh93', 'mksh', 'fish', 'csh', 'tcsh', 'nu', 'xonsh', 'elvish', 'pwsh', 'yash', 'posh'],
]);

/** Programs that run code from their arguments or their input. */
const INTERPRETERS = new Set([
  ...['node', 'nodejs', 'deno', 'bun', 'tsx', 'ts-node', 'python', 'pypy', 'perl', 'ruby', 'php', 'lua', 'luajit'],
  ...['tclsh', 'expect', 'osascript', 'Rscript', 'julia', 'guile', 'racket', 'ghci', 'jshell', 'groovy', 'scala'],
  ...['irb', 'ipython', 'awk', 'gawk', 'mawk', 'nawk', 'sed', 'gsed', 'jq', 'bc', 'dc', 'm4', 'ed', 'ex', 'emacs'],
  ...['vi', 'vim', 'nvim', 'view', 'gdb', 'lldb', 'sqlite3', 'psql', 'mysql', 'source', '.', 'eval', 'java'],
]);
const VERSIONED = /^(?:python|pypy|perl|ruby|php|lua|node|tclsh)[\d.]+$/;

export function isInterpreter(name: string): boolean {
  return SHELLS.has(name) || OTHER_SHELLS.has(name) || INTERPRETERS.has(name) || VERSIONED.test(name);
}

/** Interpreters in which downloaded data is code, unlike in `jq`. */
export function runsItsInput(name: string): boolean {
  return isInterpreter(name) && !/^(?:[gmn]?awk|g?sed|jq|bc|dc)$/.test(name);
}

export const DOWNLOADERS: ReadonlySet<string> = new Set([
  ...['curl', 'wget', 'wget2', 'fetch', 'aria2c', 'http', 'https', 'xh', 'lynx', 'w3m', 'links', 'ftp', 'tftp', 'nc'],
  ...['ncat', 'netcat', 'socat', 'telnet', 'ssh', 'scp', 'sftp', 'rsync', 'axel'],
]);

/** Programs that start the program in their arguments, in ways that are not worth understanding. */
export const LAUNCHERS: ReadonlySet<string> = new Set([
  ...['strace', 'ltrace', 'ionice', 'chrt', 'taskset', 'unshare', 'nsenter', 'chroot', 'flock', 'setarch', 'script'],
  ...['parallel', 'firejail', 'bwrap', 'proxychains', 'proxychains4', 'torsocks', 'systemd-run', 'entr', 'fakeroot'],
  ...['dbus-run-session', 'xvfb-run', 'valgrind', 'gdb', 'lldb', 'perf', 'rlwrap', 'unbuffer', 'expect', 'tini'],
  ...['dumb-init', 'chpst', 'softlimit', 'setpriv', 'capsh', 'prlimit', 'start-stop-daemon', 'daemonize', 'screen'],
  ...['tmux', 'ssh', 'docker', 'podman', 'nerdctl', 'kubectl', 'lxc', 'machinectl', 'nix-shell', 'nix', 'npx', 'uvx'],
  ...['pipx', 'poetry', 'pipenv', 'uv', 'bundle', 'dotenv', 'direnv', 'mise', 'asdf', 'cross-env', 'concurrently'],
  ...['trap', 'at', 'batch', 'crontab', 'busybox', 'toybox', 'coproc', 'hyperfine', 'ts', 'catchsegv', 'numactl'],
  ...['linux32', 'linux64', 'i386', 'x86_64', 'uname26', 'cgexec', 'pkexec', 'runcon', 'sg', 'newgrp', 'faketime'],
  ...['run-parts', 'su', 'sudo', 'doas', 'sudoedit', 'runuser', 'gosu', 'su-exec', 'sshpass', 'mosh', 'winpty'],
]);

/** Programs that act as another user. */
export const PRIVILEGED: ReadonlySet<string> = new Set([
  ...['sudo', 'doas', 'su', 'pkexec', 'sudoedit', 'runuser', 'gosu', 'su-exec', 'sudo-rs', 'run0', 'please'],
]);
