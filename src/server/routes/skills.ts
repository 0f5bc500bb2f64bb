import { mentionOf, skillAnswerSchema, skillsAnswerSchema } from '../../protocol/index.ts';
import type { SkillLibrary, SkillMetadata } from '../../skills/index.ts';
import { answers } from '../answers.ts';
import { skillParams, skillsQuery } from '../schemas.ts';
import type { RouteApp, Service } from '../service.ts';

/** The skills of the configuration, of the user, and of the folder that the server was started in. */
export function skillRoutes(app: RouteApp, service: Service): void {
  let opened: Promise<SkillLibrary> | null = null;
  const library = () => {
    opened ??= openLibrary(service);
    return opened;
  };
  app.addHook('onClose', async () => {
    // Whatever kept it from being opened was the answer to a request.
    await opened?.then(
      (skills) => skills.close(),
      () => {},
    );
  });

  app.route({
    method: 'GET',
    url: '/v1/skills',
    config: { scope: 'read' },
    schema: {
      summary: 'Lists skills by namespace and name, and what is wrong with others.',
      querystring: skillsQuery,
      response: answers(200, skillsAnswerSchema),
    },
    handler: async ({ query: { q = '', cursor, limit, refresh } }) => {
      const skills = await library();
      const { skills: found, problems } = await (refresh === '1' ? skills.scan() : skills.current());
      const fitting = [...found].filter(([, skill]) => fits(skill, q)).sort(([one], [other]) => (one < other ? -1 : 1));
      const rest = cursor === undefined ? fitting : fitting.filter(([mention]) => mention > cursor);
      const page = rest.slice(0, limit).map(([, skill]) => shown(skill));
      const next_cursor = rest.length > limit ? mentionOf(page.at(-1)!) : null;
      return { skills: page, next_cursor, total: fitting.length, problems: [...problems] };
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/skills/:name',
    config: { scope: 'read' },
    schema: {
      summary: 'One skill with its text, files, manifest and schemas, and what a check finds.',
      params: skillParams,
      response: answers(200, skillAnswerSchema),
    },
    handler: async ({ params: { name } }) => {
      const skills = await library();
      const { describeFiles } = await import('../../skills/index.ts');
      const skill = await skills.find(name);
      const body = await skills.readBody(skill);
      const { files, skill: found, problems } = await skills.checkPackage(skill);
      return { ...shown(skill), ...describeFiles(files), schemas: found?.schemas ?? {}, problems, body };
    },
  });
}

/** Loaded with the first request, because most servers get none. */
async function openLibrary({ context: { config, home, env } }: Service): Promise<SkillLibrary> {
  const { openLocalSkills } = await import('../../skills/index.ts');
  const skills = openLocalSkills({
    settings: config.skills,
    workspaceRoot: process.cwd(),
    dataFolder: home.root,
    env,
  });
  // With `skills.refresh: manual` nothing else would ask the sources.
  await skills.scan();
  return skills;
}

function shown(skill: SkillMetadata) {
  return { ...skill, required_env_vars: [...skill.required_env_vars] };
}

/** Whether each of the words is in its names or its description. */
function fits({ namespace, name, description }: SkillMetadata, words: string): boolean {
  const text = `${namespace} ${name} ${description}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
