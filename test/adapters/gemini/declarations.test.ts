/**
 * The functions a model is offered: the five tools, strict, in the keywords the service documents.
 * @module
 */
import { expect, it } from 'vitest';
import { functionDeclarations } from '../../../src/adapters/gemini/declarations.ts';
import { ToolCall } from '../../../src/commands/tools.ts';

const declarations = functionDeclarations();

it('are the five tools by their exact names, without the ones only a person has', () => {
  expect(declarations.map(({ name }) => name)).toEqual(ToolCall.options.map(({ entries }) => entries.tool.literal));
  expect(JSON.stringify(declarations)).not.toMatch(/approve|cancel|token|owner|revision|tenant/);
});

it('offer exactly the arguments the schemas take, all described, and nothing else is allowed', () => {
  for (const { name, parametersJsonSchema } of declarations) {
    const option = ToolCall.options.find(({ entries }) => entries.tool.literal === name);
    const names = Object.keys(option?.entries ?? {}).filter((argument) => argument !== 'tool');
    expect(Object.keys(parametersJsonSchema.properties)).toEqual(names);
    expect(parametersJsonSchema.additionalProperties).toBe(false);
    for (const each of Object.values(parametersJsonSchema.properties)) expect(each.description).not.toBe('');
  }
  const required = Object.fromEntries(declarations.map((each) => [each.name, each.parametersJsonSchema.required]));
  expect(required).toEqual({
    search_local_places: [],
    search_local_events: [],
    propose_dietary_memory: ['dietary_type'],
    request_memory_management: ['action'],
    show_local_help: [],
  });
});

it('use documented keywords only, and no empty word in a closed list', () => {
  const keywords = new Set<string>();
  for (const { parametersJsonSchema } of declarations) {
    for (const key of Object.keys(parametersJsonSchema)) keywords.add(key);
    for (const schema of Object.values(parametersJsonSchema.properties)) {
      for (const key of Object.keys(schema)) keywords.add(key);
      expect(schema.enum ?? []).not.toContain('');
    }
  }
  expect([...keywords].toSorted()).toEqual([
    'additionalProperties',
    'description',
    'enum',
    'properties',
    'required',
    'type',
  ]);
});

it('let a model ask why something is known', () => {
  const manage = declarations.find(({ name }) => name === 'request_memory_management');
  expect(manage?.parametersJsonSchema.properties['action']?.enum).toEqual(['inspect', 'update', 'forget', 'explain']);
});
