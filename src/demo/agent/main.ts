import { runAgent } from './run-agent.ts';

process.exitCode = await runAgent(process.argv.slice(2));
