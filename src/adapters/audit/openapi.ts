/**
 * Describes the audit API in OpenAPI 3.1, from the schemas that check and shape it.
 * @module
 */
import { toJsonSchema } from '@valibot/to-json-schema';
import { type ProblemCode, ProblemAnswer, PROBLEMS } from './api-schemas.ts';
import type { ApiRoute } from './api-routes.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** What every route can answer with, beside its own problems. */
const ALWAYS: readonly ProblemCode[] = [
  'invalid_request',
  'unauthenticated',
  'too_many',
  'failed',
  'access_not_recorded',
  'store_unavailable',
];

/** The document. */
export function openApi(routes: readonly ApiRoute[]): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'LOCAL audit API',
      version: '1',
      description:
        'Read-only. Every look is recorded in an access ledger before anything is shown. The role `integrity` sees no ' +
        'value and no key of a person.',
    },
    servers: [{ url: '/audit/api' }],
    security: [{ token: [] }],
    paths: Object.fromEntries(
      routes.map((route) => [route.path.replaceAll(/:(\w+)/g, '{$1}'), { get: operation(route) }]),
    ),
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: schemaOf(ProblemAnswer) },
    },
  };
}

function operation({ operationId, summary, params, query, answer, problems }: ApiRoute): object {
  return {
    operationId,
    summary,
    parameters: [...parametersIn('path', schemaOf(params)), ...parametersIn('query', schemaOf(query))],
    responses: {
      200: { description: 'What was asked for', content: { 'application/json': { schema: schemaOf(answer) } } },
      ...problemResponses([...ALWAYS, ...problems]),
    },
  };
}

function parametersIn(place: 'path' | 'query', { properties, required }: JsonSchema): readonly object[] {
  const needed = Array.isArray(required) ? required : [];
  return Object.entries((properties ?? {}) as Record<string, JsonSchema>).map(([name, schema]) => ({
    name,
    in: place,
    required: needed.includes(name),
    schema,
  }));
}

function problemResponses(codes: readonly ProblemCode[]): Record<string, object> {
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, same]) => [
      String(status),
      {
        description: same.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join('. '),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  );
}

/** What comes in is described, for texts become numbers on the way; checks that JSON Schema cannot say are left out. */
function schemaOf(schema: ApiRoute['query']): JsonSchema {
  const { $schema: _, ...rest } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'input',
    errorMode: 'ignore',
  });
  return rest;
}
