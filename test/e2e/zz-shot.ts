import { startHost } from '../adapters/simulator/host.ts';
import { launchChromium } from './browser.ts';
import { openChatPage } from './chat-page.ts';
import { stubProduct } from './stub-product.ts';
const host = await startHost({ ...stubProduct(), movableClock: true });
const browser = await launchChromium();
try {
  const chat = await openChatPage(browser, host.chatUrl);
  await chat.page.screenshot({ path: '/tmp/shot0.png' });
  await chat.send('以後優先找蔬食，幫我記住');
  await chat.lastAnswer();
  await chat.tap('同意記住');
  await chat.lastAnswer(1);
  await chat.tap('先不要');
  await chat.lastAnswer(2);
  await chat.page.waitForTimeout(500);
  await chat.page.screenshot({ path: '/tmp/shot1.png' });
  console.log(await chat.ledger(), chat.errors);
  const phone = await openChatPage(browser, host.chatUrl, { width: 375, height: 760, colorScheme: 'dark' });
  await phone.page.waitForTimeout(400);
  await phone.page.screenshot({ path: '/tmp/shot2.png' });
  await phone.page.locator('.item.bot .menu > summary').first().click();
  await phone.page.screenshot({ path: '/tmp/shot3.png' });
  await phone.page.keyboard.press('Escape');
  await phone.page.getByRole('tab', { name: '帳本' }).click();
  await phone.page.waitForTimeout(300);
  await phone.page.screenshot({ path: '/tmp/shot4.png' });
  console.log(phone.errors);
} finally {
  await browser.close();
  await host.close();
}
