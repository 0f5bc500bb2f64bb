import type { RunChange, RunView } from '../../../src/protocol/index.ts';
import type { Director } from '../../../src/runs/index.ts';

type Act = Exclude<keyof Director, 'subscribe' | 'stats' | 'close'>;

export interface MemoryDirector extends Director {
  /** The calls, in order. */
  calls: [act: string, ...unknown[]][];
  /** The next answers; an Error is thrown. */
  answer: Partial<Record<Act, unknown>>;
  tell(change: RunChange): void;
}

/** A director that does nothing: it notes its calls and returns prepared answers. */
export function memoryDirector(): MemoryDirector {
  const listeners = new Set<(change: RunChange) => void>();
  const calls: MemoryDirector['calls'] = [];
  const answer: MemoryDirector['answer'] = {};
  const act =
    (name: Act) =>
    async (...given: unknown[]): Promise<never> => {
      calls.push([name, ...given]);
      if (answer[name] instanceof Error) throw answer[name];
      return answer[name] as never;
    };
  return {
    calls,
    answer,
    tell: (change) => {
      for (const listener of listeners) listener(change);
    },
    create: act('create'),
    createOnce: act('createOnce'),
    get: act('get'),
    list: act('list'),
    reply: act('reply'),
    cancel: act('cancel'),
    input: act('input'),
    resize: act('resize'),
    remove: act('remove'),
    approvals: act('approvals'),
    decide: act('decide'),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stats: () => ({ slots: 2, queued: 3, running: 1, byStatus: { queued: 3, running: 1 } }),
    close: async () => {},
  };
}

export function someRun(changes: Partial<RunView> = {}): RunView {
  return {
    run_id: '20261115T080000-text-0123abcd',
    handle: '0123abcd',
    engine: 'text',
    status: 'running',
    mode: 'auto',
    attempt: 1,
    prompt: null,
    command: ['true'],
    cwd: '/',
    session_id: null,
    created_at: '2026-11-15T08:00:00.000Z',
    updated_at: '2026-11-15T08:00:00.000Z',
    priority: 0,
    queue_position: null,
    question: null,
    last: null,
    usage: null,
    head_seq: 1,
    ...changes,
  };
}
