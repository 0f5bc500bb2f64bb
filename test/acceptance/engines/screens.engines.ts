import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../../../src/demo/index.ts';
import { attemptFileNames } from '../../../src/protocol/index.ts';
import { type RunFolder, runFolderAt } from '../../../src/recording/index.ts';
import { enginesFolder } from '../../support/install-engines.ts';
import { updatingFixtures } from '../../support/live-fixture.ts';
import { missingLines, textOf, writeScreenFixture } from '../../support/recorded-screen.ts';
import { tachoCommand, temporaryFolder, until } from '../../support/tacho.ts';
import { openPane, type Pane } from '../../support/tmux.ts';

const SIZE = { cols: 100, rows: 30 };
/** A screen that is captured has not changed for this long, as if a person had read it. */
const READ_MS = 700;

interface Session extends Pane {
  home: string;
  /** Keeps what the screen shows now. */
  capture(): Promise<void>;
  /** Resolves when the program has ended and its run is sealed. */
  ended(): Promise<{ folder: RunFolder; captures: string[][] }>;
}

/** Starts a program in the recorded terminal of `tacho run`, which is a terminal of tmux. */
function openSession(program: string, env: Record<string, string> = {}, prepare = (_home: string) => {}): Session {
  const home = temporaryFolder('screens-');
  const data = temporaryFolder();
  const project = path.join(home, 'project');
  fs.mkdirSync(project);
  prepare(home);
  const bins = ['codex', 'claude'].map((name) => path.join(enginesFolder, name, 'node_modules/.bin'));
  const pane = openPane({
    // The screen stays when the run has ended.
    command: `"${process.execPath}" "${tachoCommand}" run sh -c 'exec ${program}' 2>/dev/null; exec cat`,
    cwd: project,
    env: {
      PATH: [...bins, process.env.PATH].join(':'),
      HOME: home,
      TACHO_HOME: data,
      LANG: 'C.UTF-8',
      TERM: 'tmux-256color',
      ...env,
    },
    ...SIZE,
  });
  const captures: string[][] = [];
  const folder = () => runFolderAt(path.join(data, 'runs', fs.readdirSync(path.join(data, 'runs'))[0]!));
  const capture = async () => {
    let last = { lines: pane.lines(), since: performance.now() };
    await until(() => {
      const lines = pane.lines();
      if (lines.join('\n') !== last.lines.join('\n')) last = { lines, since: performance.now() };
      return performance.now() - last.since > READ_MS;
    });
    captures.push(last.lines);
  };
  return {
    ...pane,
    home,
    capture,
    ended: async () => {
      await until(() => fs.existsSync(path.join(folder().audit, attemptFileNames(1).seal)));
      await capture();
      return { folder: folder(), captures };
    },
  };
}

/** `replaced` is a line that the program writes over again and again, of which the text has some. */
async function expectText(name: 'vim' | 'codex' | 'claude', session: Session, replaced?: string): Promise<void> {
  const { folder, captures } = await session.ended();
  if (updatingFixtures) writeScreenFixture(name, folder, captures);
  const text = textOf(folder);
  const missing = missingLines(text, captures);
  if (replaced !== undefined) expect(text).toContain(`\n${replaced}`);
  expect(missing.filter((line) => replaced === undefined || !line.startsWith(replaced))).toEqual([]);
}

async function withModel(work: (server: ModelServer) => Promise<void>): Promise<void> {
  const server = await startModelServer({});
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

test('the text of a vim session has every screen that tmux showed', async () => {
  const lines = Array.from({ length: 60 }, (_, index) => `line ${index + 1} of the notes`);
  const vim = openSession('vim -u NONE -N notes.txt', {}, (home) =>
    fs.writeFileSync(path.join(home, 'project/notes.txt'), `${lines.join('\n')}\n`),
  );
  await vim.shows('line 29 of the notes');
  await vim.capture();
  vim.keys('o', 'a line that was typed', 'Escape');
  await vim.shows('a line that was typed');
  await vim.capture();
  vim.keys('C-f');
  await vim.shows('line 50 of the notes');
  await vim.capture();
  vim.resize(80, 20);
  await vim.shows('line 30 of the notes');
  await vim.capture();
  vim.keys(':wq', 'Enter');
  await expectText('vim', vim);
});

test('the text of a codex session has every screen that tmux showed', () =>
  withModel(async (server) => {
    const settings = [
      'check_for_update_on_startup=false',
      'model="demo-model"',
      'model_provider="local"',
      'approval_policy="on-request"',
      '[analytics]\nenabled=false',
      '[features]\nplugins=false\napps=false',
      `[model_providers.local]\nname="Local"\nbase_url="${server.url}/sc/tool/v1"\nenv_key="LOCAL_KEY"\nwire_api="responses"`,
    ].join('\n');
    const codex = openSession('codex --dangerously-bypass-approvals-and-sandbox', { LOCAL_KEY: 'any' }, (home) => {
      fs.mkdirSync(path.join(home, '.codex'));
      const trust = `[projects."${home}/project"]\ntrust_level="trusted"`;
      fs.writeFileSync(path.join(home, '.codex/config.toml'), `${settings}\n${trust}\n`);
    });
    await codex.shows('demo-model default');
    await codex.capture();
    codex.keys('write the demo file');
    await codex.shows('› write the demo file');
    await codex.capture();
    codex.keys('Enter');
    await codex.shows('Worked for');
    await codex.shows('Ask Codex to do anything');
    await codex.capture();
    codex.keys('/quit');
    await codex.shows('exit Codex');
    await codex.capture();
    codex.keys('Enter');
    await expectText('codex', codex);
  }));

test('the text of a claude session has every screen that tmux showed', () =>
  withModel(async (server) => {
    const env = {
      ANTHROPIC_BASE_URL: `${server.url}/sc/tool`,
      ANTHROPIC_API_KEY: 'local-key',
      IS_SANDBOX: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
    };
    const claude = openSession('claude --permission-mode default', env, (home) => {
      const known = { hasCompletedOnboarding: true, customApiKeyResponses: { approved: ['local-key'], rejected: [] } };
      fs.writeFileSync(path.join(home, '.claude.json'), JSON.stringify(known));
    });
    await claude.shows('Enter to confirm');
    await claude.capture();
    // "No, exit" is preselected.
    claude.keys('Down', 'Enter');
    await claude.shows('? for shortcuts');
    await claude.capture();
    claude.keys('write the demo file');
    await claude.shows('write the demo file');
    await claude.capture(); // An Enter right after the text would be part of what is pasted.
    claude.keys('Enter');
    await claude.shows('Do you want to proceed?');
    await claude.capture();
    claude.keys('Enter');
    await claude.shows('The task is complete.');
    await claude.shows('? for shortcuts');
    await claude.capture();
    claude.keys('/exit');
    await claude.shows('Exit the CLI');
    await claude.capture();
    claude.keys('Enter');
    await expectText('claude', claude, '  ⏸ manual mode on');
  }));
