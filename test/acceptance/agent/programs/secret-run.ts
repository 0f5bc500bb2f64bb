// Starts or resumes the run of secret-agent.ts; prints everything that can be seen of it, and the prompts of the model.
import { Agent, type ScriptedModel } from '../../../../src/agent.ts';
import { RUN, secretAgentOptions } from './secret-agent.ts';

const [how, workspace] = process.argv.slice(2) as ['start' | 'resume', string];
const options = await secretAgentOptions(workspace);
const seen: unknown[] = [];
const agent = new Agent({ ...options, onEvent: (event) => void seen.push(event) });
const run = how === 'start' ? agent.run('Do it', { runId: RUN }) : agent.resume(RUN);
for await (const event of run) seen.push(event);
const result = await run.result;
const prompts = (options.model as ScriptedModel).requests.map(({ prompt }) => prompt);
console.log(JSON.stringify({ result, seen, prompts }));
