export { createConversation, foldConversation } from './conversation.ts';
