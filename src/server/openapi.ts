import swagger from '@fastify/swagger';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import * as z from 'zod';
import {
  agentChildSchema,
  approvalSchema,
  createTerminalSchema,
  decisionSchema,
  engineFactsSchema,
  errorAnswerSchema,
  fcmpMessageSchema,
  RUNTIME_METHODS,
  raspEventSchema,
  replyAnswerSchema,
  replySchema,
  resultSchema,
  runRequestSchema,
  runViewSchema,
  terminalViewSchema,
  verificationSchema,
} from '../protocol/index.ts';
import type { RouteApp } from './service.ts';

/** The two vocabularies, each as one schema. */
export const raspEvent = raspEventSchema();
export const fcmpMessage = fcmpMessageSchema();

/** Schemas that the document lists by name. */
const NAMED: Readonly<Record<string, z.ZodType>> = {
  AgentChild: agentChildSchema,
  Approval: approvalSchema,
  CommandResult: RUNTIME_METHODS['exec.run'].result,
  CreateTerminal: createTerminalSchema,
  Decision: decisionSchema,
  Engine: engineFactsSchema,
  Error: errorAnswerSchema,
  FcmpMessage: fcmpMessage,
  RaspEvent: raspEvent,
  Reply: replySchema,
  ReplyAnswer: replyAnswerSchema,
  Result: resultSchema,
  Run: runViewSchema,
  RunRequest: runRequestSchema,
  Terminal: terminalViewSchema,
  Verification: verificationSchema,
};

/** Descriptions are in zod's global registry, so the names have to be there too. */
for (const [id, schema] of Object.entries(NAMED)) z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id });

interface Document {
  components?: { schemas?: Record<string, unknown> };
}

/** Builds the document from the routes' schemas on the first request. */
export async function documentRoutes(app: RouteApp, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tachograph',
        version,
        description: 'Runs of AI agents and commands: start, follow, read, answer. Terminals: open, follow, type.',
      },
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      security: [{ token: [] }],
    },
    transform: createJsonSchemaTransform({}),
    transformObject: createJsonSchemaTransformObject({}),
  });
  let document: Document | null = null;
  app.route({
    method: 'GET',
    url: '/v1/openapi.json',
    config: { scope: 'read' },
    schema: { hide: true },
    handler: () => {
      document ??= withoutUnused(app.swagger() as Document);
      return document;
    },
  });
}

/** Each named schema appears in an input and an output form, of which mostly one is used. */
function withoutUnused(document: Document): Document {
  const schemas = { ...document.components?.schemas };
  for (let removed = true; removed; ) {
    const text = JSON.stringify({ ...document, components: { ...document.components, schemas } });
    const unused = Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`));
    for (const name of unused) delete schemas[name];
    removed = unused.length > 0;
  }
  return { ...document, components: { ...document.components, schemas } };
}
