/**
 * Which model service the environment names: none, the Developer API, or Vertex; any mixture is refused.
 * @module
 */

/** A complete route, or null: no model, free text is understood by rules. */
export type ModelRouteSetting =
  | { readonly backend: 'developer'; readonly model: string; readonly baseUrl: string | null; readonly apiKey: string }
  | {
      readonly backend: 'vertex';
      readonly model: string;
      readonly baseUrl: string | null;
      readonly project: string;
      readonly location: string;
      /** Null: the platform's application default credentials; no other kind can be named in the environment. */
      readonly credentials: null;
    }
  | null;

export type ModelRouteProblem =
  | 'MODEL_REQUIRED'
  | 'DEVELOPER_CONFIG_CONFLICT'
  | 'VERTEX_CREDENTIALS_PROJECT_LOCATION_REQUIRED'
  | 'UNSUPPORTED_BACKEND';

const DEFAULT_MODEL = 'gemini-3.8-flash';
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Reads the route.
 * @param read a variable's value, or null when it is unset or empty.
 * @param wrong is told the variable and what to do, once per fault; the message begins with the problem's name, never holds a value.
 * @param projectIsForStore GOOGLE_CLOUD_PROJECT is there for the store, so that it names no model route by itself.
 */
export function readModelRoute(
  read: (name: string) => string | null,
  wrong: (variable: string, message: string) => null,
  projectIsForStore: boolean,
): ModelRouteSetting {
  const apiKey = read('GEMINI_API_KEY');
  const vertexFlag = read('GOOGLE_GENAI_USE_VERTEXAI');
  const project = read('GOOGLE_CLOUD_PROJECT');
  const location = read('GOOGLE_CLOUD_LOCATION');
  const refuse = (variable: string, problem: ModelRouteProblem, words: string): null =>
    wrong(variable, `${problem}: ${words}`);

  if (vertexFlag !== null && !/^(true|false|1|0)$/i.test(vertexFlag)) {
    return refuse('GOOGLE_GENAI_USE_VERTEXAI', 'UNSUPPORTED_BACKEND', 'is neither true nor false');
  }
  const vertex = vertexFlag !== null && /^(true|1)$/i.test(vertexFlag);
  const model = read('GEMINI_MODEL') ?? DEFAULT_MODEL;
  if (!/^[a-z0-9][a-z0-9.-]{0,79}$/.test(model)) {
    return refuse('GEMINI_MODEL', 'MODEL_REQUIRED', 'is no model id such as gemini-3.8-flash');
  }
  const baseUrl = read('GEMINI_BASE_URL');
  if (baseUrl !== null && !isSafeBaseUrl(baseUrl)) {
    return refuse('GEMINI_BASE_URL', 'UNSUPPORTED_BACKEND', 'is neither an https address nor on loopback');
  }

  if (vertex) {
    if (apiKey !== null) {
      const words = 'is set beside GOOGLE_GENAI_USE_VERTEXAI: keep one of the two routes';
      return refuse('GEMINI_API_KEY', 'VERTEX_CREDENTIALS_PROJECT_LOCATION_REQUIRED', words);
    }
    const words = 'is missing for GOOGLE_GENAI_USE_VERTEXAI, or no id of Google Cloud';
    const places = { project: idOf(project), location: idOf(location) };
    if (places.project === null) refuse('GOOGLE_CLOUD_PROJECT', 'VERTEX_CREDENTIALS_PROJECT_LOCATION_REQUIRED', words);
    if (places.location === null)
      refuse('GOOGLE_CLOUD_LOCATION', 'VERTEX_CREDENTIALS_PROJECT_LOCATION_REQUIRED', words);
    if (places.project === null || places.location === null) return null;
    return { backend: 'vertex', model, baseUrl, project: places.project, location: places.location, credentials: null };
  }

  const strayProject = project !== null && !projectIsForStore;
  if (apiKey !== null) {
    const words = 'is set beside GEMINI_API_KEY: keep one of the two routes';
    const otherKey = read('GOOGLE_API_KEY') !== null;
    if (otherKey) refuse('GOOGLE_API_KEY', 'DEVELOPER_CONFIG_CONFLICT', 'is set beside GEMINI_API_KEY: keep one key');
    if (strayProject) refuse('GOOGLE_CLOUD_PROJECT', 'DEVELOPER_CONFIG_CONFLICT', words);
    if (location !== null) refuse('GOOGLE_CLOUD_LOCATION', 'DEVELOPER_CONFIG_CONFLICT', words);
    if (apiKey.trim() !== apiKey) refuse('GEMINI_API_KEY', 'DEVELOPER_CONFIG_CONFLICT', 'has spaces around it');
    if (otherKey || strayProject || location !== null || apiKey.trim() !== apiKey) return null;
    return { backend: 'developer', model, baseUrl, apiKey };
  }
  const half = ['GEMINI_MODEL', 'GEMINI_BASE_URL'].find((name) => read(name) !== null);
  if (half !== undefined) {
    return refuse('GEMINI_API_KEY', 'DEVELOPER_CONFIG_CONFLICT', `is missing although ${half} is set`);
  }
  if (strayProject || location !== null) {
    const words = 'is missing although a project or location of Google Cloud is set: set it to true, or remove them';
    return refuse('GOOGLE_GENAI_USE_VERTEXAI', 'UNSUPPORTED_BACKEND', words);
  }
  return null;
}

/** Both become part of an address. */
function idOf(text: string | null): string | null {
  return text !== null && /^[a-z0-9][a-z0-9-]{0,62}$/.test(text) ? text : null;
}

/** Keys and messages go there: in the clear only to this machine. */
function isSafeBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
}
