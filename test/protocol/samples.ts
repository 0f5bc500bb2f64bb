import {
  type Completion,
  FCMP_VERSION,
  type FcmpMessage,
  type FcmpType,
  type fcmpDataSchemas,
  type Meta,
  RASP_VERSION,
  type RaspData,
  type RaspEvent,
  type RaspType,
  type RunRecord,
  type Seal,
} from '../../src/protocol/index.ts';

const RUN_ID = '20261115T083000-text-3f2a9c1b';
export const SHA256 = 'a3'.repeat(32);
const TIME = '2026-11-15T08:30:00.123Z';

/** Valid data for every type of event; the compiler checks that none is missing. */
export const raspData: { [T in RaspType]: RaspData<T> } = {
  'lifecycle.run.requested': { command: ['sh', '-c', 'true'], cwd: '/work', session_id: null, mode: 'auto' },
  'lifecycle.run.status': { status: 'succeeded', reason_code: 'EXIT_ZERO', usage: { input_tokens: 12, cache: 3 } },
  'lifecycle.run.skills': {
    skills: [
      {
        role: 'main',
        namespace: 'user',
        name: 'review',
        version: '1.0.0',
        sha256: SHA256,
        path: '/data/env/skills/3f2a9c1b/skills/review/SKILL.md',
        delivery: 'engine',
        layers: [{ layer: 'mode', version: '1', sha256: SHA256, rendered_sha256: SHA256 }],
      },
    ],
  },
  'lifecycle.completion.state': {
    state: 'completed',
    reason_code: 'EXIT_ZERO',
    source: 'process',
    confidence: 1,
    needs_user_input: false,
    diagnostics: [],
  },
  'lifecycle.recording.checkpoint': { stream: 'stdout', bytes: 1_048_576, sha256: SHA256 },
  'agent.message.delta': { message_id: '1.stdout.0', text: 'Hel' },
  'agent.message.final': { message_id: '1.stdout.0', text: 'Hello', structured_payload: { ok: true } },
  'agent.reasoning.summary': { text: 'Reading the file first.' },
  'agent.plan.updated': { items: [{ text: 'Read', status: 'done', owner: 'me' }] },
  'interaction.user_input.required': {
    interaction_id: '1',
    kind: 'single_choice',
    prompt: 'Which one?',
    options: ['a', 'b'],
  },
  'interaction.reply.accepted': { interaction_id: '1', text: 'a' },
  'interaction.approval.requested': { approval_id: '7', summary: 'rm -rf build', command: ['rm'] },
  'interaction.approval.decided': { approval_id: '7', decision: 'denied' },
  'tool.call.started': { call_id: 'c1', name: 'shell', arguments: { command: 'ls' } },
  'tool.call.completed': { call_id: 'c1', name: 'shell', result: 'a\n', exit_code: 0, duration_ms: 12.5 },
  'tool.call.failed': { call_id: 'c1', name: 'shell', exit_code: null },
  'artifact.created': { path: 'a.txt', size: 3, sha256: SHA256, kind: 'file' },
  'artifact.modified': { path: 'a.txt', size: 4, sha256: SHA256 },
  'artifact.deleted': { path: 'a.txt', size: null, sha256: null },
  'diagnostic.parser.warning': { code: 'LOW_CONFIDENCE_PARSE', message: 'Uncertain.', severity: 'warning', line: 3 },
  'diagnostic.engine.error': { code: 'ENGINE_ERROR', message: 'It failed.', severity: 'error' },
  'diagnostic.runtime.warning': { code: 'DRAIN_DEADLINE', message: 'Late.', severity: 'info', confidence: 0.5 },
  'raw.stdout': { text: 'a\nb\n', lines: 2, coalesced: true },
  'raw.stderr': { text: '', lines: 0 },
  'raw.pty': { text: '$ ', lines: 1 },
};

export function raspEvent<T extends RaspType>(type: T, changes: Record<string, unknown> = {}): RaspEvent {
  const event = {
    protocol_version: RASP_VERSION,
    run_id: RUN_ID,
    seq: 1,
    ts: TIME,
    attempt_number: 1,
    source: { engine: 'text', parser: 'text', stream: 'stdout', confidence: 1 },
    event: { category: type.slice(0, type.indexOf('.')), type },
    data: raspData[type],
    correlation: {},
    raw_ref: { attempt_number: 1, stream: 'stdout', byte_from: 0, byte_to: 4 },
    chain: SHA256,
    ...changes,
  };
  return event as unknown as RaspEvent;
}

/** Valid data for every type of message. */
const fcmpData: { [T in FcmpType]: (typeof fcmpDataSchemas)[T]['_output'] } = {
  'conversation.started': { session_id: 's' },
  'user.message': { text: 'Fix it', attempt: 1 },
  'assistant.message.delta': { message_id: 'm', text: 'Hel' },
  'assistant.message.final': { message_id: 'm', text: 'Hello', format: 'markdown' },
  'assistant.reasoning': { text: 'Reading.' },
  'assistant.plan': { items: [{ text: 'Read' }] },
  'assistant.tool_call': { call_id: 'c', name: 'shell', summary: 'ls', state: 'completed', duration_ms: 3 },
  'user.input.required': { interaction_id: '1', kind: 'confirm', prompt: 'Go on?' },
  'user.input.replied': { interaction_id: '1', text: 'yes' },
  'approval.required': { approval_id: '7', summary: 'rm', command: ['rm'] },
  'approval.decided': { approval_id: '7', decision: 'approved' },
  'artifact.changed': { path: 'a.txt', change: 'created' },
  'diagnostic.warning': { code: 'ENGINE_RETRY', message: 'Again.', severity: 'info' },
  'raw.stdout': { text: 'a\n', lines: 1 },
  'raw.stderr': { text: 'b\n', lines: 1, truncated: true },
  'conversation.state.changed': { from: null, to: 'running', reason_code: 'STARTED' },
  'conversation.completed': {},
  'conversation.failed': { error: { category: 'engine', code: 'ENGINE_ERROR', message: 'It failed.' } },
  'conversation.canceled': { reason_code: 'CANCELED' },
};

export function fcmpMessage(type: FcmpType, changes: Record<string, unknown> = {}): FcmpMessage {
  const message = {
    protocol_version: FCMP_VERSION,
    run_id: RUN_ID,
    seq: 1,
    ts: TIME,
    engine: 'text',
    type,
    data: fcmpData[type],
    meta: { attempt: 1, confidence: 0.95, rasp_seq: 4 },
    correlation: { message_id: 'm' },
    raw_ref: null,
    ...changes,
  };
  return message as unknown as FcmpMessage;
}

export const runRecord: RunRecord = {
  format: 'tacho-run/1',
  run_id: RUN_ID,
  handle: '3f2a9c1b',
  engine: 'text',
  status: 'running',
  attempt: 1,
  command: ['npm', 'test'],
  cwd: '/work',
  workspace_root: '/work',
  created_at: TIME,
  updated_at: TIME,
  live: {
    supervisor: { pid: 41, start_time: '1234', boot_id: 'b', host: 'h' },
    child: null,
    marker: 'm',
    started_at: null,
    capture: { mode: 'split', reason: 'configuration', level: 'full' },
    env_names: ['HOME', 'PATH'],
    secret_names: ['API_KEY'],
  },
  last: null,
};

const completion: Completion = {
  ...raspData['lifecycle.completion.state'],
  rule: 4,
  evidence: [{ kind: 'exit', detail: 'exit code 0', raw_ref: null }],
};

export const meta: Meta = {
  format: 'tacho-meta/1',
  run_id: RUN_ID,
  run_dir: `/data/runs/${RUN_ID}`,
  attempt: 1,
  engine: 'text',
  command: 'npm',
  args: ['test'],
  cwd: '/work',
  workspace_root: '/work',
  env_names: ['HOME', 'PATH'],
  injected: [],
  started_at: TIME,
  ended_at: TIME,
  duration_ms: 0,
  success: true,
  exit_code: 0,
  signal: null,
  error: null,
  failed_step: null,
  capture: { mode: 'split', reason: 'configuration', level: 'full' },
  terminal: { cols: 120, rows: 40, drained: true, output_processing_restored: false, left_behind: 0 },
  trace: { traced_bytes: 4, recorded_bytes: 4, coverage: 1, processes: 1, writes: 1, diagnostics: [] },
  files: { stdout: { path: '.audit/stdout.1.log', bytes: 4 } },
  completion,
  filesystem: { entries: 3, created: 1, modified: 1, deleted: 0, unreadable: 0 },
  parse: {
    events: 1,
    structured_share: 0,
    fallbacks: 0,
    unknown: 0,
    average_confidence: 1,
    coverage: 1,
    bytes: 4,
  },
  usage: null,
  versions: { tacho: '0.1.0', parser: 'text/1', engine: null, node: 'v20.19.0' },
};

export const seal: Seal = {
  format: 'tacho-seal/1',
  run_id: RUN_ID,
  attempt: 1,
  sealed_at: TIME,
  chain: { seq: 9, head: SHA256 },
  files: [
    { path: 'stdout.1.log', bytes: 4, sha256: SHA256 },
    { path: 'events.jsonl', bytes: 4000, sha256: SHA256, prefix: true },
  ],
  key: { algorithm: 'ed25519', id: '8b79aa4f6f6fa8ad', public_key: 'MCow' },
  signature: 'c2ln',
};
