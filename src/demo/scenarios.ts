import { type Answer, sayText, type ToolCall } from './answer.ts';
import type { Fault } from './faults.ts';
import { lastPrompt, type ModelRequest, toolResultsSincePrompt } from './model-request.ts';
import { skillTaskOf } from './skill-task.ts';
import { shellCall, writeCall } from './tool-choice.ts';
import { TOKENS, tokensOfCachedCall } from './wire/usage.ts';
import * as wording from './wording.ts';

/** How the server reacts to one request of the task. */
export type Decision =
  | { kind: 'answer'; answer: Answer; fault: Fault }
  | { kind: 'refuse'; status: 400 | 401 | 429 | 500 }
  | { kind: 'silence' };

type Reply = Extract<Decision, { kind: 'answer' }>;

/** State between the requests of one scenario key; everything else is read from the conversation itself. */
export interface ScenarioMemory {
  /** Number of requests still to be refused as too many. */
  refusalsLeft: number;
  /** Number of calls that were billed with cached input. */
  cachedCalls: number;
}

interface Scenario {
  meaning: string;
  /** Whether it applies to every request, including side requests. */
  always?: true;
  decide(request: ModelRequest, memory: ScenarioMemory): Decision;
}

const STEPS = 10;
const LONG_LENGTH = 200_000;
const SLOW_LINES = 20;

const TABLE = {
  text: {
    meaning: 'A plain reply without a done marker.',
    decide: () => say(wording.PLAIN),
  },
  tool: {
    meaning: 'One shell command, then a reply with the done marker.',
    decide: (request) =>
      toolResultsSincePrompt(request.turns) > 0
        ? say(wording.DONE)
        : callTool(request, shellCall(request, wording.COMMAND), wording.BEFORE_COMMAND),
  },
  write: {
    meaning: "One file, written with the agent's own tool, then a reply with the done marker.",
    decide: (request) =>
      toolResultsSincePrompt(request.turns) > 0
        ? say(wording.DONE)
        : callTool(
            request,
            writeCall(request, wording.FILE) ?? shellCall(request, wording.COMMAND),
            wording.BEFORE_WRITE,
          ),
  },
  done: {
    meaning: 'A reply with the done marker at once.',
    decide: () => say(wording.DONE),
  },
  lower: {
    meaning: 'A reply with the done marker in lower case, as old skills write it.',
    decide: () => say(wording.DONE_IN_LOWER_CASE),
  },
  ask: {
    meaning: 'A question; after the answer, a reply that repeats it, with the done marker.',
    decide: decideAsk,
  },
  skill: {
    meaning: 'Reads the skill that the prompt names, then follows its contract: a report, the result, the done marker.',
    decide: decideSkill,
  },
  many: {
    meaning: 'Ten shell commands one after the other, then a reply with the done marker.',
    decide: (request) => {
      const step = toolResultsSincePrompt(request.turns) + 1;
      if (step > STEPS) return say(wording.DONE);
      const call = shellCall(request, wording.stepCommand(step, STEPS));
      return callTool(request, call, wording.beforeStep(step, STEPS));
    },
  },
  'marker-in-tool': {
    meaning: 'A shell command that prints the done marker, then a reply without it.',
    decide: (request) =>
      toolResultsSincePrompt(request.turns) > 0
        ? say(wording.WITHOUT_MARKER)
        : callTool(request, shellCall(request, wording.COMMAND_PRINTING_MARKER), wording.BEFORE_COMMAND),
  },
  cached: {
    meaning:
      'One shell command, then a reply without a done marker; most input is read from a cache, more with each call.',
    decide: (request, memory) => {
      const decision =
        toolResultsSincePrompt(request.turns) > 0
          ? say(wording.PLAIN)
          : callTool(request, shellCall(request, wording.COMMAND), wording.BEFORE_COMMAND);
      const tokens = tokensOfCachedCall(++memory.cachedCalls);
      return { ...decision, answer: { ...decision.answer, tokens } };
    },
  },
  long: {
    meaning: 'A reply of about 200 kB.',
    decide: () => say(wording.longText(LONG_LENGTH)),
  },
  empty: {
    meaning: 'A reply with no text at all.',
    decide: () => ({ kind: 'answer', answer: sayText(''), fault: 'none' }),
  },
  slow: {
    meaning: 'A reply that comes in small parts with pauses between them.',
    decide: () => ({ ...say(wording.countTo(SLOW_LINES)), fault: 'slow' }),
  },
  r429: {
    meaning: 'The first request fails with 429, the next gets a reply with the done marker.',
    decide: (_request, memory) => {
      if (memory.refusalsLeft === 0) return say(wording.DONE);
      memory.refusalsLeft--;
      return { kind: 'refuse', status: 429 };
    },
  },
  e400: {
    meaning: 'Every request fails with 400.',
    always: true,
    decide: () => ({ kind: 'refuse', status: 400 }),
  },
  e401: {
    meaning: 'Every request fails with 401.',
    always: true,
    decide: () => ({ kind: 'refuse', status: 401 }),
  },
  e500: { meaning: 'Every request fails with 500.', always: true, decide: () => ({ kind: 'refuse', status: 500 }) },
  hang: {
    meaning: 'The request is accepted and never answered.',
    always: true,
    decide: () => ({ kind: 'silence' }),
  },
  cut: {
    meaning: 'The connection closes in the middle of the reply.',
    decide: () => ({ ...say(wording.PLAIN), fault: 'cut' }),
  },
  malformed: {
    meaning: 'The reply ends in broken JSON with wrong framing.',
    decide: () => ({ ...say(wording.PLAIN), fault: 'malformed' }),
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof TABLE;

/** Every scenario with a one-sentence description. */
export const SCENARIOS: readonly { name: ScenarioName; meaning: string }[] = Object.entries(TABLE).map(
  ([name, { meaning }]) => ({ name: name as ScenarioName, meaning }),
);

export function isScenario(name: string): name is ScenarioName {
  return Object.hasOwn(TABLE, name);
}

export function scenario(name: ScenarioName): Scenario {
  return TABLE[name];
}

function decideAsk({ turns }: ModelRequest): Decision {
  const asked = turns.findLastIndex(
    ({ role, texts }) => role === 'assistant' && texts.join('').includes(wording.QUESTION),
  );
  const answer = asked < 0 ? null : lastPrompt(turns.slice(asked + 1));
  return say(answer === null ? wording.QUESTION : wording.answered(answer));
}

/** The done marker and the result only if the request holds the contract, which asks for them. */
function decideSkill(request: ModelRequest): Decision {
  const { file, artifacts } = skillTaskOf(request);
  const done = toolResultsSincePrompt(request.turns);
  if (artifacts === null) {
    if (file === null || done > 0) return say(wording.WITHOUT_SKILL);
    return callTool(request, shellCall(request, `cat '${file}'`), wording.BEFORE_SKILL);
  }
  // An earlier turn of the session may have written one too.
  const results = done === 0 ? [] : request.turns.filter(({ role }) => role === 'tool').slice(-done);
  const isWritten = results.some(({ texts }) => texts.join().includes(wording.WRITTEN));
  if (isWritten) return say(wording.SKILL_RESULT);
  return callTool(request, shellCall(request, wording.reportCommand(artifacts)), wording.BEFORE_WRITE);
}

function say(text: string): Reply {
  return { kind: 'answer', answer: sayText(text, wording.REASONING), fault: 'none' };
}

function callTool({ tools }: ModelRequest, toolCall: ToolCall | null, text: string): Reply {
  if (!toolCall) return say(wording.noTool(tools.map(({ name }) => name)));
  return { kind: 'answer', answer: { reasoning: wording.REASONING, text, toolCall, tokens: TOKENS }, fault: 'none' };
}
