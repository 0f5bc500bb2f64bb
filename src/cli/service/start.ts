import path from 'node:path';
import { type Config, embeddedList, embeddedName, readEmbedded, selfCommand } from '../../config/index.ts';
import { beforeFatalExit, exitOnFatalError } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';
import {
  AgentWatch,
  announceServer,
  claimDataFolder,
  type DataHome,
  liveTokens,
  openDirector,
  openRunIndex,
  prepareDataHome,
  withdrawServer,
} from '../../runs/index.ts';
import { openTerminal } from '../../runtime/open-terminal.ts';
import { createLog, createServer, LogFile, type PageSource } from '../../server/index.ts';
import type { StartOptions } from '../commands/service.ts';
import { openContext } from '../context.ts';
import { paint } from '../output/paint.ts';
import { usage } from '../run/record-options.ts';
import { keepYoungSpaceSmall } from './young-space.ts';

/** `tacho start`: serves until a signal or a fatal error; active runs keep running. */
export async function startServer(options: StartOptions): Promise<void> {
  keepYoungSpaceSmall();
  const context = openContext(options);
  const { home, config } = context;
  await checkSkillTexts(config);
  prepareDataHome(home);
  const lock = await claimDataFolder(home);
  const logger = createLog('info', new LogFile(path.join(home.root, 'logs', 'server.log')));
  exitOnFatalError((error) => logger.fatal({ err: error }, 'unexpected error; the server exits'));
  const ignored = context.settings?.filter(({ from }) => from === 'workspace_ignored') ?? [];
  if (ignored.length > 0) logger.warn({ ignored }, 'settings of an untrusted folder are ignored: tacho trust');
  const closing: (() => unknown)[] = [() => lock.release()];
  const close = async () => {
    // Closes in reverse order of opening.
    for (const work of closing.splice(0).reverse()) await work();
  };
  beforeFatalExit(close);
  try {
    const { slots, queue_limit: queueLimit } = config.service;
    const publicUrl = publicUrlOf(config.service.public_url);
    const director = await openDirector({
      context,
      command: selfCommand(),
      index: await openIndex(home),
      slots: slots === 0 ? undefined : slots,
      queueLimit,
      onProblem: (error, place) => logger.error({ err: error, place }, 'skipped; the server continues'),
    });
    closing.push(() => director.close());
    const agents = new AgentWatch({
      context,
      onProblem: (error, place) => logger.error({ err: error, place }, 'an agent run is not shown'),
    });
    closing.push(() => agents.close());
    const tokens = liveTokens(home.root, {
      onProblem: (error, file) => logger.error({ err: error, place: file }, 'not read; the tokens before count'),
    });
    const host = options.host ?? config.service.host;
    const server = await createServer({
      director,
      context,
      tokens,
      command: selfCommand(),
      host,
      port: options.port === undefined ? config.service.port : portOf(options.port),
      allowedHosts: config.service.allowed_hosts,
      publicUrl,
      logger,
      page: builtPage(),
    });
    closing.push(() => server.close());
    const { url } = await server.listen();
    announceServer(home, url);
    closing.push(() => withdrawServer(home));
    // A caller that waits for the printed address may send the signal at once.
    const signaled = untilSignal();
    const { admin: token, file } = tokens;
    if (options.json) process.stdout.write(`${JSON.stringify({ url, token })}\n`);
    // Output that is not a terminal may be a log.
    else {
      process.stdout.write(
        describe({ url, studio: publicUrl || url, token: process.stdout.isTTY ? token : null, file, host }),
      );
    }
    await signaled;
  } finally {
    await close();
  }
}

/** A text that cannot be used is reported now, and not by the first run with a skill. */
async function checkSkillTexts({ skills }: Config): Promise<void> {
  // Only the part that reads texts: the rest of skills would delay the start.
  const { readSkillTexts } = await import('../../skills/patch/skill-texts.ts');
  readSkillTexts({ settings: skills, workspaceRoot: process.cwd() });
}

/** The Studio: built next to this file, or embedded in the executable. */
function builtPage(): PageSource {
  const list = embeddedList();
  if (!list) return path.join(import.meta.dirname, 'studio');
  return new Map(list.page.map((name) => [name, readEmbedded(embeddedName.page(name))]));
}

/** Derived from the run folders, so any damage is repaired by reading them again. */
function openIndex(home: DataHome) {
  return openRunIndex({
    file: path.join(home.root, 'index.db'),
    runsRoot: home.runs,
    openTerminal,
    onRebuild: (reason) => reason !== 'missing' && void process.stderr.write(`making the index again (${reason}) …\n`),
  });
}

/** Without a trailing slash. Text that looks like an address may still be invalid, such as https://1.2.3.999. */
function publicUrlOf(text: string): string {
  if (text === '' || URL.canParse(text)) return text.replace(/\/$/, '');
  throw new TachoError('CONFIG_INVALID', `service.public_url: "${text}" is not a valid address`, {
    facts: { key: 'service.public_url' },
    fix: 'For example: https://tacho.example.org',
  });
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw usage(`--port must be a number from 0 to 65535, got "${text}"`, '0 takes any free port.');
}

interface Ready {
  url: string;
  /** The page's public address, which differs behind a proxy. */
  studio: string;
  /** Null when it must not be printed. */
  token: string | null;
  /** The file with the token. */
  file: string;
  host: string;
}

function describe({ url, studio, token, file, host }: Ready): string {
  const warning = paint.yellow(
    '  ! Other machines can reach it. Anyone with the token can run programs as you, and there is no TLS.',
  );
  return [
    `${paint.green('●')} Tachograph is ready at ${paint.bold(url)}`,
    `  Studio  ${studio}${token === null ? '' : `/#token=${token}`}`,
    `  token   ${token ?? `in ${file}`}`,
    `  try     tacho demo      an agent that needs no account`,
    ...(token === null ? [] : [`          curl -H "Authorization: Bearer ${token}" ${url}/v1/runs`]),
    ...(isLocal(host) ? [] : [warning]),
    paint.dim('  Ctrl-C stops the server; active runs keep running.'),
    '',
  ].join('\n');
}

function isLocal(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}
