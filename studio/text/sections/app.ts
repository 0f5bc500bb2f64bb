export const app = {
  name: ['Tachograph', 'Tachograph'],
  runs: ['Runs', '运行'],
  approvals: ['Approvals', '审批'],
  terminals: ['Terminals', '终端'],
  skills: ['Skills', '技能'],
  open: ['Open', '打开'],
  newRun: ['New run', '新建运行'],
  language: ['中文', 'English'],
  theme: ['Theme', '主题'],
  themeSystem: ['System', '跟随系统'],
  themeLight: ['Light', '浅色'],
  themeDark: ['Dark', '深色'],
  skipToContent: ['Skip to content', '跳到内容'],
  notFound: ['There is nothing at this address.', '此地址没有内容。'],
  toRuns: ['Go to the runs', '前往运行列表'],
  loading: ['Loading…', '加载中…'],
  copy: ['Copy', '复制'],
  copied: ['Copied', '已复制'],
  copyLink: ['Copy link', '复制链接'],
  close: ['Close', '关闭'],
  cancel: ['Cancel', '取消'],
  retry: ['Try again', '重试'],
  reload: ['Reload the page', '重新加载页面'],
  clear: ['Clear', '清除'],
  none: ['–', '–'],
  failedToLoad: [(what: string) => `This cannot be shown: ${what}`, (what: string) => `无法显示：${what}`],
} as const;

export const token = {
  title: ['This page needs a token', '此页面需要令牌'],
  explain: [
    'Open the address that tacho start prints, or paste the token here. It stays in this tab.',
    '请打开 tacho start 打印的地址，或在此粘贴令牌。令牌只保存在此标签页。',
  ],
  label: ['Token', '令牌'],
  use: ['Use it', '使用'],
  wrong: ['The server does not accept this token.', '服务器不接受此令牌。'],
} as const;

export const status = {
  queued: ['Queued', '排队中'],
  running: ['Running', '运行中'],
  waiting_user: ['Waiting for you', '等待你的回复'],
  waiting_approval: ['Waiting for approval', '等待审批'],
  succeeded: ['Succeeded', '成功'],
  failed: ['Failed', '失败'],
  canceled: ['Canceled', '已取消'],
  live: ['Live', '实时'],
} as const;

export const tabs = {
  event: ['Event', '事件'],
  events: ['Events', '事件列表'],
  raw: ['Raw', '原始字节'],
  graph: ['Graph', '关系图'],
  files: ['Files', '文件'],
  diagnostics: ['Diagnostics', '诊断'],
  skill: ['Skill', '技能'],
  agent: ['Agent', '智能体'],
  terminal: ['Terminal', '终端'],
  conversation: ['Conversation', '对话'],
} as const;
