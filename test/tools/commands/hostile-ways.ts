/** The setting in which a hostile program works. All paths are absolute. */
export interface HostileStage {
  /** A repository with a `.tacho`, and without a configuration of tacho. */
  workspace: string;
  /** Beside the workspace: files of somebody else. */
  sibling: string;
  /** The user's home, with keys. */
  home: string;
  /** Tacho's data folder. */
  data: string;
  /** A server of the machine on 127.0.0.1, and one on an abstract socket. */
  port: number;
  abstract: string;
  /** A process outside. */
  pid: number;
}

/**
 * Shell scripts that work in the workspace and print ESCAPED when they succeed. They do no harm outside of the stage even
 * then: a file of the machine is opened for writing, and not written.
 */
export type HostileWays = Record<string, (stage: HostileStage) => string>;

const seen = (command: string) => `${command} >/dev/null && echo ESCAPED`;
const written = (file: string) => `{ echo evil >>${file}; } && echo ESCAPED`;
const SYSCALLS =
  process.arch === 'arm64'
    ? { renameat2: 276, socket: 198, mount: 40, unshare: 97, ptrace: 117, process_vm_readv: 270, linkat: 37 }
    : { renameat2: 316, socket: 41, mount: 165, unshare: 272, ptrace: 101, process_vm_readv: 310, linkat: 265 };
/** Makes a system call; texts are passed in variables, because it takes no constants. */
const call = (name: keyof typeof SYSCALLS, ...words: (string | number)[]) => {
  const texts = words.filter((word) => typeof word === 'string');
  const given = words.map((word) => (typeof word === 'string' ? `$text[${texts.indexOf(word)}]` : word));
  const list = texts.map((text) => `"${text}"`).join(', ');
  return `perl -e '@text = (${list}); exit(syscall(${[SYSCALLS[name], ...given].join(', ')}) < 0)' && echo ESCAPED`;
};
const AT_FDCWD = -100;
const RENAME_EXCHANGE = 2;
/** Does not stop the process. */
const PTRACE_SEIZE = 0x4206;

const HOOKS: HostileWays = {
  'writes a hook': () => written('.git/hooks/pre-commit'),
  'removes the folder of hooks': () => seen('rm -rf .git/hooks && [ ! -e .git/hooks ]'),
  'renames the folder of hooks': () => seen('mv .git/hooks .git/old'),
  'exchanges the folder of hooks': () =>
    `mkdir -p evil; ${call('renameat2', AT_FDCWD, '.git/hooks', AT_FDCWD, 'evil', RENAME_EXCHANGE)}`,
  'renames a folder over it': () => seen('{ rm -f .git/hooks/*; mkdir evil2 && mv -T evil2 .git/hooks; }'),
  'puts a link in its place': () => seen('{ rm -rf .git/hooks; ln -sT /tmp .git/hooks; }'),
  'renames the repository': () => seen('mv .git old-git'),
  'exchanges the repository': () =>
    `mkdir -p evil3; ${call('renameat2', AT_FDCWD, '.git', AT_FDCWD, 'evil3', RENAME_EXCHANGE)}`,
  'writes through /proc/self/cwd': () => written('/proc/self/cwd/.git/hooks/pre-commit'),
  'writes through /proc/self/root': ({ workspace }) => written(`/proc/self/root${workspace}/.git/hooks/pre-commit`),
  'writes through a descriptor of the folder': () => `exec 7<.git/hooks; ${written('/proc/self/fd/7/pre-commit')}`,
  'writes through a link': () => `ln -sfn .git/hooks hooks-link; ${written('hooks-link/pre-commit')}`,
  'writes through a hard link': () => seen('ln .git/hooks/sample hard && echo evil >hard'),
  'links a file into it': () => `touch evil5; ${call('linkat', AT_FDCWD, 'evil5', AT_FDCWD, '.git/hooks/x', 0)}`,
  'makes a hook executable': () => seen('chmod 777 .git/hooks/sample'),
  'lets git do it': () =>
    seen(
      '{ mkdir -p own/hooks; touch own/hooks/pre-commit; git init --template=own .; [ -e .git/hooks/pre-commit ]; }',
    ),
  'sets another folder of hooks': () => seen('git config core.hooksPath evil'),
  'writes the configuration': () => written('.git/config'),
  'replaces the configuration': () => seen('cp .git/config new-config && mv -f new-config .git/config'),
  'redirects git to another repository': () => seen('{ rm -f .git/commondir && echo ../evil >.git/commondir; }'),
  'writes a hook of a repository below': () => written('inner/deep/.git/hooks/pre-commit'),
  'creates the missing hooks of a repository below': () => seen('mkdir -p bare-hooks/.git/hooks/x'),
  'renames the folder of a repository below': () => seen('mv inner/deep inner/moved'),
  'renames a folder above it': () => seen('mv inner moved'),
  'writes a hook of a bare repository': () => written('bare.git/hooks/post-receive'),
};

const TACHO: HostileWays = {
  'reads the log of a run': () => seen('cat .tacho/runs/r1/events.jsonl'),
  'reads the vault': () => seen('find .tacho -name vault | grep .'),
  'reads .tacho through /proc': ({ workspace }) => seen(`cat /proc/self/root${workspace}/.tacho/runs/r1/events.jsonl`),
  'reads .tacho through a link': () => seen('{ ln -sfn .tacho t-link; cat t-link/runs/r1/events.jsonl; }'),
  'decides an approval': () => seen('{ mkdir -p .tacho/runs/r1/approvals && touch .tacho/runs/r1/approvals/a; }'),
  'writes into .tacho': () => written('.tacho/new'),
  'renames .tacho': () => seen('mv .tacho moved-tacho'),
  'removes .tacho': () => seen('rm -rf .tacho && [ ! -e .tacho ]'),
  'changes a skill': () => written('.tacho/skills/review/SKILL.md'),
  'adds a skill': () => seen('mkdir .tacho/skills/new'),
  'reads .tacho of a folder below': () => seen('cat inner/.tacho/runtime/server.json'),
  'reads the data folder': ({ data }) => seen(`cat ${data}/keys/seal.ed25519.pem`),
  'writes into the data folder': ({ data }) => written(`${data}/config.yaml`),
  'creates a configuration': () =>
    `{ mkdir -p config; echo 'sandbox: {}' >config/tacho.yaml; }; [ -s config/tacho.yaml ] && echo ESCAPED`,
  'moves a configuration into place': () =>
    seen('{ mkdir -p config; echo evil >made.yaml && mv -f made.yaml config/tacho.yaml; }'),
  'renames the folder of the configuration': () => seen('{ mkdir -p config; mv config old-config; }'),
  'changes a policy': () => written('policy.yaml'),
  'changes a dotfile that a shell runs': () => written('.bashrc'),
  'changes .env': () => written('.env'),
};

const MACHINE: HostileWays = {
  'writes through the root of the first process': ({ workspace }) =>
    written(`/proc/1/root${workspace}/.git/hooks/pre-commit`),
  'mounts over the folder of hooks': () => `mkdir -p evil4; ${call('mount', 'evil4', '.git/hooks', 'none', 4096, 0)}`,
  'mounts in a namespace of its own': () => seen('unshare -Urm mount --bind evil4 .git/hooks'),
  'reads passwords': () => seen('cat /etc/shadow || cat /proc/self/root/etc/shadow'),
  'reads keys in the home': ({ home }) => seen(`cat ${home}/.ssh/id_ed25519 ${home}/.aws/credentials`),
  'reads keys in the home through /proc': ({ home }) => seen(`cat /proc/self/root${home}/.ssh/id_ed25519`),
  'writes into the home outside': ({ home }) => `echo evil >${home}/made; true`,
  'changes what is beside the workspace': ({ sibling }) => written(`${sibling}/file`),
  'creates something beside the workspace': ({ workspace }) => `mkdir ${workspace}/../made; true`,
  'changes a program': () => `{ : >>/usr/bin/env; } && echo ESCAPED`,
  'reads the environment of any process': () => seen('cat /proc/[0-9]*/environ | grep -z HOST_SECRET'),
  'sees a process outside': ({ pid }) =>
    seen(`{ kill -0 ${pid} || [ "$(tr -d '\\0' </proc/${pid}/cmdline)" = vitest ]; }`),
  'sees many processes': () => '[ "$(ls /proc | grep -c "^[0-9]")" -gt 12 ] && echo ESCAPED',
  'traces a process outside': ({ pid }) => call('ptrace', PTRACE_SEIZE, pid, 0, 0),
  'connects to a socket of a daemon': () => seen('ls /run/*.sock /run/*/*.sock /var/run/*.sock'),
  'makes a user namespace': () => call('unshare', 0x10000000),
  'sets what the kernel runs on a crash': () => `{ : >>/proc/sys/kernel/core_pattern; } && echo ESCAPED`,
  'talks to the host of a virtual machine': () => call('socket', 40, 1, 0),
  'uses a device': () => seen('{ mknod disk b 8 0 || head -c1 /dev/sda || head -c1 /dev/vda || head -c1 /dev/mem; }'),
  'has a descriptor that leads out': () =>
    `for fd in /proc/self/fd/*; do readlink $fd; done | grep -E '^/' | grep -vE '^/(proc|dev/null|dev/pts/|dev/tty)' && echo ESCAPED`,
};

/** Not in a profile that shows the machine. */
const RESTRICTED: HostileWays = {
  'reads what is beside the workspace': ({ sibling }) => seen(`cat ${sibling}/file`),
  'reads it through /proc/self/root': ({ sibling }) => seen(`cat /proc/self/root${sibling}/file`),
  'reads it through a link': ({ sibling }) => seen(`{ ln -sfn ${sibling} out && cat out/file; }`),
  'reads it by a path with dots': () => seen('cat ../sibling/file'),
  'reads a home': ({ home }) => `ls -A ${home} /root /home/* 2>/dev/null | grep -v : | grep . && echo ESCAPED`,
  'reads settings of the machine': () => seen('ls /etc/ssh /etc/cron.d /etc/apt /var/lib /boot /sys'),
};

const NETWORK: HostileWays = {
  'connects to a server of the machine': ({ port }) => seen(`(exec 8<>/dev/tcp/127.0.0.1/${port})`),
  // Some versions of Node fill the rest of the name with zeros.
  'connects to an abstract socket': ({ abstract }) =>
    ['a*', 'a108']
      .map(
        (form) =>
          `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack("S${form}", AF_UNIX, "\\0${abstract}")) and print "ESCAPED"'`,
      )
      .join('; '),
  'sends a packet': () => `{ echo >/dev/udp/192.0.2.1/53; } && echo ESCAPED`,
  'resolves a name': () => seen('getent hosts example.com'),
  'has an interface other than loopback': () => `tail -n +3 /proc/net/dev | grep -v ' lo:' | grep . && echo ESCAPED`,
};

/** Those that need nothing but the stage, and so succeed without a sandbox. */
export const WAYS_ON_STAGE = { ...HOOKS, ...TACHO };
export const WAYS = { ...HOOKS, ...TACHO, ...MACHINE };
export const RESTRICTED_WAYS = { ...RESTRICTED, ...NETWORK };
