import fs from 'node:fs';
import path from 'node:path';

/** Where programs keep keys, tokens, passwords and what was typed. Relative to a home. */
const IN_HOME = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.oci', '.vault-token', '.password-store', '.age'],
  ...['.netrc', '.pgpass', '.my.cnf', '.mylogin.cnf', '.git-credentials', '.npmrc', '.yarnrc.yml', '.pypirc'],
  ...['.cargo/credentials', '.cargo/credentials.toml', '.gem/credentials', '.m2/settings.xml', '.terraform.d'],
  ...['.gradle/gradle.properties', '.composer/auth.json', '.nuget', '.bundle/config', '.env', '.envrc', '.rclone.conf'],
  ...['.config/gh', '.config/glab-cli', '.config/hub', '.config/gcloud', '.config/git/credentials', '.config/op'],
  ...['.config/rclone', '.config/doctl', '.config/heroku', '.config/containers', '.config/sops', '.config/age'],
  ...['.config/google-chrome', '.config/chromium', '.config/BraveSoftware', '.config/microsoft-edge', '.mozilla'],
  ...['.local/share/keyrings', '.local/share/kwalletd', '.config/configstore', '.config/anthropic', '.config/openai'],
  ...['.claude', '.claude.json', '.codex', '.gemini', '.qwen', '.local/share/opencode', '.pi', '.tacho'],
  ...['.bash_history', '.zsh_history', '.python_history', '.node_repl_history', '.psql_history', '.mysql_history'],
  ...['.Xauthority', '.ICEauthority'],
];

/** Sockets of daemons, such as Docker's, run commands outside for every client that reaches them. */
const OF_MACHINE = [
  ...['/run', '/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/ssh', '/etc/ssl/private'],
  ...['/etc/sudoers', '/etc/sudoers.d', '/etc/krb5.keytab', '/etc/NetworkManager', '/etc/wireguard'],
  ...[
    '/var/lib/docker',
    '/var/lib/containerd',
    '/var/lib/kubelet',
    '/var/lib/NetworkManager',
    '/var/spool',
    '/var/mail',
  ],
  ...['/var/backups', '/var/log', '/var/tmp'],
];

/** Paths with secrets of the user, of other users and of the machine; only some of them exist. */
export function secretPaths(home: string): string[] {
  return [...IN_HOME.map((name) => path.join(home, name)), ...otherHomes(home), ...OF_MACHINE];
}

function otherHomes(home: string): string[] {
  const homes = ['/root', ...namesIn('/home').map((name) => path.join('/home', name))];
  return homes.filter((other) => other !== home && !home.startsWith(`${other}/`));
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return []; // There is none, or it is not readable.
  }
}
