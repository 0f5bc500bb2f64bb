import { systemFields } from '../stream-json/fields.ts';

/** All but the first carry what they say in one field. */
const NOTICE = systemFields('data');

export const QWEN_SYSTEM_EVENTS = {
  init: systemFields(
    'cwd',
    'tools',
    'mcp_servers',
    'model',
    'permission_mode',
    'slash_commands',
    'qwen_code_version',
    'output_style',
    'agents',
    'skills',
    'capabilities',
    'data',
  ),
  compact_boundary: systemFields('compact_metadata', 'data'),
  session_start: NOTICE,
  session_end: NOTICE,
  session_recording_degraded: NOTICE,
  model_fallback: NOTICE,
  retry: NOTICE,
  task_started: NOTICE,
  task_progress: NOTICE,
  task_notification: NOTICE,
  worktree_started: NOTICE,
  worktree_restored: NOTICE,
  continue_turn_failed: NOTICE,
  vision_routing: NOTICE,
  vision_bridge: NOTICE,
  vision_bridge_failed: NOTICE,
};
