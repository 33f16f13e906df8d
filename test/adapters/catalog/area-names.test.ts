import { describe, expect, it } from 'vitest';
import { ambiguousNames, createAreaNames } from '../../../src/adapters/catalog/area-names.ts';
import { shippedText } from './catalog-fixture.ts';

const words = JSON.parse(shippedText('areas.json'));
const areas = createAreaNames(words);

const TOWNSHIPS =
  '彰化市 員林市 鹿港鎮 和美鎮 北斗鎮 溪湖鎮 田中鎮 二林鎮 線西鄉 伸港鄉 福興鄉 秀水鄉 花壇鄉 芬園鄉 大村鄉 埔鹽鄉 埔心鄉 永靖鄉 社頭鄉 二水鄉 田尾鄉 埤頭鄉 芳苑鄉 大城鄉 竹塘鄉 溪州鄉'.split(
    ' ',
  );

describe('area names', () => {
  it('are the 26 townships of 彰化縣, those with official places first', () => {
    expect(TOWNSHIPS).toHaveLength(26);
    expect([...areas.names].sort()).toEqual([...TOWNSHIPS].sort());
    expect(areas.names.slice(0, 2)).toEqual(['彰化市', '花壇鄉']);
    expect(areas.names.slice(-2)).toEqual(['線西鄉', '竹塘鄉']);
  });

  it.each(TOWNSHIPS)('%s is understood with the county before it, with spaces, and with 附近 after it', (name) => {
    for (const said of [name, `彰化縣${name}`, `彰化${name}`, ` ${name}　`, `台灣省彰化縣 ${name}`, `${name}附近`]) {
      expect(areas.meaningOf(said)).toEqual({ kind: 'township', name });
    }
  });

  it.each(TOWNSHIPS.filter((name) => name !== '彰化市'))('%s is understood without its suffix', (name) => {
    expect(areas.meaningOf(name.slice(0, -1))).toEqual({ kind: 'township', name });
    expect(areas.meaningOf(`彰化縣${name.slice(0, -1)}`)).toEqual({ kind: 'township', name });
  });

  it.each([
    ['彰化市區', '彰化市'],
    ['員林鎮', '員林市'],
    ['臺灣省彰化縣花壇鄉', '花壇鄉'],
    ['花壇那邊', '花壇鄉'],
    ['大村這附近', '大村鄉'],
  ])('%s is %s', (said, name) => {
    expect(areas.meaningOf(said)).toEqual({ kind: 'township', name });
  });

  it.each([
    ['', 'blank'],
    [' 　\t', 'blank'],
    ['\u200b', 'blank'],
    ['附近', 'nearby'],
    ['這附近', 'nearby'],
    ['這裡', 'nearby'],
    ['我附近', 'nearby'],
    ['集合點附近', 'nearby'],
    ['花壇集合點附近', 'nearby'],
    ['大村集合點附近', 'nearby'],
    ['一帶', 'nearby'],
    ['彰化', 'county'],
    ['彰化縣', 'county'],
    ['彰化附近', 'county'],
    ['台灣彰化縣', 'county'],
    ['台北', 'unknown'],
    ['臺中市花壇', 'unknown'],
    ['花', 'unknown'],
    ['鄉', 'unknown'],
    ['花壇鄉大村鄉', 'unknown'],
    ['__proto__', 'unknown'],
    ['花壇'.repeat(50), 'unknown'],
  ])('%j is %s', (said, kind) => {
    expect(areas.meaningOf(said)).toEqual({ kind });
  });

  it('of two townships may not be the same, in any spelling', () => {
    expect(ambiguousNames(words)).toEqual([]);
    const county = ['彰化縣'];
    const two = [
      { name: '臺村鄉', aliases: [] },
      { name: '花壇鄉', aliases: ['台村鄉', '彰化縣'] },
    ];
    expect(ambiguousNames({ county, nearby: [], areas: two })).toEqual(['台村鄉', '彰化縣']);
  });
});
