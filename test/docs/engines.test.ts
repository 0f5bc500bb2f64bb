import { test } from 'vitest';
import { type EngineProfile, listEngines, type Word } from '../../src/engines/index.ts';
import { expectGenerated, markdownTable } from './page.ts';

test('the table of engines matches the profiles', () => {
  const rows = listEngines().map(
    ({ name, title, install, own, gone, testedVersions, formats, capabilities, start }) => [
      `\`${name}\``,
      title,
      install
        ? `\`${install.package}\`${install.needsNode ? `, Node ${install.needsNode}` : ''}`
        : own
          ? 'tacho’s own'
          : gone
            ? 'gone'
            : '–',
      testedVersions.join(', ') || '–',
      formats ? code(formats) : 'one',
      yesOrNo(capabilities.resume),
      yesOrNo(capabilities.usage),
      yesOrNo(capabilities.deltas),
      `\`${promptWords(start)}\``,
    ],
  );
  const head = ['engine', 'is', 'package', 'tested', 'formats', 'resume', 'usage', 'deltas', 'prompt goes as'];
  expectGenerated('docs/engines.md', 'engines', markdownTable(head, rows));
});

test('the table of variables matches the profiles', () => {
  const rows = listEngines().map(({ name, environment: { take, set, withBaseUrl }, placeholderKey }) => [
    `\`${name}\``,
    code(take),
    code(Object.keys(set)),
    code(placeholderKey === null ? [] : [placeholderKey]),
    code(Object.keys(withBaseUrl)),
  ]);
  const head = ['engine', 'taken from you', 'set', 'key for `--base-url`', 'set with `--base-url`'];
  expectGenerated('docs/engines.md', 'engine-variables', markdownTable(head, rows));
});

test('the table of the managed home matches the profiles', () => {
  const rows = listEngines().map(({ name, files, credentialFiles, skillFolders }) => [
    `\`${name}\``,
    files.map(({ path, when }) => `\`${path}\`${when === 'base_url' ? ' with `--base-url`' : ''}`).join(', ') || '–',
    code(credentialFiles),
    code(skillFolders.project),
  ]);
  const head = ['engine', 'settings and trust', 'copied by `--auth-from-home`', 'looks for skills of a project in'];
  expectGenerated('docs/engines.md', 'engine-home', markdownTable(head, rows));
});

test('the table of sign-ins matches the profiles', () => {
  const rows = listEngines().flatMap(({ name, signIn }) => {
    if (signIn === null) return [];
    const login = signIn.login === null ? '–' : `\`${[name, ...signIn.login].join(' ')}\``;
    return [[`\`${name}\``, code(signIn.variables), code(signIn.files), login, yesOrNo(signIn.required)]];
  });
  const head = ['engine', 'variables', 'files of the managed home', 'own sign-in', 'required'];
  expectGenerated('docs/engines.md', 'engine-sign-in', markdownTable(head, rows));
});

test('the table of phases matches the profiles', () => {
  const rows = listEngines().map(({ name, signals: { started, terminal, failed } }) => [
    `\`${name}\``,
    code(started),
    code(terminal),
    code(failed),
  ]);
  const head = ['engine', 'works (again)', 'terminal signal', 'failure'];
  expectGenerated('docs/completion.md', 'phases', markdownTable(head, rows));
});

/** The argument with the prompt, and the option before it if they are separate. */
function promptWords(start: EngineProfile['start']): string {
  const words = start.flatMap((word) => textsOf(word));
  const at = words.findIndex((word) => word.includes('{prompt}'));
  const alone = words[at]!.trim() === '{prompt}';
  return `${alone ? `${words[at - 1]} ` : ''}${words[at]}`.replace('{prompt}', '…');
}

function textsOf(word: Word): readonly string[] {
  if (typeof word === 'string') return [word];
  return 'words' in word ? word.words : [];
}

function code(names: readonly string[]): string {
  return names.length === 0 ? '–' : names.map((name) => `\`${name}\``).join(', ');
}

function yesOrNo(able: boolean): string {
  return able ? 'yes' : 'no';
}
