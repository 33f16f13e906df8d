/**
 * The model route of an environment: complete, absent, or refused by name. Never a mixture, never a value in a message.
 * @module
 */
import { describe, expect, it } from 'vitest';
import { readModelRoute } from '../../../src/adapters/system/model-route.ts';

type Environment = Readonly<Record<string, string>>;

function routeOf(environment: Environment, projectIsForStore = false) {
  const problems: string[] = [];
  const route = readModelRoute(
    (name) => (environment[name] === undefined || environment[name] === '' ? null : environment[name]),
    (variable, message) => {
      problems.push(`${variable} ${message.split(':')[0]}`);
      return null;
    },
    projectIsForStore,
  );
  return { route, problems };
}

const vertex = {
  GOOGLE_GENAI_USE_VERTEXAI: 'true',
  GOOGLE_CLOUD_PROJECT: 'project-a',
  GOOGLE_CLOUD_LOCATION: 'global',
};

describe('a route', () => {
  const rows: readonly (readonly [string, Environment, object | null])[] = [
    ['is none when nothing is set', {}, null],
    ['is none when all is empty', { GEMINI_API_KEY: '', GOOGLE_GENAI_USE_VERTEXAI: '', GEMINI_MODEL: '' }, null],
    ['is none when Vertex is switched off', { GOOGLE_GENAI_USE_VERTEXAI: 'false' }, null],
    [
      'is developer with a key, and the model has a default',
      { GEMINI_API_KEY: 'key-a' },
      { backend: 'developer', model: 'gemini-3.8-flash', baseUrl: null, apiKey: 'key-a' },
    ],
    [
      'is developer with Vertex switched off',
      { GEMINI_API_KEY: 'key-a', GOOGLE_GENAI_USE_VERTEXAI: 'FALSE', GEMINI_MODEL: 'gemini-4' },
      { backend: 'developer', model: 'gemini-4', baseUrl: null, apiKey: 'key-a' },
    ],
    [
      'may lead to loopback, for tests',
      { GEMINI_API_KEY: 'key-a', GEMINI_BASE_URL: 'http://127.0.0.1:9' },
      { backend: 'developer', model: 'gemini-3.8-flash', baseUrl: 'http://127.0.0.1:9', apiKey: 'key-a' },
    ],
    [
      'is vertex with project and location',
      vertex,
      {
        backend: 'vertex',
        model: 'gemini-3.8-flash',
        baseUrl: null,
        project: 'project-a',
        location: 'global',
        credentials: null,
      },
    ],
  ];
  it.each(rows)('%s', (_title, environment, route) => {
    expect(routeOf(environment)).toEqual({ route, problems: [] });
  });

  it('takes no notice of a project that is there for the store', () => {
    expect(routeOf({ GOOGLE_CLOUD_PROJECT: 'project-a' }, true)).toEqual({ route: null, problems: [] });
    const both = routeOf({ GOOGLE_CLOUD_PROJECT: 'project-a', GEMINI_API_KEY: 'key-a' }, true);
    expect(both).toMatchObject({ route: { backend: 'developer' }, problems: [] });
  });
});

describe('is refused, and the name says why:', () => {
  const rows: readonly (readonly [string, Environment, readonly string[]])[] = [
    ['a model that is no model id', { GEMINI_API_KEY: 'k', GEMINI_MODEL: ' ' }, ['GEMINI_MODEL MODEL_REQUIRED']],
    [
      'a key beside a project',
      { GEMINI_API_KEY: 'k', GOOGLE_CLOUD_PROJECT: 'p' },
      ['GOOGLE_CLOUD_PROJECT DEVELOPER_CONFIG_CONFLICT'],
    ],
    [
      'a key beside project and location',
      { GEMINI_API_KEY: 'k', GOOGLE_CLOUD_PROJECT: 'p', GOOGLE_CLOUD_LOCATION: 'l' },
      ['GOOGLE_CLOUD_PROJECT DEVELOPER_CONFIG_CONFLICT', 'GOOGLE_CLOUD_LOCATION DEVELOPER_CONFIG_CONFLICT'],
    ],
    [
      'a key beside another key',
      { GEMINI_API_KEY: 'k', GOOGLE_API_KEY: 'k' },
      ['GOOGLE_API_KEY DEVELOPER_CONFIG_CONFLICT'],
    ],
    ['a key with a line end', { GEMINI_API_KEY: 'k\n' }, ['GEMINI_API_KEY DEVELOPER_CONFIG_CONFLICT']],
    ['a model without a key', { GEMINI_MODEL: 'gemini-3.8-flash' }, ['GEMINI_API_KEY DEVELOPER_CONFIG_CONFLICT']],
    [
      'an address without a key',
      { GEMINI_BASE_URL: 'https://a.example' },
      ['GEMINI_API_KEY DEVELOPER_CONFIG_CONFLICT'],
    ],
    [
      'Vertex beside a key',
      { ...vertex, GEMINI_API_KEY: 'k' },
      ['GEMINI_API_KEY VERTEX_CREDENTIALS_PROJECT_LOCATION_REQUIRED'],
    ],
    [
      'Vertex with nothing else',
      { GOOGLE_GENAI_USE_VERTEXAI: '1' },
      [
        'GOOGLE_CLOUD_PROJECT VERTEX_CREDENTIALS_PROJECT_LOCATION_REQUIRED',
        'GOOGLE_CLOUD_LOCATION VERTEX_CREDENTIALS_PROJECT_LOCATION_REQUIRED',
      ],
    ],
    [
      'a location that would change the host',
      { ...vertex, GOOGLE_CLOUD_LOCATION: 'a.example/#' },
      ['GOOGLE_CLOUD_LOCATION VERTEX_CREDENTIALS_PROJECT_LOCATION_REQUIRED'],
    ],
    [
      'a switch that is neither on nor off',
      { GOOGLE_GENAI_USE_VERTEXAI: 'studio' },
      ['GOOGLE_GENAI_USE_VERTEXAI UNSUPPORTED_BACKEND'],
    ],
    [
      'a location without a switch',
      { GOOGLE_CLOUD_LOCATION: 'global' },
      ['GOOGLE_GENAI_USE_VERTEXAI UNSUPPORTED_BACKEND'],
    ],
    [
      'an address in the clear',
      { GEMINI_API_KEY: 'k', GEMINI_BASE_URL: 'http://a.example' },
      ['GEMINI_BASE_URL UNSUPPORTED_BACKEND'],
    ],
    [
      'an address that is none',
      { GEMINI_API_KEY: 'k', GEMINI_BASE_URL: 'loopback' },
      ['GEMINI_BASE_URL UNSUPPORTED_BACKEND'],
    ],
  ];
  it.each(rows)('%s', (_title, environment, problems) => {
    expect(routeOf(environment)).toEqual({ route: null, problems });
  });
});
