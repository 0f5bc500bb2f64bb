/** The setting in which escapes from a sandbox are tried. All paths are absolute. */
export interface EscapeStage {
  /** A repository, with a configuration and dotfiles, that the program may write. */
  workspace: string;
  /** In the workspace: the data folder, with a run whose program waits. */
  data: string;
  /** The handle of that run. */
  handle: string;
  /** In the workspace: a folder with its own daemon, and one whose daemon started after the sandbox. */
  inner: string;
  later: string;
  /** The secrets of both daemons and of the run, as if the program had stolen them. */
  secrets: { own: string; inner: string; control: string };
  /** A folder that the sandbox does not show. A file there proves an escape. */
  outside: string;
  /** The daemon that runs the sandbox. */
  pid: number;
  /** A server on 127.0.0.1. */
  port: number;
  /** How to start tacho. */
  tacho: string;
}

/** Shell scripts that print ESCAPED when they succeed, or leave a file in `outside`. */
export type EscapeWays = Record<string, (stage: EscapeStage) => string>;

const run = (secret: string, file: string) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'exec.run', params: { argv: ['touch', file] }, secret });
const perl = (script: string, ...words: string[]) => `perl -MIO::Socket::UNIX -e '${script}' ${words.join(' ')}`;
/** Sends lines to a socket and prints the response. */
const say = (socket: string, ...lines: string[]) =>
  perl(
    '$s = IO::Socket::UNIX->new(Peer => shift) or exit; print $s "$_\\n" for @ARGV; $s->flush; $s->shutdown(1); print while <$s>',
    socket,
    ...lines.map((line) => `'${line}'`),
  );
const seen = (command: string) => `${command} && echo ESCAPED`;
/** Makes a system call by number, and prints ESCAPED when it succeeds. */
const call = (x64: number, arm64: number, ...words: (string | number)[]) =>
  seen(`perl -e 'exit(syscall(${process.arch === 'arm64' ? arm64 : x64}, ${words.join(', ')}) < 0)'`);
/** Opens the file for writing without changing it. */
const opened = (file: string) => `{ : >>${file}; } 2>/dev/null && echo ESCAPED`;
const written = (file: string) => `{ echo evil >>${file}; } 2>/dev/null && echo ESCAPED`;

const SOCKETS: EscapeWays = {
  'reads the secret of a daemon in a folder below': ({ inner }) => seen(`cat ${inner}/.tacho/runtime/server.json`),
  'reads the secret of its own daemon': ({ workspace }) => seen(`cat ${workspace}/.tacho/runtime/server.json`),
  'asks the daemon of a folder below': ({ inner, secrets, outside }) =>
    say(`${inner}/.tacho/runtime/runtime.sock`, run(secrets.inner, `${outside}/1`)),
  'asks its own daemon': ({ workspace, secrets, outside }) =>
    say(`${workspace}/.tacho/runtime/runtime.sock`, run(secrets.own, `${outside}/2`)),
  'asks a daemon that started later, whose secret it can read': ({ later, outside }) =>
    `secret=$(sed 's/.*"secret":"\\([^"]*\\)".*/\\1/' ${later}/.tacho/runtime/server.json)
     ${say(`${later}/.tacho/runtime/runtime.sock`, run('SECRET', `${outside}/3`).replace('SECRET', `'"$secret"'`))}`,
  'moves the folder of its daemon away': ({ workspace }) => seen(`mv ${workspace}/.tacho ${workspace}/moved`),
  'removes the folder of its daemon': ({ workspace }) =>
    `rm -rf ${workspace}/.tacho; ${seen(`mkdir -p ${workspace}/.tacho/runtime/own`)}`,
  'ends a run by its control socket': ({ data, handle, secrets }) =>
    `${say(`${data}/sock/${handle}.sock`, `{"secret":"${secrets.control}"}`, '{"op":"cancel"}')} | grep -q ok && echo ESCAPED`,
  'lists control sockets': ({ data }) => `ls ${data}/sock | grep . && echo ESCAPED`,
  'runs a command with tacho itself': ({ inner, tacho, outside }) =>
    `${tacho} terminal exec --workspace ${inner} -- 'touch ${outside}/4'`,
  'connects to a server of the machine': ({ port }) => seen(`(exec 8<>/dev/tcp/127.0.0.1/${port})`),
};

const RECORDS: EscapeWays = {
  'reads the seal key': ({ data }) => seen(`cat ${data}/keys/*`),
  'reads records': ({ data }) => seen(`cat ${data}/runs/*/.audit/events.jsonl`),
  'moves the data folder away': ({ data }) => seen(`mv ${data} ${data}-moved`),
  'writes into the data folder': ({ data }) => written(`${data}/runs/new`),
  'writes into the temporary folder of the machine': ({ outside }) => `mkdir -p ${outside}; echo evil >${outside}/5`,
};

const OBEYED: EscapeWays = {
  'adds a hook': () => written('.git/hooks/pre-commit'),
  'changes the configuration of git': () => written('.git/config'),
  'replaces the configuration of git': () => seen('{ echo evil >new && mv -f new .git/config; }'),
  'has git set a path for hooks': () => seen('git config core.hooksPath evil'),
  'moves the repository away': () => seen('mv .git moved-git'),
  'redirects git to another folder': () => seen('{ rm -f .git/commondir; echo ../evil >.git/commondir; }'),
  'replaces hooks by a link': () => seen('{ rm -rf .git/hooks; ln -sfn ../evil .git/hooks/evil; }'),
  'adds a hook in a repository below': () => written('inner/.git/hooks/pre-commit'),
  'changes the configuration of tacho': () => written('config/tacho.yaml'),
  'moves the configuration of tacho away': () => seen('mv config moved-config'),
  'changes .env': () => written('.env'),
  'removes .env': () => seen('rm -f .env'),
  'changes .env by another name': () => seen('ln .env other'),
  'creates a missing .npmrc': () => written('.npmrc'),
  'changes .bashrc': () => written('.bashrc'),
};

const PROC_AND_LINKS: EscapeWays = {
  'leaves through the root of another process': ({ outside }) =>
    `for root in /proc/[0-9]*/root; do touch $root${outside}/6 $root/${outside}/6; done; ls /proc/[0-9]*/root/boot | grep . && echo ESCAPED`,
  'reads the environment of a process outside': () => `cat /proc/[0-9]*/environ | grep -z ^TACHO_HOME= && echo ESCAPED`,
  'changes limits of the whole machine': () => opened('/proc/sys/vm/overcommit_memory'),
  'finds the daemon': ({ pid }) => seen(`kill -0 ${pid}`),
  'sets the program that the kernel runs on a crash': () => opened('/proc/sys/kernel/core_pattern'),
  'triggers a kernel action': () => opened('/proc/sysrq-trigger'),
  'reads through a link': () => seen('{ ln -s /etc/shadow shadow && cat shadow; }'),
  'writes through a link': ({ outside }) => `ln -s ${outside} out; echo evil >out/7`,
  'gets a descriptor that leads out': ({ outside }) =>
    `for fd in /proc/self/fd/*; do touch $fd/../${outside}/8; ls -l $fd; done | grep -E 'seccomp|${outside}' && echo ESCAPED`,
  'creates a setuid program': () => seen('{ cp /bin/true own && chmod 4755 own && [ -u own ]; }'),
};

const NAMESPACES: EscapeWays = {
  'creates a user namespace': () => seen('unshare -Ur true'),
  'undoes a mount in its own namespaces': ({ workspace }) =>
    seen(`unshare -Urm sh -c 'umount ${workspace}/.tacho/runtime && cat ${workspace}/.tacho/runtime/server.json'`),
  'enters the namespaces of another process': () => seen('nsenter -t 1 -m -p true'),
  mounts: () => seen('mount -t tmpfs none /mnt || mount --bind / /tmp || mount -o remount,rw /usr'),
  'creates a device': () => seen('mknod disk b 8 0'),
  'joins another control group': () => written('/sys/fs/cgroup/cgroup.procs'),
  'opens a file by its handle': () => call(304, 265, -100, '"\\0" x 128', 0),
  'reads keys of the user': () => call(250, 219, 0, -4, 0, 0, 0),
  'handles page faults of the kernel': () => call(323, 282, 0),
  'loads a program into the kernel': () => call(321, 280, 0, '"\\0" x 128', 128),
  'watches the machine': () => call(298, 241, '"\\0" x 128', 0, -1, -1, 0),
  'outlives its session': ({ outside }) =>
    `(setsid env -i sh -c 'exec >/dev/null 2>&1; sleep 1; touch ${outside}/9' &)`,
};

export const ESCAPE_WAYS: EscapeWays = { ...SOCKETS, ...RECORDS, ...OBEYED, ...PROC_AND_LINKS, ...NAMESPACES };

/** On a terminal: types a command into it, which the next reader would run. */
export const TYPING_WAYS: Record<string, string> = {
  'types into its terminal': 'ioctl(STDIN, 0x5412, "x") and print "ESCAPED"',
  'types into its terminal with bits that the kernel drops': `syscall(${process.arch === 'arm64' ? 29 : 16}, 0, 0x100005412, "x") >= 0 and print "ESCAPED"`,
  'pastes into its terminal': 'ioctl(STDIN, 0x541c, "\\x03") and print "ESCAPED"',
};
