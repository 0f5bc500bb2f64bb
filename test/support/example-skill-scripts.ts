import { spawnSync } from 'node:child_process';
import { sayText } from '../../src/demo/answer.ts';
import { lastPrompt, type ModelRequest } from '../../src/demo/model-request.ts';
import type { Decision } from '../../src/demo/scenarios.ts';
import { shellCall } from '../../src/demo/tool-choice.ts';
import { TOKENS } from '../../src/demo/wire/usage.ts';
import { DONE_KEY, DONE_MARKER } from '../../src/protocol/index.ts';
import { writeFiles } from '../skills/skill-folder.ts';

export const QUESTION = 'Which of these is the highlight of this release, and is there anything to leave out or add?';

/**
 * What a model does with the example skills: it reads the one that the prompt names, works as that says, and says that
 * it is done only if the skill has told it how.
 */
export function playExampleSkills(request: ModelRequest): Decision {
  const seen = toolOutputs(request);
  const texts = request.turns.flatMap((turn) => turn.texts);
  const file = texts.map((text) => /\/\S+\/SKILL\.md/.exec(text)?.[0]).find((found) => found !== undefined);
  if (file === undefined) return say('No skill is named.');
  const [skill, ...results] = seen;
  if (skill === undefined) return run(request, `cat '${file}'`);
  const artifacts = /^`(\/.*\/artifacts)`$/m.exec(skill)?.[1];
  if (!skill.includes(DONE_MARKER) || artifacts === undefined) return say('The skill does not say how to finish.');
  const [, name] = /^name: (\S+)$/m.exec(skill)!;
  const play = { 'review-diff': reviewDiff, 'release-notes': releaseNotes, 'extract-table': extractTable }[name!]!;
  return play({ request, skill, artifacts, results, folder: file.slice(0, -'/SKILL.md'.length) });
}

/**
 * What commands printed. Gemini and Qwen put words around it. Gemini sends each one twice when it continues a session. On
 * a busy machine, Qwen may miss the output of a command, which is then repeated.
 */
function toolOutputs({ turns }: ModelRequest): string[] {
  const words = /^(?:<untrusted_context>\n|Command: .*?\nDirectory: [^\n]*\n)Output: /s;
  const results = turns.filter(({ role }) => role === 'tool').map(({ texts }) => texts.join('\n').replace(words, ''));
  return [...new Set(results)].filter((output) => !output.startsWith('(empty)\n'));
}

interface Scene {
  request: ModelRequest;
  skill: string;
  artifacts: string;
  folder: string;
  /** Of the commands after the one that read the skill. */
  results: readonly string[];
}

function reviewDiff({ request, results: [diff] }: Scene): Decision {
  if (diff === undefined) return run(request, 'git diff --no-ext-diff HEAD~1');
  const [, line] = /^\+(.*<= items\.length.*)$/m.exec(diff) ?? [];
  const finding = {
    file: 'total.js',
    line: 3,
    severity: 'major',
    title: 'The loop reads one item too many',
    explanation: `${line?.trim()} reads items[items.length], which is undefined, so every total is NaN.`,
    suggestion: 'Compare with <.',
  };
  const findings = line === undefined ? [] : [finding];
  return done({ verdict: findings.length > 0 ? 'request_changes' : 'approve', summary: 'Adds a total.', findings });
}

function releaseNotes({ request, skill, artifacts, results: [log, written] }: Scene): Decision {
  if (log === undefined) return run(request, "git log --no-merges --reverse --format='%h %s' v1.0.0..HEAD");
  const commits = [...log.matchAll(/^([0-9a-f]{7,}) (.*)$/gm)].map(([, hash, subject]) => ({
    hash: hash!,
    subject: subject!,
  }));
  const isAttended = skill.includes('A person answers your questions');
  const asked = request.turns.findLastIndex(
    (turn) => turn.role === 'assistant' && turn.texts.join('').includes(QUESTION),
  );
  const answer = asked < 0 ? null : (lastPrompt(request.turns.slice(asked + 1))?.trim() ?? null);
  if (isAttended && answer === null) {
    const list = commits.map(({ subject }, index) => `${index + 1}. ${subject}`);
    return say(`${list.join('\n')}\n\n${QUESTION}`);
  }
  const highlight = answer ?? commits[0]!.subject;
  if (written === undefined) {
    const notes = [`# 1.1.0`, '', highlight, '', '## New', ...commits.map(({ subject }) => `- ${subject}`)];
    return run(request, `cat > '${artifacts}/RELEASE_NOTES.md' <<'END'\n${notes.join('\n')}\nEND\necho written`);
  }
  const entries = commits.map(({ hash, subject }) => ({ kind: 'new', text: subject, commits: [hash] }));
  return done({ version: '1.1.0', highlight, entries });
}

function extractTable({ request, artifacts, folder, results: [documents, written] }: Scene): Decision {
  if (documents === undefined) return run(request, 'cat invoices/*.txt');
  if (written === undefined) {
    const found = [...documents.matchAll(/^Invoice (\S+)\nTotal: ([\d.]+)$/gm)];
    const table = {
      columns: [
        { name: 'number', type: 'text' },
        { name: 'total', type: 'number' },
      ],
      rows: found.map(([, number, total]) => [number, Number(total)]),
      sources: found.map(([, number]) => ({ document: `invoices/${number}.txt`, place: 'line 1' })),
    };
    const json = JSON.stringify(table, null, 2);
    const command = `cat > '${artifacts}/table.json' <<'END'\n${json}\nEND\nnode '${folder}/scripts/write-csv.mjs' '${artifacts}/table.json'`;
    return run(request, command);
  }
  return say(
    `The table has ${/(\d+) rows/.exec(written)?.[1]} rows from 2 documents.\n\n\`\`\`json\n{${DONE_MARKER}}\n\`\`\``,
  );
}

function done(result: object): Decision {
  return say(JSON.stringify({ ...result, [DONE_KEY]: true }, null, 2));
}

function say(text: string): Decision {
  return { kind: 'answer', answer: sayText(text), fault: 'none' };
}

function run(request: ModelRequest, command: string): Decision {
  const toolCall = shellCall(request, command);
  if (!toolCall) return say('There is no shell.');
  return { kind: 'answer', answer: { reasoning: '', text: '', toolCall, tokens: TOKENS }, fault: 'none' };
}

/** A repository for all three: a tag, a change with a defect, and invoices. */
export function writeExampleProject(folder: string): void {
  const git = (...words: string[]) => {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', '-c', 'commit.gpgsign=false'];
    const { status, stderr } = spawnSync('git', [...identity, ...words], { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };
  writeFiles(folder, {
    'README.md': '# Shop\n',
    'invoices/A-1.txt': 'Invoice A-1\nTotal: 12.50\n',
    'invoices/A-2.txt': 'Invoice A-2\nTotal: 7\n',
  });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'Begin');
  git('tag', 'v1.0.0');
  writeFiles(folder, {
    'total.js':
      'export function total(items) {\n  let sum = 0;\n  for (let at = 0; at <= items.length; at++) sum += items[at];\n  return sum;\n}\n',
  });
  git('add', '.');
  git('commit', '-qm', 'Add the total of an order');
}
