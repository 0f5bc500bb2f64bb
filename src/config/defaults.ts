import { freezeDeep } from './freeze-deep.ts';
import type { Config } from './schema.ts';

/**
 * The lowest layer. A plain object instead of YAML text: the command line starts often, and parsing 40 lines of YAML
 * would take longer than all other work here. `defaultYaml()` writes it as a file to start from.
 */
export const DEFAULTS: Config = freezeDeep({
  recording: {
    level: 'full',
    capture: 'split',
    ignore: ['node_modules', '.git'],
    gitignore: 'apply',
    snapshot_entries: 200_000,
    snapshot_ms: 2000,
    blob_max_bytes: 16_777_216,
    checkpoint_bytes: 1_048_576,
    checkpoint_ms: 5000,
  },
  journal: {
    fsync: 'interval',
    fsync_interval_ms: 200,
  },
  terminal: {
    cols: 120,
    rows: 40,
    term: 'xterm-256color',
  },
  limits: {
    timeout_ms: null,
    no_progress_timeout_ms: null,
    kill_grace_ms: 3000,
    linger_ms: 1000,
    disk_floor_bytes: 67_108_864,
  },
  engines: {
    folder: '',
    no_progress_timeout_ms: 600_000,
    defined: {},
  },
  service: {
    host: '127.0.0.1',
    port: 7433,
    slots: 0,
    public_url: '',
    allowed_hosts: [],
    queue_limit: 10_000,
  },
  runtime: {
    timeout_ms: 86_400_000,
    max_sessions: 256,
    socket_secret: 'required',
    memory_bytes: null,
    processes: null,
    cpu_percent: null,
    cpu_seconds: null,
    open_files: null,
    file_bytes: null,
    nice: null,
  },
  skills: {
    spaces: [],
    sources: [],
    refresh: 'ttl',
    ttl_ms: 300_000,
    source_timeout_ms: 5000,
    inject: 'mentioned',
    list_max_chars: 16_000,
    body_max_bytes: 262_144,
    inject_max_bytes: 1_048_576,
    layers: ['artifacts', 'completion', 'output', 'mode'],
    texts: {},
  },
  targets: {
    ssh: {},
    container: {},
    single_file: '',
  },
  environment: {
    inherit: [
      'LANG',
      'LC_*',
      'TERM',
      'TZ',
      'SSL_CERT_FILE',
      'SSL_CERT_DIR',
      'HTTP_PROXY',
      'HTTPS_PROXY',
      'NO_PROXY',
      'http_proxy',
      'https_proxy',
      'no_proxy',
      'COLORTERM',
    ],
    pass: [],
    secret_names: ['*KEY', '*TOKEN', '*SECRET', '*PASSWORD', '*PASSWD*', '*CREDENTIAL*'],
  },
});
