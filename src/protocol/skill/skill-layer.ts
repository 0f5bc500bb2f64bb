/** What tacho adds to the text of the skill of a run, in this order. */
export const SKILL_LAYERS = ['artifacts', 'completion', 'output', 'mode'] as const;

export type SkillLayerName = (typeof SKILL_LAYERS)[number];

/** The texts of the layers. Of a layer with several, the run decides which one applies. */
export const SKILL_TEXTS = {
  artifacts: 'artifacts',
  'completion-object': 'completion',
  'completion-separate': 'completion',
  'output-message': 'output',
  'output-file': 'output',
  'mode-auto': 'mode',
  'mode-interactive': 'mode',
} as const satisfies Record<string, SkillLayerName>;

export type SkillTextName = keyof typeof SKILL_TEXTS;
