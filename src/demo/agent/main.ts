import os from 'node:os';
import { type AgentArguments, readArguments, USAGE } from './arguments.ts';
import { playTurn } from './play-turn.ts';

const words = process.argv.slice(2);
if (words[0] === '--help' || words[1] === '--help') process.stdout.write(USAGE);
else process.exitCode = await main();

async function main(): Promise<number> {
  let given: AgentArguments;
  try {
    given = readArguments(words);
  } catch (error) {
    complain(error, `\n${USAGE}`);
    return 2;
  }
  try {
    return await playTurn(given, {
      home: process.env.HOME || os.homedir(),
      approvals: process.env.TACHO_DEMO_APPROVALS || null,
      input: process.stdin,
      print: (event) => void process.stdout.write(`${JSON.stringify(event)}\n`),
      printLine: (text) => void process.stdout.write(`${text}\n`),
    });
  } catch (error) {
    complain(error); // A home that cannot be written, for example.
    return 1;
  }
}

function complain(error: unknown, more = ''): void {
  process.stderr.write(`tacho-demo-agent: ${(error as Error).message}\n${more}`);
}
