import { answersText } from '../../protocol/agent/answers.ts';
import { type AskedQuestion, kindOfQuestions } from '../../protocol/index.ts';
import type { Drafter } from '../drafter.ts';
import { fieldOf, isObject, type JsonObject, listOf, taken, textOf } from '../json-value.ts';
import { RecentMap } from '../recent-map.ts';
import type { Unit } from '../unit.ts';
import type { LoggedRun } from './runs.ts';

type ReadInteraction = (type: string, data: JsonObject, run: LoggedRun, unit: Unit) => boolean;

/** Approvals and questions; false if a line lacks what makes it one. */
export function createInteractionReader(draft: Drafter): ReadInteraction {
  const asked = new RecentMap<string, AskedQuestion[]>();

  function requested(data: JsonObject, run: LoggedRun, unit: Unit): boolean {
    const { approval_id: id, summary, ...rest } = data;
    const approval_id = textOf(id);
    const text = textOf(summary);
    if (approval_id === null || text === null) return false;
    const { tool, actions, arguments: given, reason, suggested_rule, digest } = rest;
    const details = taken({ tool, actions, arguments: given, reason, suggested_rule, digest });
    // Nested too deeply: a person cannot judge it, and the log itself has it.
    const shown = isObject(details) ? withoutUndefined(details) : {};
    const agent = run.workspace === null ? {} : { agent: { workspace: run.workspace, run_id: run.id } };
    const call_id = run.calls.get(textOf(data.call_id) ?? '');
    const correlation = { interaction_id: approval_id, ...(call_id === undefined ? {} : { call_id }) };
    draft.event(
      'interaction.approval.requested',
      { approval_id, summary: text, ...shown, ...agent },
      unit,
      run.about(correlation),
    );
    return true;
  }

  function decided(data: JsonObject, run: LoggedRun, unit: Unit): boolean {
    const approval_id = textOf(data.approval_id);
    const decision = textOf(data.decision);
    if (approval_id === null || decision === null) return false;
    const { reason, by, rule, digest } = data;
    const told = Object.entries({ reason, by, rule: taken(rule), digest }).filter(([, fact]) => fact != null);
    draft.event(
      'interaction.approval.decided',
      { approval_id, decision, ...Object.fromEntries(told) },
      unit,
      run.about({ interaction_id: approval_id }),
    );
    return true;
  }

  function question(data: JsonObject, run: LoggedRun, unit: Unit): boolean {
    const question_id = textOf(data.question_id);
    const questions = questionsOf(data.questions);
    if (question_id === null || questions.length === 0) return false;
    asked.set(question_id, questions);
    const interaction_id = draft.attemptId(question_id);
    const agent = run.workspace === null ? null : { workspace: run.workspace, run_id: run.id, question_id };
    draft.event(
      'interaction.user_input.required',
      {
        interaction_id,
        kind: kindOfQuestions(questions),
        prompt: questions.map(({ text }) => text).join('\n'),
        questions,
        ...(agent === null ? {} : { agent }),
      },
      unit,
      run.about({ interaction_id }),
    );
    return true;
  }

  /** One that was asked in an earlier attempt was answered by the reply that began this one. */
  function answered(data: JsonObject, run: LoggedRun, unit: Unit): boolean {
    const question_id = textOf(data.question_id);
    const answers = answersOf(data.answers);
    if (question_id === null || answers === null) return false;
    const questions = asked.get(question_id);
    asked.delete(question_id);
    if (!questions) {
      draft.phase('question_answered', unit);
      return true;
    }
    const interaction_id = draft.attemptId(question_id);
    const reply = { interaction_id, text: answersText(answers, questions), answers, source: 'reply' };
    draft.event('interaction.reply.accepted', reply, unit, run.about({ interaction_id }));
    return true;
  }

  return (type, data, run, unit) => {
    switch (type) {
      case 'approval_requested':
        return requested(data, run, unit);
      case 'approval_decided':
        return decided(data, run, unit);
      case 'question_asked':
        return question(data, run, unit);
      default:
        return answered(data, run, unit);
    }
  };
}

function questionsOf(value: unknown): AskedQuestion[] {
  return listOf(value).flatMap((one) => {
    const [id, text] = [textOf(fieldOf(one, 'id')), textOf(fieldOf(one, 'text'))];
    if (id === null || text === null) return [];
    const choices = listOf(fieldOf(one, 'choices')).flatMap((choice) => {
      const chosen = textOf(fieldOf(choice, 'value'));
      return chosen === null ? [] : [{ value: chosen, description: textOf(fieldOf(choice, 'description')) }];
    });
    return [{ id, text, choices, allow_other: fieldOf(one, 'allow_other') === true }];
  });
}

function answersOf(value: unknown): Record<string, string> | null {
  if (!isObject(value)) return null;
  const texts = Object.entries(value).filter((entry): entry is [string, string] => textOf(entry[1]) !== null);
  return Object.fromEntries(texts);
}

function withoutUndefined(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
