/**
 * The function declarations a model is offered, generated from the schemas that check its calls afterwards.
 * @module
 */
import { toJsonSchema } from '@valibot/to-json-schema';
import { ToolCall, type ToolName } from '../../commands/tools.ts';

/** One offered function, as it goes over the wire. */
export type Declaration = {
  readonly name: ToolName;
  readonly description: string;
  readonly parametersJsonSchema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, ParameterSchema>>;
    readonly required: readonly string[];
    readonly additionalProperties: false;
  };
};
type ParameterSchema = { readonly type: 'string'; readonly description: string; readonly enum?: readonly string[] };

const DIET_WORD = '這句話裡說到的飲食種類，用對方的字；沒有說到就留空，不要猜';
const AREA_WORD = '這句話裡說到的鄉鎮市，用清單裡的名字；說「附近」就填 附近；沒有說到就留空';

const DESCRIPTIONS: Readonly<Record<ToolName, { readonly tool: string; readonly arguments: Record<string, string> }>> =
  {
    search_local_places: {
      tool: '找有來源的蔬食店家。只查這一次，不會記住任何事。',
      arguments: {
        area: AREA_WORD,
        dietary_type: DIET_WORD,
        keyword: '這句話裡說到的店名、菜名或特色，原字照抄；沒有就留空',
      },
    },
    search_local_events: {
      tool: '查在地活動的場次、時間與集合資訊。',
      arguments: {
        date: '這句話裡說到的日期，原字照抄；沒有就留空',
        area: AREA_WORD,
        keyword: '這句話裡說到的活動名稱，原字照抄；沒有就留空',
      },
    },
    propose_dietary_memory: {
      tool: '對方現在親自明白要求以後記住一種飲食條件時，請後端出示同意卡。這不會儲存。',
      arguments: { dietary_type: '對方要求記住的飲食種類，用對方的字' },
    },
    request_memory_management: {
      tool: '對方想看、想改、想忘記自己的偏好，或問為什麼知道他的偏好。更改與忘記會先出示卡片。',
      arguments: {
        action: 'inspect 查看；update 更改；forget 忘記；explain 問為什麼知道',
        dietary_type: '只有 update 才填：要改成的飲食種類，用對方的字；沒有說到就留空',
      },
    },
    show_local_help: {
      tool: '顯示選單，或說明這件事不在服務範圍內。',
      arguments: { reason: '停車、接駁、交通、預約、訂位這類做不到的事填 unsupported；意思不清楚就不填' },
    },
  };

/** Keywords of a parameter that the service documents; the rest is checked by the schemas when a call comes back. */
type Described = { type?: unknown; enum?: readonly unknown[] };

function parameter(tool: ToolName, name: string, schema: Described): ParameterSchema {
  const description = DESCRIPTIONS[tool].arguments[name];
  if (schema.type !== 'string' || description === undefined) {
    throw new Error(`Argument ${name} of ${tool} has no wire form or no description`);
  }
  // An empty text is no legal member of an enum on the wire; leaving the argument out means the same.
  const members = schema.enum?.filter((member): member is string => typeof member === 'string' && member !== '');
  return { type: 'string', ...(members === undefined ? {} : { enum: members }), description };
}

/** All tools, in the order of the schemas. */
export const ALL_TOOLS: readonly ToolName[] = ToolCall.options.map(({ entries }) => entries.tool.literal);

/**
 * The functions of the given tools, in the order of the schemas. The backend's word `tool` is no argument: the name of the function says it.
 * @throws when a schema has an argument that cannot be offered or is not described, so that a start fails and no turn does.
 */
export function functionDeclarations(tools: readonly ToolName[] = ALL_TOOLS): readonly Declaration[] {
  return ToolCall.options
    .filter(({ entries }) => tools.includes(entries.tool.literal))
    .map((option) => {
      const name = option.entries.tool.literal;
      const { properties = {}, required = [] } = toJsonSchema(option, { errorMode: 'ignore' });
      const offered = Object.entries(properties).filter(([argument]) => argument !== 'tool');
      return {
        name,
        description: DESCRIPTIONS[name].tool,
        parametersJsonSchema: {
          type: 'object',
          properties: Object.fromEntries(
            offered.map(([argument, schema]) => [argument, parameter(name, argument, schema as Described)]),
          ),
          required: required.filter((argument) => argument !== 'tool'),
          additionalProperties: false,
        },
      };
    });
}
