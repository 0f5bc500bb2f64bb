import { formatSource, type LoadedConfig, promptText } from '../../config/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { PromptPiece } from '../prompt/pieces.ts';
import { TEMPLATE_NAMES } from '../prompt/templates.ts';
import type { PromptSettings } from './agent-settings.ts';

/** The texts of the configuration, each with the place that set it. */
export function promptSettings(loaded: LoadedConfig): PromptSettings {
  const { prompt } = loaded.config;
  checkTemplate(loaded);
  const developer = prompt.developer === '' ? [] : [piece(loaded, 'prompt.developer', prompt.developer)];
  const rules = pieceOfFile(loaded, 'prompt.developer_file');
  return {
    template: prompt.system_template,
    system: pieceOfFile(loaded, 'prompt.system_file'),
    developer: rules === null ? developer : [...developer, rules],
  };
}

function pieceOfFile(loaded: LoadedConfig, key: 'prompt.system_file' | 'prompt.developer_file'): PromptPiece | null {
  const file = loaded.promptFiles.find((one) => one.key === key);
  return file === undefined ? null : piece(loaded, key, promptText(file));
}

function piece(loaded: LoadedConfig, key: string, text: string): PromptPiece {
  return { text, source: `config:${key} ← ${formatSource(loaded.origin(key).source)}` };
}

function checkTemplate({ config, origin }: LoadedConfig): void {
  const template = config.prompt.system_template;
  if ((TEMPLATE_NAMES as string[]).includes(template)) return;
  const source = formatSource(origin('prompt.system_template').source);
  throw new TachoError('CONFIG_INVALID', `${source}: prompt.system_template: there is no template "${template}"`, {
    facts: { path: 'prompt.system_template', known: TEMPLATE_NAMES },
    fix: `Use one of ${TEMPLATE_NAMES.join(', ')}, or a file of your own: tacho config set prompt.system_file <path>`,
  });
}
