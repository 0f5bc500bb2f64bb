import type { Command } from 'commander';
import type { CommonOptions } from '../common-options.ts';

export interface AgentOptions extends CommonOptions {
  cwd?: string;
}

export interface RunAgentOptions extends AgentOptions {
  model?: string;
  provider?: string;
  baseUrl?: string;
  sandbox?: string;
  maxSteps?: string;
  maxTime?: string;
  approve?: string;
  quiet?: boolean;
}

export interface ReplayAgentOptions extends RunAgentOptions {
  public?: boolean;
}

export interface ForkAgentOptions extends AgentOptions {
  at?: string;
  into?: string;
  message?: string;
  send?: string;
}

export interface DecideAgentOptions extends AgentOptions {
  session?: boolean;
  rule?: boolean;
  abort?: boolean;
  reason?: string;
}

const GROUP_HELP = `
Examples:
  tacho agent "fix the failing test"
  tacho agent --model qwen3-coder "add a --json option"
  tacho agent ls                              runs of this folder
  tacho agent resume run-3f2a9c1b             continue one that waits or died
  tacho agent replay run-3f2a9c1b             compare it with its log
  tacho agent fork run-3f2a9c1b --at 12 --into ../try-again

The model, its key, the policy and the sandbox come from the configuration
(tacho config explain llm). The log of a run is .tacho/runs/<run>/events.jsonl.`;

const RUN_HELP = `
Examples:
  tacho agent "fix the failing test"
  tacho agent --approve later "update docs"   what needs an approval waits
  tacho agent --json "list the TODOs" | jq .type

Exit code: 0 when the agent is done, 1 when the run failed, 10 when it waits for
a decision or an answer, 130 when it was cancelled.`;

const DECIDE_HELP = `
Examples:
  tacho agent decide                          list what is pending
  tacho agent decide run-3f2a9c1b.a1 approve
  tacho agent decide run-3f2a9c1b.a1 approve --rule
  tacho agent decide run-3f2a9c1b.a1 deny --reason "use the test database"
  tacho agent decide run-3f2a9c1b.q1 "the second one"

Afterwards: tacho agent resume <run>`;

/** `tacho agent …` */
export function registerAgent(program: Command): void {
  const agent = program
    .command('agent')
    .summary('run tacho’s own agent: start, resume, replay, fork')
    .description('Runs an agent in this folder on a durable log, with tools behind policy, approvals and a sandbox.')
    .addHelpText('after', GROUP_HELP);
  registerRun(agent);
  registerResume(agent);
  registerLists(agent);
  registerDecide(agent);
  registerReplay(agent);
  registerFork(agent);
}

function registerRun(agent: Command): void {
  const run = agent
    .command('run', { isDefault: true })
    .summary('carry out a task')
    .description('Carries out a task in this folder.')
    .argument('<task...>', 'what the agent is to do')
    .addHelpText('after', RUN_HELP)
    .action(async (words: string[], options: RunAgentOptions) => {
      const { runAgent } = await import('../agent/run.ts');
      process.exitCode = await runAgent(words.join(' '), options);
    });
  withModelOptions(withPlace(run));
}

function registerResume(agent: Command): void {
  const resume = agent
    .command('resume')
    .summary('continue a run')
    .description('Continues a run that waits for a decision, or whose process died. Nothing is done twice.')
    .argument('<run>', 'its id, or the beginning of it')
    .addHelpText('after', '\nExamples:\n  tacho agent resume run-3f2a9c1b')
    .action(async (run: string, options: RunAgentOptions) => {
      const { resumeAgent } = await import('../agent/run.ts');
      process.exitCode = await resumeAgent(run, options);
    });
  withModelOptions(withPlace(resume));
}

function registerLists(agent: Command): void {
  const list = agent
    .command('ls')
    .summary('list the runs of this folder')
    .description('Lists the agent runs of this folder, newest first.')
    .addHelpText('after', '\nExamples:\n  tacho agent ls\n  tacho agent ls --json')
    .action(async (options: AgentOptions) => {
      const { listAgents } = await import('../agent/list.ts');
      await listAgents(options);
    });
  withPlace(list);
  const show = agent
    .command('show')
    .summary('print the events of a run')
    .description('Checks the log of a run and prints its events.')
    .argument('<run>', 'its id, or the beginning of it')
    .addHelpText('after', '\nExamples:\n  tacho agent show run-3f2a9c1b\n  tacho agent show run-3f2a9c1b --json')
    .action(async (run: string, options: AgentOptions) => {
      const { showAgent } = await import('../agent/list.ts');
      await showAgent(run, options);
    });
  withPlace(show);
}

function registerDecide(agent: Command): void {
  const decide = agent
    .command('decide')
    .summary('decide what runs of this folder ask')
    .description('Lists pending approvals and questions of runs in this folder, decides or answers one.')
    .argument('[id]', 'the approval or question')
    .argument('[answer]', 'approve or deny; for a question, the answer')
    .option('--session', 'approve the same request for the rest of the session')
    .option('--rule', 'approve, and allow what the suggested rule allows for the rest of the run')
    .option('--abort', 'deny, and end the run')
    .option('--reason <text>', 'why, for the model and the log')
    .addHelpText('after', DECIDE_HELP)
    .action(async (id: string | undefined, answer: string | undefined, options: DecideAgentOptions) => {
      const { decideCommand } = await import('../agent/decide.ts');
      await decideCommand(id ?? null, answer ?? null, options);
    });
  withPlace(decide);
}

function registerReplay(agent: Command): void {
  const replay = agent
    .command('replay')
    .summary('carry a run out again from its log, and compare')
    .description(
      'Runs the loop again with model, tools, clock and decisions from the log. Nothing is executed or sent.',
    )
    .argument('<run>', 'its id, or the beginning of it')
    .option('--public', 'with --json: leave out contents and secrets that the log does not have')
    .addHelpText('after', '\nExamples:\n  tacho agent replay run-3f2a9c1b\n\nExits with 1 at the first difference.')
    .action(async (run: string, options: ReplayAgentOptions) => {
      const { replayAgent } = await import('../agent/replay.ts');
      process.exitCode = await replayAgent(run, options);
    });
  withPlace(replay);
}

function registerFork(agent: Command): void {
  const fork = agent
    .command('fork')
    .summary('begin a new run at any event of another')
    .description('Makes a folder with the files as they were at an event, and a run that continues from there.')
    .argument('<run>', 'its id, or the beginning of it')
    .requiredOption('--at <seq>', 'the last event that the new run has')
    .requiredOption('--into <folder>', 'where to put the files; new or empty')
    .option('--message <text>', 'replace the text of the message at that event')
    .option('--send <text>', 'a further message for the model')
    .addHelpText(
      'after',
      '\nExamples:\n  tacho agent fork run-3f2a9c1b --at 12 --into ../try-again --send "Use SQLite."',
    )
    .action(async (run: string, options: ForkAgentOptions) => {
      const { forkAgent } = await import('../agent/fork.ts');
      await forkAgent(run, options);
    });
  withPlace(fork);
  const diff = agent
    .command('diff')
    .summary('compare two runs')
    .description('Finds the first event in which two runs differ, and lists what came after it in both.')
    .argument('<a>', 'a run of this folder, or the path of its log')
    .argument('<b>', 'another one')
    .addHelpText('after', '\nExamples:\n  tacho agent diff run-3f2a9c1b ../try-again/.tacho/runs/run-77ab/events.jsonl')
    .action(async (a: string, b: string, options: AgentOptions) => {
      const { diffAgents } = await import('../agent/fork.ts');
      process.exitCode = await diffAgents(a, b, options);
    });
  withPlace(diff);
}

function withModelOptions(command: Command): Command {
  return command
    .option('--model <id>', 'model to use (models.executor)')
    .option('--provider <name>', 'openai_compatible, openai, anthropic or scripted (llm.provider)')
    .option('--base-url <url>', 'where the model is served (llm.base_url)')
    .option('--sandbox <profile>', 'dev, balanced, prod or none (sandbox.profile)')
    .option('--max-steps <n>', 'end the run after this many steps (safety.max_steps)')
    .option('--max-time <duration>', 'end the run after this long (safety.max_wall_ms)')
    .option('--approve <how>', 'terminal, later or deny (safety.approver)')
    .option('-q, --quiet', 'print the answer only');
}

function withPlace(command: Command): Command {
  return command
    .option('-C, --cwd <folder>', 'folder the agent works in (default: the current one)')
    .option('--data <folder>', 'where your settings are kept (default: $TACHO_HOME, else ~/.tacho)')
    .option('--json', 'answer as JSON');
}
