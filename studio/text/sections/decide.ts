/** Of forms that are loaded when a run asks for something. */
export const decide = {
  other: ['Other', '其他'],
  otherAnswer: [(question: string) => `Other answer to: ${question}`, (question: string) => `其他回答：${question}`],
  reads: ['Reads', '读取'],
  deletes: ['Deletes', '删除'],
  touches: ['Uses', '使用'],
  always: ['Always allow…', '始终允许…'],
  alwaysNow: ['Always allow', '始终允许'],
  forRun: ['Allow in this run', '在本次运行中允许'],
  ruleAllows: ['This allows without asking again:', '以下操作将不再询问：'],
  ruleCommand: [(words: string) => `commands that begin with ${words}`, (words: string) => `以 ${words} 开头的命令`],
  ruleTool: [(name: string) => `calls of the tool ${name}`, (name: string) => `对工具 ${name} 的调用`],
  rulePath: [(path: string) => `access to ${path}`, (path: string) => `对 ${path} 的访问`],
  ruleKept: [
    '“Always allow” adds exactly this rule to your configuration (safety.rules), for all folders.',
    '“始终允许”会将这条规则原样加入你的配置（safety.rules），对所有文件夹生效。',
  ],
} as const;
