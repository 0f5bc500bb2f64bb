import { expect, test } from 'vitest';
import { loadYaml } from './workspace.ts';

const SSH = { host: 'build.example', user: 'ci', host_key: 'ssh-ed25519 AAAA' };

test('targets have names, and defaults for missing values', () => {
  const { targets } = load(`targets:
  ssh:
    build-1: { host: build.example, user: ci, host_key: ssh-ed25519 AAAA, grace_ms: 10m }
  container:
    box: { container: box }
`);
  const common = { program: 'tacho', workspace: '.' };
  expect(targets).toEqual({
    single_file: '',
    ssh: { 'build-1': { ...SSH, ...common, port: 22, grace_ms: 600_000 } },
    container: { box: { container: 'box', socket: '/var/run/docker.sock', ...common, grace_ms: 3_600_000 } },
  });
});

test('a variable can contain targets as JSON', () => {
  const { targets } = load('', { TACHO_TARGETS_SSH: JSON.stringify({ one: SSH }) });
  expect(targets.ssh.one).toMatchObject(SSH);
});

test.each([
  [
    'a target without the key of its host',
    { one: { ...SSH, host_key: undefined } },
    'targets.ssh.one.host_key is missing; it must be a type and a key',
  ],
  ['a name that cannot be part of an id', { 'a:b': SSH }, 'targets.ssh: invalid name "a:b"'],
  ['an invalid duration', { one: { ...SSH, grace_ms: 'soon' } }, 'targets.ssh.one.grace_ms must be a duration'],
  ['an unknown key', { one: { ...SSH, key_fil: 'x' } }, 'unknown key targets.ssh.one.key_fil; did you mean key_file?'],
  ['a value that is not a map', ['one'], 'targets.ssh must be a map of names to {host'],
])('%s is refused with its location', (_, ssh, place) => {
  expect(() => load(JSON.stringify({ targets: { ssh } }))).toThrow(place);
});

function load(yaml: string, env: Record<string, string> = {}) {
  return loadYaml(yaml, { env }).config;
}
