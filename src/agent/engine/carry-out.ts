import type { ConfigSettings } from '../../config/index.ts';
import type { Agent } from '../agent.ts';
import { type AgentFromConfigOptions, agentFromConfig } from '../from-config/index.ts';
import type { AgentRun } from '../run/agent-run.ts';
import { walLocator } from '../wal/index.ts';
import type { EngineArguments } from './arguments.ts';
import { ChildLogs } from './child-logs.ts';
import { type LeftRun, readLeftRun } from './left-run.ts';
import { LinePrinter } from './line-printer.ts';
import { takeReply } from './take-reply.ts';
import { waitingApprover } from './waiting-approver.ts';

interface Surroundings extends Pick<AgentFromConfigOptions, 'runtime'> {
  workspaceRoot: string;
  output: NodeJS.WritableStream;
}

/** Starts or continues an agent run and prints its log, and those of its children, until it ends or waits. */
export async function carryOut(given: EngineArguments, surroundings: Surroundings): Promise<number> {
  const { output } = surroundings;
  const agent = await openAgent(given, surroundings);
  const { run, left, open } = await openRun(agent, given);
  const printer = new LinePrinter(output);
  // The recorder is gone: the run stays as it is, and can be continued.
  output.on('error', () => process.exit(1));
  const cancel = (): void => void run.cancel('interrupted');
  process.on('SIGTERM', cancel).on('SIGINT', cancel);
  const children = ChildLogs.follow(agent.options.workspaceRoot, run.id, (event) => printer.print(event));
  try {
    for await (const event of run) {
      if (event.seq <= left.lastSeq) continue;
      await printer.print(event);
      children.observe(event);
      // The reader of this attempt does not know what the run was left with.
      if (event.type === 'run_resumed') for (const earlier of openRequests(left, open)) await printer.print(earlier);
    }
    const { status } = await run.result;
    await children.end();
    await printer.flushed();
    return EXIT_CODES[status];
  } finally {
    process.off('SIGTERM', cancel).off('SIGINT', cancel);
    await children.close();
  }
}

const EXIT_CODES = { completed: 0, waiting: 0, closed: 0, failed: 1, cancelled: 130 } as const;

async function openAgent(given: EngineArguments, { workspaceRoot, runtime }: Surroundings): Promise<Agent> {
  const { unattended, approvalWaitMs, skills, artifacts } = given;
  const { agent, settings } = await agentFromConfig(workspaceRoot, {
    session: { name: 'tacho run', settings: sessionSettings(given) },
    terminal: waitingApprover({ workspaceRoot, waitMs: approvalWaitMs }),
    unattended,
    runtime,
    ofRun: { skills, artifacts },
    // The recorded run is what the Studio shows.
    override: { register: null, ...(unattended ? {} : { human: 'later' as const }) },
  });
  for (const { path, reason } of settings.ignored) {
    const why = reason === 'looser' ? 'looser than yours' : 'not trusted; see: tacho trust';
    process.stderr.write(`tacho-agent (note): the setting ${path} of this folder is ignored: ${why}\n`);
  }
  return agent;
}

function sessionSettings({ model, baseUrl, provider }: EngineArguments): ConfigSettings {
  const llm = {
    ...(provider === undefined ? {} : { provider }),
    ...(baseUrl === undefined ? {} : { base_url: withVersion(baseUrl) }),
  };
  const settings = {
    ...(Object.keys(llm).length === 0 ? {} : { llm }),
    ...(model === undefined ? {} : { models: { executor: model } }),
  };
  // Checked against the schema like any other setting.
  return settings as ConfigSettings;
}

/** `--base-url` of tacho is the same for all engines; the clients of this one expect the version in it. */
function withVersion(url: string): string {
  const plain = url.replace(/\/+$/, '');
  return /\/v\d+$/.test(plain) ? plain : `${plain}/v1`;
}

interface OpenedRun {
  run: AgentRun;
  left: LeftRun;
  /** Ids of what it still waits for. */
  open: ReadonlySet<string>;
}

const NOTHING_LEFT: LeftRun = { lastSeq: 0, hasEnded: false, history: [], calls: [], approvals: [], questions: [] };

async function openRun(agent: Agent, { session, prompt }: EngineArguments): Promise<OpenedRun> {
  const open: ReadonlySet<string> = new Set();
  if (session === null) return { run: agent.run(prompt), left: NOTHING_LEFT, open };
  const { workspaceRoot } = agent.options;
  const left = await readLeftRun(walLocator(workspaceRoot, session));
  // A log that has ended stays as it is; another one continues the conversation.
  if (left.hasEnded) return { run: agent.run(prompt, { history: left.history }), left: NOTHING_LEFT, open };
  const reply = takeReply(workspaceRoot, session, left, prompt);
  const run = agent.resume(session, reply.message === null ? {} : { send: reply.message });
  return { run, left, open: reply.open };
}

/** Lines that an earlier attempt has printed, and without which those to come cannot be understood. */
function openRequests({ calls, approvals, questions }: LeftRun, open: ReadonlySet<string>) {
  return [
    ...calls,
    ...approvals.filter(({ data }) => open.has(data.approval_id)),
    ...questions.filter(({ data }) => open.has(data.question_id)),
  ].sort((one, other) => one.seq - other.seq);
}
