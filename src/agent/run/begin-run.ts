import type { SourceTools } from '../../protocol/index.ts';
import type { ResumeOptions, RunOptions } from '../agent.ts';
import type { Effects } from '../loop/effects.ts';
import type { AgentOptions } from '../options.ts';
import { DEFAULT_BUDGETS, DEFAULT_SETTINGS } from '../settings.ts';
import type { Wal } from '../wal/index.ts';
import { changedOutside } from './changed-outside.ts';
import type { Commands } from './commands.ts';
import type { RunParts } from './run-parts.ts';

export type OpenRunRequest =
  | ({ kind: 'start'; task: string } & Pick<RunOptions, 'history' | 'parent'>)
  | ({ kind: 'resume' } & ResumeOptions);

interface BeginParts extends RunParts {
  commands: Commands;
  wal: Wal;
  sessionId: string;
  runId: string;
  request: OpenRunRequest;
  /** The sources of tools, as they were opened. */
  sources: readonly SourceTools[];
}

/** The first events: what the run was given, or what it is resumed with. */
export async function beginRun<Output>(
  { emitter, outputSchema }: Effects,
  options: AgentOptions<Output>,
  parts: BeginParts,
): Promise<void> {
  const { registry, policy, workspaceRoot, sessionId, request, commands, wal } = parts;
  const common = {
    session_id: sessionId,
    policy_digest: policy.digest,
    tools: registry.specs().map(({ name, digest }) => ({ name, digest })),
    ...(parts.sources.length > 0 ? { sources: [...parts.sources] } : {}),
    model: options.model.id,
    sandbox: commands.posture as never,
  };
  const toldBefore = emitter.state.missingSources;
  const notices = missingNotice(parts.sources.filter(({ name }) => !toldBefore.has(name)));
  if (request.kind === 'resume') {
    const changed_outside = changedOutside(emitter.state, wal.vault, workspaceRoot);
    emitter.emit('run_resumed', {
      ...common,
      workspace: workspaceRoot,
      planner: options.planner?.id ?? null,
      changed_outside,
    });
    if (changed_outside.length > 0) notices.unshift(noticeOf(changed_outside));
    if (request.send !== undefined) notices.push(request.send);
    for (const text of notices) emitter.emit('user_message', { text, origin: 'send', when: 'now' });
    if (request.close !== undefined) emitter.emit('close_requested', { reason: request.close });
    await emitter.flush({ durable: true });
    return;
  }
  const { parent, task, history = [] } = request;
  emitter.emit('run_started', {
    ...common,
    workspace: workspaceRoot,
    planner: options.planner?.id ?? null,
    budgets: { ...DEFAULT_BUDGETS, ...options.budgets },
    settings: { ...DEFAULT_SETTINGS, ...options.settings } as never,
    output_schema: (outputSchema ?? null) as never,
    parent: parent ? linkOf(parent) : null,
    forked_from: null,
  });
  for (const { role, text } of history) emitter.emit('history_message', { role, text });
  emitter.emit('user_message', { text: task, origin: 'task', when: 'now' });
  for (const text of notices) emitter.emit('user_message', { text, origin: 'send', when: 'now' });
  await emitter.flush({ durable: true });
}

function linkOf(parent: NonNullable<RunOptions['parent']>): { run_id: string; call_id: string; wal_locator: string } {
  const { id: run_id, locator: wal_locator } =
    'run' in parent ? parent.run : { id: parent.runId, locator: parent.walLocator };
  return { run_id, call_id: parent.callId, wal_locator };
}

function noticeOf(paths: readonly string[]): string {
  const list = paths.slice(0, 50).map((name) => `- ${name}`);
  const more = paths.length > 50 ? [`- and ${paths.length - 50} more`] : [];
  return [
    'These files have changed since you last worked on them; read them again before you rely on them:',
    ...list,
    ...more,
  ].join('\n');
}

/** Only the names: what a server printed when it failed is for people, not for the model. */
function missingNotice(sources: readonly SourceTools[]): string[] {
  const names = sources
    .filter(({ tools, problem }) => problem !== undefined && tools.length === 0)
    .map(({ name }) => name);
  if (names.length === 0) return [];
  return [`The tools of ${names.join(', ')} are not available now. Do without them.`];
}
