import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { DEFAULTS } from '../../../src/config/index.ts';
import { findEngine } from '../../../src/engines/index.ts';
import { CONVERSATION_FILE, type FcmpMessage, type RunRecord } from '../../../src/protocol/index.ts';
import { readShownRecord, runFolderAt, verifyRun } from '../../../src/recording/index.ts';
import type { RunContext } from '../../../src/runs/context.ts';
import { locateDataHome } from '../../../src/runs/data-home.ts';
import type { SessionFolder } from '../../../src/runs/watch/session-folders.ts';
import { SessionWatch, type WatchOptions, type WatchProgress } from '../../../src/runs/watch/watch-sessions.ts';
import { temporaryFolder } from '../../support/tacho.ts';

export interface WatchedHome {
  context: RunContext;
  sessions: SessionFolder;
  progress: WatchProgress[];
  /** The path of a new session file, which is not created. */
  sessionFile(folder?: string): string;
  /** Reads what is there, and ends. */
  once(options?: Partial<WatchOptions>): Promise<void>;
  /** Follows until the test ends. */
  follow(options?: Partial<WatchOptions>): Promise<SessionWatch>;
  records(): RunRecord[];
  /** What people and the assistant said in all runs, in order. */
  said(): string[];
  verdicts(): Promise<string[]>;
}

export function watchedHome(engine: 'claude' | 'codex', folderName = 'sessions'): WatchedHome {
  const context: RunContext = { home: locateDataHome({}, temporaryFolder()), config: DEFAULTS, env: {}, version: '0' };
  const profile = findEngine(engine)!;
  const root = path.join(temporaryFolder(), folderName);
  const sessions: SessionFolder = { profile, format: profile.sessions!, root };
  const progress: WatchProgress[] = [];
  const open = (options: Partial<WatchOptions> = {}) =>
    SessionWatch.open({
      context,
      sessions: [sessions],
      since: 0,
      idleMs: 60_000,
      signal: new AbortController().signal,
      onProgress: (news) => progress.push(news),
      ...options,
    });
  const folders = () =>
    fs.existsSync(context.home.runs)
      ? fs.readdirSync(context.home.runs).map((name) => runFolderAt(path.join(context.home.runs, name)))
      : [];
  return {
    context,
    sessions,
    progress,
    sessionFile(folder = 'project') {
      fs.mkdirSync(path.join(root, folder), { recursive: true });
      const name = engine === 'codex' ? `rollout-2026-11-16T23-20-14-${randomUUID()}` : randomUUID();
      return path.join(root, folder, `${name}.jsonl`);
    },
    async once(options) {
      await (await open(options)).stop();
    },
    async follow(options) {
      const watch = await open(options);
      onTestFinished(() => watch.stop());
      watch.follow();
      return watch;
    },
    records: () => folders().map((folder) => readShownRecord(folder)),
    said: () =>
      folders().flatMap(({ audit }) =>
        fs
          .readFileSync(path.join(audit, CONVERSATION_FILE), 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as FcmpMessage)
          .filter(({ type }) => type === 'user.message' || type === 'assistant.message.final')
          .map(({ data }) => (data as { text: string }).text),
      ),
    verdicts: () => Promise.all(folders().map(async (folder) => (await verifyRun(folder)).verdict)),
  };
}

const SESSION = '5f0c7a2e-1111-4222-8333-444455556666';
let clock = Date.parse('2026-11-16T10:00:00.000Z');
const nextTime = () => {
  clock += 1000;
  return new Date(clock).toISOString();
};

/** Lines as claude writes them, of one exchange. */
export function claudeTurn(asked: string, answered: string): string {
  const about = { sessionId: SESSION, cwd: '/home/user/project', version: '2.1.325', isSidechain: false };
  const user = { type: 'user', message: { role: 'user', content: asked } };
  const usage = { input_tokens: 100, output_tokens: 20 };
  const message = {
    id: `msg_${randomUUID()}`,
    model: 'demo-model',
    role: 'assistant',
    content: [{ type: 'text', text: answered }],
    stop_reason: 'end_turn',
    usage,
  };
  return [user, { type: 'assistant', message }]
    .map((entry) => `${JSON.stringify({ ...entry, ...about, uuid: randomUUID(), timestamp: nextTime() })}\n`)
    .join('');
}

/** Lines as codex writes them: the beginning of a session, and one exchange. */
export function codexBegin(): string {
  const payload = { id: SESSION, cwd: '/home/user/project', cli_version: '0.166.0' };
  return `${JSON.stringify({ timestamp: nextTime(), type: 'session_meta', payload })}\n`;
}

/** One exchange; `total` is what the session has used up to its end. */
export function codexTurn(asked: string, answered: string, total?: number): string {
  const used = { input_tokens: total, cached_input_tokens: 0, output_tokens: 0, total_tokens: total };
  const payloads = [
    { type: 'task_started' },
    { type: 'user_message', message: asked },
    { type: 'agent_message', message: answered },
    ...(total === undefined ? [] : [{ type: 'token_count', info: { total_token_usage: used } }]),
    { type: 'task_complete' },
  ];
  return payloads
    .map((payload) => `${JSON.stringify({ timestamp: nextTime(), type: 'event_msg', payload })}\n`)
    .join('');
}
