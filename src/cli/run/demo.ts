import { type ModelServer, SCENARIOS, startModelServer } from '../../demo/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { DemoOptions } from '../commands/run.ts';
import { fitLine } from '../output/fit-line.ts';
import { paint } from '../output/paint.ts';

/** Serves the demo model until a signal; exits with 0 after a clean shutdown. */
export async function serveDemo(options: DemoOptions): Promise<number> {
  if (options.list) {
    process.stdout.write(options.json ? `${JSON.stringify({ scenarios: SCENARIOS })}\n` : listScenarios());
    return 0;
  }
  const scenario = options.scenario ?? 'tool';
  const server = await startModelServer({
    port: portNumber(options.port ?? '0'),
    host: options.host ?? '127.0.0.1',
    scenario,
  });
  // A caller that waits for the printed address may send the signal at once.
  const ended = endingSignal();
  const { url, port } = server;
  process.stdout.write(
    options.json ? `${JSON.stringify({ url, port, scenario, scenarios: SCENARIOS })}\n` : describe(server, scenario),
  );
  await ended;
  await server.close();
  return 0;
}

function endingSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}

function describe({ url }: ModelServer, scenario: string): string {
  const examples = [
    `tacho run codex --base-url ${url}/sc/tool -- "do the task"`,
    `tacho run gemini --base-url ${url}/sc/write -- "do the task"`,
    `tacho run opencode --base-url ${url}/sc/many -- "do the task"`,
    `tacho run claude --base-url ${url}/sc/ask -- "do the task"`,
  ];
  return `${paint.bold('Demo model')} at ${paint.green(url)}
OpenAI (chat and responses), Gemini and Anthropic; any key is accepted.
Without /sc/<scenario> it plays ${scenario}.

${paint.bold('Scenarios')}
${listScenarios()}
${paint.bold('Try')}
${examples.map((example) => `  ${example}\n`).join('')}
Requests so far: ${url}/__requests
${paint.dim('Ctrl-C stops it.')}
`;
}

function listScenarios(): string {
  const width = Math.max(...SCENARIOS.map(({ name }) => name.length));
  return SCENARIOS.map(({ name, meaning }) => `  ${name.padEnd(width)}  ${meaning}`)
    .map((line) => `${fitLine(line, process.stdout, width + 4)}\n`)
    .join('');
}

function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new TachoError('USAGE', `--port must be a number from 0 to 65535, got "${text}"`, {
    fix: 'Example: --port 4100, or --port 0 for any free one',
  });
}
