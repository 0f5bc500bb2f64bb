import fs from 'node:fs';
import path from 'node:path';
import { DEFAULTS } from '../../../src/config/index.ts';
import { FilesystemSkillSource, MemorySkillSource, SkillLibrary } from '../../../src/skills/index.ts';
import { temporaryFolder } from '../../support/tacho.ts';

const DEPLOY = {
  'SKILL.md': '---\nname: deploy\ndescription: Deploys.\n---\nSECRET BODY\n',
  'scripts/show.sh': 'echo "$#" "$1" "$NAME"; pwd; cat; cat "$(dirname "$0")/data.txt"\n',
  'scripts/data.txt': 'data\n',
  'scripts/run': '#!/bin/sh\necho direct\nexit 4\n',
  'scripts/change.sh': 'echo x >> "$0"\n',
  'scripts/plain': 'echo plain\n',
  'references/api.md': '# API\n€\n',
  'references/image.png': '\x89\0',
};

/** Skills of a folder and of a program, with scripts and references. */
export function skillLibrary(): SkillLibrary {
  const root = temporaryFolder();
  for (const [name, content] of Object.entries(DEPLOY)) {
    const file = path.join(root, 'deploy', name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content, { mode: name === 'scripts/run' ? 0o755 : 0o644 });
  }
  const needy = {
    namespace: 'other',
    name: 'needy',
    description: 'Needs a token.',
    body: '',
    required_env_vars: ['TOKEN'],
    files: { 'run.sh': 'echo "$TOKEN"\n' },
  };
  const same = ['team', 'other'].map((namespace) => ({ namespace, name: 'same', description: 'Same.', body: '' }));
  const memory = new MemorySkillSource('memory', [needy, ...same]);
  return new SkillLibrary({
    spaces: [
      { namespace: 'team', enabled: true, sources: [new FilesystemSkillSource('folder', root), memory] },
      { namespace: 'other', enabled: true, sources: [memory] },
    ],
    settings: DEFAULTS.skills,
  });
}
