import type { Command } from 'commander';
import { collect } from '../commands/run.ts';

/** Options shared by sessions and one-off commands, as given on the command line. */
export interface SharedOptions {
  cwd?: string;
  target?: string;
  record?: boolean;
  timeout?: string;
  killGrace?: string;
  env?: string[];
  inherit?: string;
  includeEnv?: string[];
  excludeEnv?: string[];
  memory?: string;
  processes?: string;
  cpu?: string;
  cpuPercent?: string;
  openFiles?: string;
  fileSize?: string;
  nice?: string;
  sandbox?: boolean;
  profile?: string;
  network?: boolean;
  read?: string[];
  write?: string[];
  hide?: string[];
  fixed?: string[];
  readOnlyWorkspace?: boolean;
}

/** The option `openFiles` is `--open-files` on the command line. */
export function flagOf(option: string): string {
  return `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function withPlaceOptions(command: Command): Command {
  return command
    .option('--cwd <folder>', 'working folder (default: the workspace)')
    .option('--target <name>', 'machine from the configuration: ssh:name or container:name')
    .option('--record', 'record it as a run (tacho runs)');
}

export function withEnvironmentOptions(command: Command): Command {
  return command
    .optionsGroup('Environment:')
    .option('-e, --env <name[=value]>', 'set a variable, or pass yours on; repeatable', collect)
    .option('--inherit <what>', 'variables of the daemon to inherit: none, core (PATH, HOME, LANG …; default) or all')
    .option('--include-env <name>', 'also inherit this variable; repeatable', collect)
    .option('--exclude-env <name>', 'do not inherit this variable; repeatable', collect);
}

export function withTimeOptions(command: Command): Command {
  return command
    .optionsGroup('Times, e.g. 250ms, 90s, 1h30m:')
    .option('--timeout <time>', 'end a command after this long')
    .option('--kill-grace <time>', 'time between SIGTERM and SIGKILL (default: 5s)');
}

export function withLimitOptions(command: Command): Command {
  return command
    .optionsGroup('Limits; rejected where they are not available (tacho runtime status):')
    .option('--memory <size>', 'memory of all processes together, e.g. 2GiB')
    .option('--processes <n>', 'number of processes and threads')
    .option('--cpu <time>', 'CPU time of each process, in whole seconds')
    .option('--cpu-percent <n>', 'CPU share of all processes together; 100 is one core')
    .option('--open-files <n>', 'number of open files of each process')
    .option('--file-size <size>', 'maximum size of a file it writes')
    .option('--nice <n>', 'niceness, 0 to 19');
}

export function withSandboxOptions(command: Command): Command {
  return command
    .optionsGroup('Sandbox:')
    .option('--sandbox', 'show only a part of the machine: programs and the workspace, no network')
    .option('--profile <name>', 'view and limits of a profile: dev, balanced or prod')
    .option('--network', 'allow the network')
    .option('--read <path>', 'also show this path, read-only; repeatable', collect)
    .option('--write <path>', 'also show this path, writable; repeatable', collect)
    .option('--hide <path>', 'hide this path; repeatable', collect)
    .option('--fixed <path>', 'keep this path read-only; repeatable', collect)
    .option('--read-only-workspace', 'make the workspace read-only');
}
