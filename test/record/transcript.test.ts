import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, it } from 'vitest';
import { createTranscript } from '../../src/record/index.ts';
import { RecordedRun } from '../conversation/recorded-run.ts';
import { proofSize } from '../support/proof-size.ts';
import { filesInMemory } from './files-in-memory.ts';

const OWN_HTML = /^(?:<details><summary>[^<>]*<\/summary>|<\/details>)$/;
const OWN_HEADING = /^## (?:(?:User|Assistant|Output) · 0:00|Files changed|Warnings and errors)$/;
const RUN_ID = '20261115T083000-text-3f2a9c1b';
const source = { engine: 'codex', parser: 'codex', stream: null, confidence: 1 };

const ENDED = {
  state: 'failed',
  reason_code: 'EXIT_NONZERO',
  source: 'process',
  confidence: 1,
  needs_user_input: false,
  diagnostics: [],
  exit_code: 3,
} as const;

async function transcriptOf({ events }: RecordedRun, attempt?: number): Promise<string> {
  const transcript = createTranscript(filesInMemory(RUN_ID), { attempt });
  await transcript.push(events);
  return [...transcript.pieces()].join('');
}

/** One text in every field where a run can have its own text. */
function runSaying(text: string): RecordedRun {
  const run = new RecordedRun();
  run.event('lifecycle.run.requested', { command: ['codex', text], cwd: text, session_id: null }, { source });
  run.event('interaction.reply.accepted', { interaction_id: '0', text, source: 'prompt' }, { source });
  run.event('lifecycle.run.status', { status: 'running', model: text }, { source });
  run.event('agent.reasoning.summary', { text }, { source });
  run.event('agent.plan.updated', { items: [{ text, status: text }] }, { source });
  run.event('agent.message.delta', { message_id: 'a', text }, { source });
  run.event('agent.message.final', { message_id: 'b', text: `Well. ${text}` }, { source });
  run.event('agent.message.final', { message_id: 'c', text }, { source, correlation: { parent: 'c1' } });
  run.event('tool.call.started', { call_id: 'c1', name: text, arguments: { [text]: text } }, { source });
  run.event('tool.call.completed', { call_id: 'c1', name: text, result: text }, { source });
  run.raw(text).raw('end\n', 'stderr');
  run.event(
    'interaction.user_input.required',
    { interaction_id: '1', kind: 'free_text', prompt: text, options: [text, { label: text, description: text }] },
    { source },
  );
  run.event('interaction.approval.requested', { approval_id: '1', summary: text }, { source });
  run.event('interaction.approval.decided', { approval_id: '1', decision: text }, { source });
  run.event('artifact.created', { path: text, size: 1, sha256: null }, { source });
  run.event('diagnostic.engine.error', { code: text, message: text, severity: 'error' }, { source });
  return run.event('lifecycle.completion.state', ENDED as never, { source });
}

describe('a transcript', () => {
  it('has the messages with their authors, folded tool output, and the changed files', async () => {
    const run = new RecordedRun();
    run.event(
      'lifecycle.run.requested',
      {
        command: ['codex', 'exec'],
        cwd: '/work',
        session_id: null,
        request: { prompt: 'Add a flag' } as never,
      },
      { source },
    );
    run.event('interaction.reply.accepted', { interaction_id: '0', text: 'Add a flag', source: 'prompt' }, { source });
    run.event(
      'lifecycle.run.status',
      { status: 'running', model: 'gpt-5.5', usage: { total_tokens: 240 } },
      { source },
    );
    run.event('agent.message.delta', { message_id: 'm', text: 'I lo' }, { source });
    run.event('agent.message.delta', { message_id: 'm', text: 'ok.' }, { source });
    run.event(
      'agent.message.final',
      { message_id: 'other', text: 'I look.\n\n```json\n{"__SKILL_DONE__": true}\n```' },
      { source },
    );
    const call = { call_id: 'c', name: 'shell', kind: 'command' as const };
    run.event('tool.call.started', { ...call, arguments: { command: 'npm test' } }, { source });
    run.raw('noise\n', 'stderr');
    run.event('tool.call.failed', { ...call, result: 'one failed\n', exit_code: 1, duration_ms: 3400 }, { source });
    run.event('tool.call.started', { call_id: 'd', name: 'read', arguments: { path: 'a.ts' } }, { source });
    run.event('artifact.created', { path: 'b.ts', size: 1, sha256: null }, { source });
    run.event('artifact.modified', { path: 'b.ts', size: 1, sha256: null }, { source });
    run.event(
      'interaction.user_input.required',
      { interaction_id: '1', kind: 'confirm', prompt: 'Go on?' },
      { source },
    );
    run.event('lifecycle.completion.state', ENDED as never, { source });
    const text = await transcriptOf(run);
    expect(text).toMatch(
      /^# Add a flag\n\n- \*\*Result:\*\* running, exit 3 \(`EXIT_NONZERO`\)\n- \*\*Engine:\*\* `codex`\n- \*\*Model:\*\* `gpt-5.5`\n/,
    );
    expect(text.slice(text.indexOf('## User'))).toBe(`## User · 0:00

> Add a flag

## Assistant · 0:00

I look.

<details><summary>✖ shell: npm test (3.4 s) · exit 1</summary>

Result:

\`\`\`text
one failed
\`\`\`

</details>

<details><summary>⚙ read: path: a.ts</summary>

Arguments:

\`\`\`text
path: a.ts
\`\`\`

</details>

**Question:** Go on?

<details><summary>Other output</summary>

\`\`\`text
noise
\`\`\`

</details>

## Files changed

- created \`b.ts\`
`);
  });

  it('shows the output of a plain command as text, and how it exited', async () => {
    const run = new RecordedRun();
    run.event('lifecycle.run.requested', { command: ['sh', '-c', 'echo `x`'], cwd: '/work', session_id: null });
    run.raw('\u001b[31mred\u001b[0m\n10 %\r100 %\n```\n');
    for (const event of run.events) event.source.engine = 'text';
    run.event('lifecycle.completion.state', ENDED as never);
    const text = await transcriptOf(run);
    expect(text).toContain("# `` sh -c 'echo `x`' ``\n");
    expect(text).toContain('exit 3 (`EXIT_NONZERO`)');
    expect(text).toContain('## Output · 0:00\n\n````text\nred\n100 %\n```\n````\n');
  });

  it('can be limited to one attempt', async () => {
    const run = new RecordedRun();
    run.event('agent.message.final', { message_id: 'm', text: 'first' }, { source });
    run.attempt = 2;
    run.event('agent.message.final', { message_id: 'm', text: 'second' }, { source });
    expect(await transcriptOf(run, 1)).toMatch(/first(?![\s\S]*second)/);
    expect(await transcriptOf(run, 2)).toMatch(/^(?![\s\S]*first)[\s\S]*second/);
  });

  it('notes what it leaves out of long texts and long runs', async () => {
    const run = new RecordedRun();
    run.event('agent.message.final', { message_id: 'm', text: 'word\n'.repeat(5000) }, { source });
    expect(await transcriptOf(run)).toContain('… 3000 more lines');
    const long = 'x'.repeat(90_000);
    for (let at = 0; at < 60; at++) run.event('agent.message.final', { message_id: `n${at}`, text: long }, { source });
    const text = await transcriptOf(run);
    expect(text.length).toBeLessThan(4_200_000);
    expect(text).toContain('_The transcript is cut here');
  });

  const nasty = fc
    .array(
      fc.constantFrom(
        ...[
          '```',
          '````',
          '~~~',
          '`',
          '``',
          '\\',
          '\n',
          '\n\n',
          '    ',
          '  ',
          '- ',
          '1. ',
          '> ',
          '# ',
          '## User',
          '===',
          '---',
        ],
        ...[
          '<script>',
          '</details>',
          '<!--',
          '-->',
          '<details>',
          '<b',
          '>',
          '![a](http://x/y.png)',
          '[a]: http://x',
          '\r',
          '\t',
        ],
        ...['word', '\u001b[31m', '\u001b]0;t\u0007', '\u202e', '|', '&lt;', '*', '_', '<?', '<![CDATA[', '"', 'js'],
      ),
      { maxLength: 14 },
    )
    .map((parts) => parts.join(''));

  it('contains no HTML, picture or heading from a run', async () => {
    await fc.assert(
      fc.asyncProperty(nasty, async (text) => {
        const transcript = await transcriptOf(runSaying(text));
        for (const node of nodesOf(fromMarkdown(transcript))) {
          expect(node.type).not.toMatch(/^image/);
          if (node.type === 'html') expect(node.value).toMatch(OWN_HTML);
          if (node.type !== 'heading' || node.depth > 2) continue;
          const { start, end } = node.position!;
          expect(transcript.slice(start.offset, end.offset)).toMatch(node.depth === 1 ? /^# / : OWN_HEADING);
        }
      }),
      { numRuns: proofSize({ small: 60, full: 2000 }) },
    );
  });
});

function nodesOf(node: Nodes): Nodes[] {
  return [node, ...('children' in node ? node.children.flatMap((child) => nodesOf(child as Nodes)) : [])];
}
