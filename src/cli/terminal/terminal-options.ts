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
  network?: boolean;
  read?: string[];
  write?: string[];
  hide?: string[];
  readOnlyWorkspace?: boolean;
}

/** The option `openFiles` is `--open-files` on the command line. */
export function flagOf(option: string): string {
  return `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function withPlaceOptions(command: Command): Command {
  return command
    .option('--cwd <folder>', 'where it begins')
    .option('--target <name>', 'another machine of the configuration: ssh:name or container:name')
    .option('--record', 'keep it as a run, every byte with its time: tacho runs');
}

export function withEnvironmentOptions(command: Command): Command {
  return command
    .optionsGroup('Environment:')
    .option('-e, --env <name[=value]>', 'set a variable, or pass it on from here; repeatable', collect)
    .option('--inherit <what>', 'of the daemon’s variables: none, core (PATH, HOME, LANG …; default) or all')
    .option('--include-env <name>', 'also inherit this variable; repeatable', collect)
    .option('--exclude-env <name>', 'do not inherit this one; repeatable', collect);
}

export function withTimeOptions(command: Command): Command {
  return command
    .optionsGroup('Times, e.g. 250ms, 90s, 1h30m:')
    .option('--timeout <time>', 'ends a command after that long')
    .option('--kill-grace <time>', 'between SIGTERM and SIGKILL (default: 5s)');
}

export function withLimitOptions(command: Command): Command {
  return command
    .optionsGroup('Limits; refused where they cannot be given (tacho runtime status):')
    .option('--memory <size>', 'of all its processes together, e.g. 2GiB')
    .option('--processes <n>', 'processes and threads at one time')
    .option('--cpu <time>', 'of each process, in whole seconds')
    .option('--cpu-percent <n>', 'share of the processors, all its processes together; 100 is one processor')
    .option('--open-files <n>', 'of each process')
    .option('--file-size <size>', 'that a file may be written to')
    .option('--nice <n>', 'scheduling priority (niceness), 0 to 19');
}

export function withSandboxOptions(command: Command): Command {
  return command
    .optionsGroup('Sandbox:')
    .option('--sandbox', 'show it a part of the machine only: programs, the workspace, no network')
    .option('--network', 'with the network')
    .option('--read <path>', 'also readable; repeatable', collect)
    .option('--write <path>', 'also writable; repeatable', collect)
    .option('--hide <path>', 'is not there; repeatable', collect)
    .option('--read-only-workspace', 'the workspace may be read only');
}
