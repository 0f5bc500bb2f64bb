import { callOptions, type RequestSettings } from './call-options.ts';
import { ChunkQueue } from './chunk-queue.ts';
import { brokenResponse, toModelFailure } from './failure/to-model-failure.ts';
import type { AgentModel, ModelRequest } from './model.ts';
import { requireModelRequestsAllowed } from './model-requests.ts';
import { type PartReader, partReader } from './part-reader.ts';
import type { PartStream, ProviderModel, StreamPart } from './provider-model.ts';

/** Also the longest silence that Node's `fetch` allows. */
const IDLE_TIMEOUT_MS = 300_000;
/** How long a finished response may take to end, before its connection is closed instead of used again. */
const DRAIN_TIMEOUT_MS = 1000;

export interface Connected {
  model: ProviderModel;
  /** Values that no error may show. */
  secrets: readonly string[];
}

export interface StreamModelSettings extends Omit<RequestSettings, 'providerOptions'> {
  id: string;
  /** Called for every request, before anything is sent. */
  connect(): Connected | Promise<Connected>;
  providerOptions?:
    | RequestSettings['providerOptions']
    | ((request: ModelRequest) => RequestSettings['providerOptions']);
  idleTimeoutMs?: number | undefined;
}

/** A model that asks a provider for every response. */
export function streamModel(settings: StreamModelSettings): AgentModel {
  return {
    id: settings.id,
    async *stream(request, signal) {
      requireModelRequestsAllowed(settings.id);
      signal.throwIfAborted();
      const response = new ModelResponse(settings, request, signal);
      try {
        for (let group = await response.take(); group !== null; group = await response.take()) yield group;
      } finally {
        response.close();
      }
    },
  };
}

/** One request and its connection. */
class ModelResponse {
  readonly #queue = new ChunkQueue();
  readonly #connection = new AbortController();
  readonly #signal: AbortSignal;
  readonly #idle: NodeJS.Timeout;
  #isWaiting = true;
  #isComplete = false;

  constructor(settings: StreamModelSettings, request: ModelRequest, signal: AbortSignal) {
    const { idleTimeoutMs = IDLE_TIMEOUT_MS } = settings;
    this.#signal = signal;
    this.#signal.addEventListener('abort', this.#abort, { once: true });
    this.#idle = setTimeout(() => this.#timeOut(idleTimeoutMs), idleTimeoutMs);
    void this.#run(settings, request);
  }

  take() {
    return this.#queue.take();
  }

  /** A complete response is read to its end, so that the connection can serve the next request. */
  close(): void {
    this.#signal.removeEventListener('abort', this.#abort);
    clearTimeout(this.#idle);
    this.#queue.end();
    if (!this.#isComplete) this.#connection.abort();
  }

  readonly #abort = () => {
    this.#queue.end({ error: this.#signal.reason });
    this.#connection.abort(this.#signal.reason);
  };

  #timeOut(ms: number): void {
    // A reader that is slow is not a service that is silent.
    if (!this.#isWaiting) {
      this.#idle.refresh();
      return;
    }
    this.#queue.end({ error: brokenResponse('timeout', `the model service sent nothing for ${ms / 1000} s`) });
    this.#connection.abort();
  }

  /** Never rejects: whatever goes wrong is what the reader of the queue gets. */
  async #run(settings: StreamModelSettings, request: ModelRequest): Promise<void> {
    let secrets: readonly string[] = Object.values(settings.headers ?? {});
    try {
      const { model, secrets: own } = await settings.connect();
      secrets = [...secrets, ...own];
      if (this.#connection.signal.aborted) return;
      const { providerOptions } = settings;
      const options = callOptions(
        request,
        model,
        {
          ...settings,
          providerOptions: typeof providerOptions === 'function' ? providerOptions(request) : providerOptions,
        },
        this.#connection.signal,
      );
      const { stream } = await model.doStream(options as never);
      await this.#read(stream, partReader());
      this.#queue.end();
    } catch (error) {
      this.#queue.end({ error: toModelFailure(error, { secrets }) });
      this.#connection.abort();
    }
  }

  async #read(stream: PartStream, parts: PartReader): Promise<void> {
    const reader = stream.getReader();
    try {
      // A timer that was cleared would start again.
      while (!this.#isComplete && !this.#connection.signal.aborted) {
        this.#idle.refresh();
        this.#isWaiting = true;
        const { done, value } = await reader.read();
        this.#isWaiting = false;
        if (this.#connection.signal.aborted) break;
        if (done) throw brokenResponse('network', 'the response of the model ended before it was complete');
        const part = value as StreamPart;
        parts.read(part, this.#queue);
        this.#isComplete = part.type === 'finish';
        if (this.#queue.isFull) await this.#queue.room();
      }
    } catch (error) {
      reader.cancel().catch(() => {});
      throw error;
    }
    if (this.#isComplete) void drain(reader, this.#connection);
  }
}

async function drain(reader: ReturnType<PartStream['getReader']>, connection: AbortController): Promise<void> {
  const timer = setTimeout(() => connection.abort(), DRAIN_TIMEOUT_MS);
  try {
    while (!(await reader.read()).done);
  } catch {
    // The response is complete; what happens to the connection afterwards does not matter.
  } finally {
    clearTimeout(timer);
  }
}
