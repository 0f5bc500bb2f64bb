export { type Conversation, type ConversationPoint, createConversation, foldConversation } from './conversation.ts';
