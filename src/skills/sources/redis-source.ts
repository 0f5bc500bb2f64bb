import type { ChainableCommander, Redis } from 'ioredis';
import type { SkillReference } from '../mention.ts';
import { MAX_FRONTMATTER_BYTES, MAX_SKILLS_PER_SOURCE, type SkillMetadata, type SkillProblem } from '../skill.ts';
import type { SkillFiles, SourceRequest, SourceScan } from '../skill-source.ts';
import { bodyTooLarge, bundleMismatch, skillGone } from '../source-errors.ts';
import { checkStored, type StoredSkill, sha256, type WritableSkillSource } from '../stored-skill.ts';
import type { ConnectionString } from './connection-error.ts';
import { RedisConnection } from './redis-connection.ts';
import { addRow, headTooLarge } from './row-metadata.ts';
import { tooManySkills } from './too-many-skills.ts';

export interface RedisSourceOptions {
  dsn: ConnectionString;
  prefix?: string | undefined;
  timeoutMs: number;
}

/** Keys that a SCAN looks at in one step, and thus most skills that are read in one step. */
const PAGE = 1000;

/**
 * Reads a page of hashes in one command: three commands for each skill would take five times as long. Fields without a
 * natural limit are measured before they are read.
 */
const READ_PAGE = `
local limit, answers = tonumber(ARGV[1]), {}
for index, key in ipairs(KEYS) do
  local kind = redis.call('TYPE', key).ok
  if kind == 'none' then
    answers[index] = 'gone'
  elseif kind ~= 'hash' then
    answers[index] = 'not a hash'
  elseif redis.call('HSTRLEN', key, 'description') + redis.call('HSTRLEN', key, 'required_env_vars')
      + redis.call('HSTRLEN', key, 'metadata') > limit then
    answers[index] = 'too large'
  else
    answers[index] = redis.call('HMGET', key, 'description', 'required_env_vars', 'metadata', 'enabled',
      'bundle_sha256', 'bundle_bytes')
  end
end
return answers`;

type PageAnswer = 'gone' | 'not a hash' | 'too large' | (string | null)[];

/**
 * Skills in Redis: a hash `{prefix}meta:{namespace}:{name}`, the text `{prefix}body:{namespace}:{name}` and, if it has
 * files, a zip `{prefix}bundle:{namespace}:{name}`. Connects when it is first used, and again after a failure.
 */
export class RedisSkillSource implements WritableSkillSource {
  readonly id: string;
  readonly #connection: RedisConnection;
  readonly #prefix: string;
  readonly #timeoutMs: number;

  constructor(id: string, options: RedisSourceOptions) {
    this.id = id;
    this.#connection = new RedisConnection(id, options);
    this.#prefix = options.prefix ?? 'skills:';
    this.#timeoutMs = options.timeoutMs;
  }

  scan(namespace: string, { signal }: SourceRequest): Promise<SourceScan> {
    return this.#connection.run(signal, async (client) => {
      const scan: SourceScan = { skills: [], problems: [] };
      const names = new Set<string>();
      let cursor = '0';
      do {
        const [next, keys] = await client.scan(cursor, 'MATCH', this.#pattern(namespace), 'COUNT', PAGE);
        cursor = next;
        // SCAN may return a key several times.
        const fresh = this.#namesOf(keys, namespace).filter((name) => names.size !== names.add(name).size);
        if (names.size > MAX_SKILLS_PER_SOURCE) {
          scan.problems.push(tooManySkills(this.id));
          break;
        }
        await this.#addPage(client, { namespace, names: fresh }, scan);
      } while (cursor !== '0');
      scan.skills.sort((one, other) => (one.name < other.name ? -1 : 1));
      return scan;
    });
  }

  readBody(skill: SkillMetadata, { signal, maxBytes }: SourceRequest & { maxBytes: number }): Promise<string> {
    return this.#connection.run(signal, async (client) => {
      const key = this.#key('body', skill);
      const [bytes, body, enabled] = await answers(
        client.pipeline().strlen(key).getrangeBuffer(key, 0, maxBytes).hget(this.#key('meta', skill), 'enabled'),
      );
      if (isOff(enabled)) throw skillGone(skill);
      const length = Number(bytes);
      if (length > maxBytes) throw bodyTooLarge(skill, { bytes: length, maxBytes });
      if (length === 0 && (await client.exists(key)) === 0) throw skillGone(skill);
      return (body as Buffer).toString('utf8');
    });
  }

  async readFiles(skill: SkillMetadata, { signal }: SourceRequest): Promise<SkillFiles | null> {
    const { bundle } = skill;
    if (bundle === null) return null;
    return await this.#connection.run(signal, async (client) => {
      const key = this.#key('bundle', skill);
      const length = await client.strlen(key);
      if (length !== bundle.bytes) throw bundleMismatch(skill, `they have ${length} bytes instead of ${bundle.bytes}`);
      const bytes = await client.getBuffer(key);
      if (bytes === null || sha256(bytes) !== bundle.sha256) throw bundleMismatch(skill, 'they have another hash');
      return { kind: 'zip', bytes };
    });
  }

  async put(skill: StoredSkill): Promise<void> {
    const { description, required_env_vars, metadata, bundle } = checkStored(skill);
    const now = new Date().toISOString();
    const meta = {
      description,
      required_env_vars: JSON.stringify(required_env_vars),
      metadata: JSON.stringify(metadata),
      enabled: skill.enabled === false ? '0' : '1',
      body_size: String(Buffer.byteLength(skill.body)),
      body_etag: sha256(skill.body),
      updated_at: now,
      ...(bundle ? { bundle_sha256: bundle.sha256, bundle_bytes: String(bundle.bytes) } : {}),
    };
    await this.#connection.run(AbortSignal.timeout(this.#timeoutMs), async (client) => {
      const key = this.#key('meta', skill);
      const created = (await client.hget(key, 'created_at')) ?? now;
      const write = client
        .multi()
        .del(key, this.#key('bundle', skill))
        .hset(key, { ...meta, created_at: created })
        .set(this.#key('body', skill), skill.body);
      if (skill.bundle) write.set(this.#key('bundle', skill), Buffer.from(skill.bundle));
      await answers(write);
    });
  }

  async remove(skill: SkillReference): Promise<void> {
    await this.#connection.run(AbortSignal.timeout(this.#timeoutMs), (client) =>
      client.del(this.#key('meta', skill), this.#key('body', skill), this.#key('bundle', skill)),
    );
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  async #addPage(
    client: Redis,
    page: { namespace: string; names: readonly string[] },
    scan: SourceScan,
  ): Promise<void> {
    const { namespace, names } = page;
    const keys = names.map((name) => this.#key('meta', { namespace, name }));
    const found = keys.length === 0 ? [] : await client.eval(READ_PAGE, keys.length, ...keys, MAX_FRONTMATTER_BYTES);
    for (const [index, answer] of (found as PageAnswer[]).entries()) {
      const location = keys[index]!;
      if (answer === 'too large') scan.problems.push(headTooLarge({ source: this.id, location }));
      else if (answer === 'not a hash') scan.problems.push(notAHash(this.id, location));
      else if (answer !== 'gone') {
        const [description, variables, metadata, enabled, hash, bytes] = answer;
        if (isOff(enabled)) continue;
        const row = {
          name: names[index]!,
          description,
          required_env_vars: fromJson(variables),
          metadata: fromJson(metadata),
          bundle_sha256: hash || null,
          bundle_bytes: bytes ? Number(bytes) : null,
        };
        addRow(scan, row, { source: this.id, namespace, location });
      }
    }
  }

  #key(kind: 'meta' | 'body' | 'bundle', { namespace, name }: SkillReference): string {
    return `${this.#prefix}${kind}:${namespace}:${name}`;
  }

  #pattern(namespace: string): string {
    return `${this.#prefix.replaceAll(/[*?[\]\\^-]/g, '\\$&')}meta:${namespace}:*`;
  }

  /** Without the skills of namespaces inside this one. */
  #namesOf(keys: readonly string[], namespace: string): string[] {
    const start = this.#key('meta', { namespace, name: '' }).length;
    return keys.map((key) => key.slice(start)).filter((name) => !name.includes(':'));
  }
}

async function answers(pipeline: ChainableCommander): Promise<unknown[]> {
  const results = (await pipeline.exec()) ?? [];
  return results.map(([error, value]) => {
    if (error) throw error;
    return value;
  });
}

function notAHash(source: string, location: string): SkillProblem {
  return {
    code: 'SKILL_FIELD_INVALID',
    severity: 'error',
    message: 'its key is not a hash',
    fix: 'Store the skill again.',
    source,
    file: location,
  };
}

function isOff(enabled: unknown): boolean {
  return enabled === '0' || enabled === 'false';
}

/** JSON of a field; what is not JSON stays text, and is then rejected by its name. */
function fromJson(text: string | null | undefined): unknown {
  if (!text) return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
