import type { Command } from 'commander';
import { usage } from './record-options.ts';

/**
 * The words of `tacho run` that are not tacho's options. Everything after the first word of a command belongs to the
 * command. Engines take no options here, so options of tacho may also follow the name of an engine.
 */
export function readRunWords(command: Command, isEngine: (word: string) => boolean): readonly string[] {
  const [engine, ...rest] = command.args;
  if (engine === undefined || !isEngine(engine)) return command.args;
  const { operands, unknown } = command.passThroughOptions(false).parseOptions(rest);
  const [flag] = unknown;
  if (flag === undefined) return [engine, ...operands];
  if (flag === '-h' || flag === '--help') command.help();
  throw usage(
    `unknown option "${flag}" for tacho run ${engine}`,
    `An option of the engine: --engine-arg ${flag}. A prompt with dashes goes after --. The program itself: tacho run -- ${engine} ${flag}`,
  );
}
