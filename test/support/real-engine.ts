import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import type { FcmpMessage, Meta } from '../../src/protocol/index.ts';
import { enginesFolder } from './install-engines.ts';
import type { Scenario, Variant } from './scenarios.ts';
import { type RunAnswer, type Sandbox, sandbox, type TachoOptions } from './tacho.ts';

/** Additional fields in the answer of an engine's run. */
export interface EngineAnswer extends RunAnswer {
  session_id: string | null;
  question: string | null;
}

/** A data folder with real engines that give up soon when the model server fails. */
export function engineBox(): Sandbox {
  const box = sandbox();
  // Limits retries, which would take minutes; the files also show that the user's settings are kept.
  const settings = {
    '.gemini/settings.json': { general: { maxAttempts: 2, retryFetchErrors: false } },
    '.pi/agent/settings.json': { retry: { maxRetries: 1, baseDelayMs: 500 } },
  };
  for (const [name, content] of Object.entries(settings)) {
    const file = path.join(box.home, 'env/home', name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, JSON.stringify(content));
  }
  return box;
}

export const ENGINE_ENVIRONMENT = { TACHO_ENGINES_FOLDER: enginesFolder, CLAUDE_CODE_MAX_RETRIES: '2' };

export function runWords(variant: Variant, scenario: Pick<Scenario, 'arguments'>, baseUrl: string): string[] {
  return [
    'run',
    variant.engine,
    '--scratch',
    '--base-url',
    baseUrl,
    ...variant.arguments,
    ...(scenario.arguments ?? []),
    '--timeout',
    '150s',
  ];
}

export function withEngines(options: TachoOptions = {}): TachoOptions {
  return { ...options, env: { ...ENGINE_ENVIRONMENT, ...options.env } };
}

/** An address without a listener: the port was free just before. */
export async function unusedAddress(): Promise<string> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

export function readMeta(box: Sandbox, runId: string, attempt = 1): Meta {
  return JSON.parse(fs.readFileSync(path.join(box.audit(runId), `meta.${attempt}.json`), 'utf8')) as Meta;
}

export function readConversation(box: Sandbox, runId: string): FcmpMessage[] {
  const lines = fs
    .readFileSync(path.join(box.audit(runId), 'conversation.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean);
  return lines.map((line) => JSON.parse(line) as FcmpMessage);
}
