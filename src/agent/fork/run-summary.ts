import type { AgentEvent, AgentEventType, ApprovalDecision, PolicyDecision, Usage } from '../../protocol/index.ts';

export interface CallSummary {
  call_id: string;
  name: string;
  /** As in the log. */
  arguments: unknown;
  verdict: PolicyDecision | null;
  approval: ApprovalDecision | null;
  /** Null while there is none. */
  result: { ok: boolean; error_kind: string | null; exit_code: number | null; stdout: string; stderr: string } | null;
  /** What it changed, and how. */
  files: { path: string; change: 'added' | 'removed' | 'changed' }[];
}

/** A request to the model and what came of it. */
export interface StepSummary {
  step: number;
  /** What was said to the model since the step before. */
  messages: string[];
  text: string;
  calls: CallSummary[];
  usage: Usage | null;
}

export interface RunSummary {
  run_id: string;
  model: string;
  policy_digest: string;
  events: number;
  /** Type of the event that ended it, with its reason or text; null if it has not ended. */
  end: { type: AgentEventType; text: string } | null;
  usage: Usage;
  cost_usd: number | null;
  steps: Map<number, StepSummary>;
}

/** What a run did, step by step. */
export class RunSummaryBuilder {
  readonly #steps = new Map<number, StepSummary>();
  readonly #open = new Map<string, CallSummary>();
  #messages: string[] = [];
  #step = 0;
  readonly #run: Omit<RunSummary, 'steps'> = {
    run_id: '',
    model: '',
    policy_digest: '',
    events: 0,
    end: null,
    usage: {},
    cost_usd: null,
  };

  push(event: AgentEvent): void {
    this.#run.events++;
    this.#run.run_id = event.run_id;
    switch (event.type) {
      case 'run_started':
      case 'run_resumed':
        this.#run.model = event.data.model;
        this.#run.policy_digest = event.data.policy_digest;
        return;
      case 'user_message':
      case 'history_message':
        this.#messages.push(event.data.text);
        return;
      case 'prompt_compiled':
        this.#step = event.data.step;
        // A step that was interrupted begins anew, with the messages it had.
        this.#stepAt(this.#step).messages.push(...this.#messages);
        this.#messages = [];
        return;
      case 'llm_response_completed':
        this.#takeResponse(event.data);
        return;
      case 'tool_call_requested': {
        const call = this.#open.get(event.data.call_id);
        if (call)
          Object.assign(call, { arguments: event.data.arguments, verdict: event.data.verdict?.decision ?? null });
        return;
      }
      case 'approval_requested':
        this.#approvals.set(event.data.approval_id, event.data.call_id);
        return;
      case 'approval_decided': {
        const call = this.#open.get(this.#approvals.get(event.data.approval_id) ?? '');
        if (call) call.approval = event.data.decision;
        return;
      }
      case 'tool_call_finished':
        this.#takeResult(event.data);
        return;
      case 'run_completed':
      case 'run_failed':
      case 'run_cancelled':
        this.#run.end = { type: event.type, text: endText(event) };
        this.#run.usage = event.data.usage;
        this.#run.cost_usd = event.data.cost_usd;
    }
  }

  readonly #approvals = new Map<string, string>();

  summary(): RunSummary {
    return { ...this.#run, steps: this.#steps };
  }

  #takeResponse({ step, parts, usage }: Extract<AgentEvent, { type: 'llm_response_completed' }>['data']): void {
    const summary = this.#stepAt(step);
    summary.usage = usage;
    summary.text = parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('');
    this.#open.clear();
    summary.calls = parts.flatMap((part) => {
      if (part.type !== 'tool_call') return [];
      const { call_id, name, arguments: given } = part;
      const call: CallSummary = {
        call_id,
        name,
        arguments: given,
        verdict: null,
        approval: null,
        result: null,
        files: [],
      };
      this.#open.set(call_id, call);
      return call;
    });
  }

  #takeResult({ call_id, result, files = [] }: Extract<AgentEvent, { type: 'tool_call_finished' }>['data']): void {
    const call = this.#open.get(call_id);
    if (!call) return;
    const { ok, error_kind, exit_code, stdout, stderr } = result;
    call.result = { ok, error_kind, exit_code, stdout, stderr };
    call.files = files.map(({ path, before, after, before_lost, after_lost }) => {
      if (before === null && before_lost === undefined) return { path, change: 'added' };
      return { path, change: after === null && after_lost === undefined ? 'removed' : 'changed' };
    });
  }

  #stepAt(step: number): StepSummary {
    const known = this.#steps.get(step);
    if (known) return known;
    const made: StepSummary = { step, messages: [], text: '', calls: [], usage: null };
    this.#steps.set(step, made);
    return made;
  }
}

function endText(event: AgentEvent<'run_completed' | 'run_failed' | 'run_cancelled'>): string {
  switch (event.type) {
    case 'run_completed':
      return event.data.text;
    case 'run_failed':
      return `${event.data.reason}: ${event.data.message}`;
    case 'run_cancelled':
      return event.data.reason;
  }
}
