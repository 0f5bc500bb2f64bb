import type { AgentEvent, SourceTools, ToolResult } from '../../protocol/index.ts';
import type { RunAgentOptions } from '../commands/agent.ts';
import { formatDuration, printable } from '../output/format.ts';
import { paint } from '../output/paint.ts';

const MAX_LINE = 160;
const MAX_PROBLEM = 400;

/** Shows on stderr what an agent does: its words, its calls and what came of them. The answer itself goes to stdout. */
export class EventLines {
  readonly #isQuiet: boolean;
  #inText = false;
  readonly #shown = new Set<string>();
  readonly #waiting = new Map<string, () => void>();

  constructor({ quiet = false }: Pick<RunAgentOptions, 'quiet'>) {
    this.#isQuiet = quiet;
  }

  /** Resolves when the request is on the screen: a prompt must not come before what led to it. */
  untilShown(requestId: string): Promise<void> {
    if (this.#shown.has(requestId)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.set(requestId, resolve));
  }

  show(event: AgentEvent): void {
    this.#print(event);
    this.skip(event);
  }

  /** For an event that was shown before, by another process. */
  skip(event: AgentEvent): void {
    const id = requestOf(event);
    if (id === null) return;
    this.#shown.add(id);
    this.#waiting.get(id)?.();
  }

  #print(event: AgentEvent): void {
    if (this.#isQuiet) return;
    switch (event.type) {
      case 'llm_response_delta':
        if (event.data.kind === 'text') this.#text(event.data.text);
        return;
      case 'llm_response_completed':
        this.#endText();
        return;
      case 'tool_call_requested':
        this.#line(`${paint.cyan('→')} ${event.data.name} ${paint.dim(shortJson(event.data.arguments))}`);
        return;
      case 'tool_call_finished':
        this.#line(`  ${outcome(event.data.result)}`);
        return;
      case 'llm_request_failed': {
        const { error, retry } = event.data;
        const next = retry ? `; trying again in ${formatDuration(retry.delay_ms)}` : '';
        this.#line(paint.yellow(`! ${oneLine(error.message)}${next}`));
        return;
      }
      case 'history_compacted':
        this.#line(paint.dim(`(${event.data.dropped_messages} messages replaced by a summary)`));
        return;
      case 'run_started':
        this.#warnOfSources(event.data.sources);
        return;
      case 'run_resumed':
        this.#warnOfSources(event.data.sources);
        if (event.data.changed_outside.length > 0)
          this.#line(
            paint.yellow(
              `! changed meanwhile: ${event.data.changed_outside.map((name) => printable(name)).join(', ')}`,
            ),
          );
        return;
      case 'budget_exhausted':
      case 'guard_tripped':
        this.#line(paint.yellow(`! ${event.type.replaceAll('_', ' ')}`));
        return;
      default:
        return;
    }
  }

  /** One line for each source of tools that is not as it should be. */
  #warnOfSources(sources: readonly SourceTools[] = []): void {
    for (const { name, tools, problem } of sources) {
      if (problem === undefined) continue;
      const what = tools.length === 0 ? 'no tools' : 'not all tools';
      this.#line(paint.yellow(`! ${printable(name)}: ${what}: ${oneLine(problem, MAX_PROBLEM)}`));
    }
  }

  #text(text: string): void {
    this.#inText = true;
    process.stderr.write(paint.dim(printable(text)));
  }

  #endText(): void {
    if (this.#inText) process.stderr.write('\n');
    this.#inText = false;
  }

  #line(text: string): void {
    this.#endText();
    process.stderr.write(`${text}\n`);
  }
}

function requestOf({ type, data }: AgentEvent): string | null {
  if (type === 'approval_requested') return data.approval_id;
  return type === 'question_asked' ? data.question_id : null;
}

function outcome({ ok, stdout, stderr, duration_ms, error_kind, exit_code }: ToolResult): string {
  const time = duration_ms >= 100 ? paint.dim(` ${formatDuration(duration_ms)}`) : '';
  if (ok) return `${paint.green('ok')}${time} ${paint.dim(oneLine(stdout))}`;
  const what = error_kind === 'exit_code' ? `exit code ${exit_code}` : error_kind;
  return `${paint.red(`${what}`)}${time} ${paint.dim(oneLine(stderr || stdout))}`;
}

/** Contents that are not logged appear as their digests, which say nothing to a person. */
function shortJson(value: unknown): string {
  return oneLine((JSON.stringify(value) ?? '').replaceAll(/"[0-9a-f]{64}"/g, '"…"'));
}

function oneLine(text: string, max = MAX_LINE): string {
  const line = printable(
    text
      .slice(0, 4 * max)
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}
