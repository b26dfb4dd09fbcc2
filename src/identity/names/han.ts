/**
 * The readings of Han characters in family and given names, simplified and traditional: Pinyin (ISO 7098), and after a slash the spelling of
 * Hong Kong and older documents. Other characters have no reading.
 */
const readings = `
zhao/chiu 赵趙 qian/chin 钱錢 sun/suen 孙孫 li/lee 李 zhou/chow 周 wu/ng 吴吳 zheng/cheng 郑鄭 wang/wong 王汪 feng/fung 冯馮 chen/chan 陈陳
chu/chor 褚楚 wei/ngai 卫衛魏 jiang/cheung 蒋蔣 shen/sum 沈 han/hon 韩韓 yang/yeung 杨楊 zhu/chu 朱 qin/chun 秦 you/yau 尤 xu/hui 许許
he/ho 何 lü/lui 吕呂 zhang/cheung 张張 kong/hung 孔 cao/tso 曹 yan/yim 严嚴 hua/wah 华華 jin/kam 金 tao/to 陶 jiang/keung 姜
qi/chik 戚 xie/tse 谢謝 zou/chau 邹鄒 yu/yu 喻 bai/pak 白 shui 水 dou 窦竇 zhang/cheung 章 yun/wan 云雲 su/so 苏蘇
pan/poon 潘 ge/kot 葛 fan/fan 范範 peng/pang 彭 lang/long 郎 lu/lo 鲁魯 wei/wai 韦韋 chang/cheung 昌 ma/ma 马馬 miao/miu 苗
feng/fung 凤鳳 fang/fong 方 yu/yue 俞 ren/yam 任 yuan/yuen 袁 liu/lau 刘劉柳 tang/tong 唐汤湯 luo/lo 罗羅骆駱 hao/kok 郝 an/on 安
shi/sze 史施石时時 gu/koo 顾顧 meng/mang 孟 huang/wong 黄黃 mu 穆木慕 xiao/siu 萧蕭肖 yao/yiu 姚 shao/siu 邵 wan/man 万萬 guo/kwok 郭
lin/lam 林 zhong/chung 钟鍾鐘 cai/choi 蔡 tian/tin 田 fan/fan 樊 hu/wu 胡 ling/ling 凌 huo/fok 霍 gao/ko 高 xia/ha 夏
liang/leung 梁 song/sung 宋 ye/yip 叶葉 xu/tsui 徐 deng/tang 邓鄧 zeng/tsang 曾 lu/luk 陆陸 dong/tung 董 ding/ting 丁 du/to 杜
yu/yu 于余 dai/tai 戴 cui/tsui 崔 lei/lui 雷 hou/hau 侯 long/lung 龙龍 duan/tuen 段 mao/mo 毛 qiu/yau 邱丘 jia/ka 贾賈
zou 邹 xiong/hung 熊 bai 柏 wen/man 文 pang/pong 庞龐 fu/fu 傅付 nie 聂聶 xi/chap 习習 ou/au 欧歐 yang/yeung 阳陽 si 司 tu 徒
wei/wai 伟偉薇 fang/fong 芳 na 娜 min/man 敏 jing/ching 静靜晶京景 xiu/sau 秀 ying/ying 英莹瑩颖穎 juan/kuen 娟 hong/hung 红紅宏洪鸿鴻
ming/ming 明 qiang/keung 强強 lei/lui 磊蕾 jun/kwan 军軍君俊 yang/yeung 洋 yong/yung 勇永 yan/yin 艳艷燕妍 jie/kit 杰傑洁潔 tao/to 涛濤
ping/ping 平萍 gang/kong 刚剛 gui/kwai 桂贵貴 hui/wai 辉輝慧惠 jian/kin 建健 guang/kwong 光广廣 zhi/chi 志智 xin/yan 新欣鑫心 yu/yu 宇玉雨
hao/ho 浩豪 ran 然 zi/tsz 子梓 han/ham 涵 xuan/huen 轩軒萱宣 chen/sun 晨辰 jia/ka 佳嘉家 yi/yi 一怡义義艺藝宜 xiao/siu 小晓曉 ming/ming 铭銘
li/lai 丽麗莉力利 lan/lan 兰蘭 mei/mei 美梅 ling/ling 玲灵靈 bo/po 波博 bin/pan 斌彬宾賓 chao/chiu 超朝 cheng/shing 成诚誠城 chun/chun 春
dan/tan 丹 de/tak 德 dong/tung 东東冬 fei/fei 飞飛菲 fu/fuk 福富 guo/kwok 国國 hai/hoi 海 jing/king 敬 kai/hoi 凯凱开開 kun/kwan 坤
lian/lin 莲蓮 liang/leung 亮 lu/lo 璐露 nan/nam 南楠 ning/ning 宁寧 peng/pang 鹏鵬 qing/ching 青清庆慶晴 rong/wing 荣榮蓉 rui/sui 瑞睿
shan/shan 山珊 shu/shuk 淑树樹书書 si/sze 思 ting/ting 婷庭 tong 彤桐 xiang/cheung 翔祥香 xing/hing 兴興星 xue/suet 雪学學 ya/nga 雅亚亞 yi/ngai 毅
yue/yuet 月悦悅 ze/chak 泽澤 zhen/chun 珍振真 zhong/chung 中忠 zhe/chit 哲 jin/kam 锦錦 jin/chun 进進 jin/kan 近 ping/ping 屏 hao/ho 昊 shi/shi 世诗詩
tian/tin 天 ai/oi 爱愛 bao/po 宝寶 bei/pui 北贝貝 da/tai 大 er/yi 儿兒二 fa/fat 发發 feng/fung 锋鋒峰 gen/kan 根 hang/hong 航 hong/hung 虹
cheng/ching 程 qin/tam 覃 mo/mok 莫 lu/lo 卢盧 xue/sit 薛 yan/yim 阎閻闫閆颜顏 tan/tam 谭譚 liao/liu 廖 kang/hong 康 jiang/kong 江 yin/wan 尹 li/lai 黎 yi/yik 易
chang/sheung 常 wu/mo 武 qiao/kiu 乔喬 he/ho 贺賀 lai/lai 赖賴 gong/kung 龚龔 zhu/chu 诸諸 shan/sin 单單 yue/ngok 岳 niu/ngau 牛 qi/kei 祁
mei/mui 梅 weng/yung 翁 jian/kan 简簡 tu/to 涂 hong/hung 洪 ruan/yuen 阮 ji/kei 季纪紀 guan/kwan 关關 xin/sun 辛 zhai/chak 翟 you/yau 游 yan/ngan 颜
ke/ho 可科 le/lok 乐樂 mian/min 绵 mo/mok 墨 qi/ki 琪奇齐齊 qian/sin 倩 ru/yu 如 san/sam 三 sheng/sing 胜勝生声聲 ting/ting 亭 xi/hei 希喜西熙
xian/yin 贤賢 yao/yiu 瑶瑤耀 yin/ngan 银銀音 yuan/yuen 元媛远遠源 yun/wan 芸韵 zhan/chin 展 zhi/chi 芝之 zhuo/cheuk 卓 zong/tsung 宗 zu/cho 祖
`;

/**
 * Each character of the table with its readings in the order of the table; then Wade-Giles without marks (Taiwan), and ü as passports and
 * keyboards write it.
 */
export function usualHanSpellings(): ReadonlyMap<string, readonly string[]> {
  const listed = new Map<string, string[]>();
  const words = readings.trim().split(/\s+/);
  for (let at = 0; at + 1 < words.length; at += 2) {
    for (const character of words[at + 1] ?? '') {
      const known = listed.get(character) ?? [];
      for (const reading of (words[at] ?? '').split('/')) if (!known.includes(reading)) known.push(reading);
      listed.set(character, known);
    }
  }
  return new Map(
    [...listed].map(([character, known]) => [character.normalize('NFKD'), spellingsBySystem(known)] as const),
  );
}

/** Pinyin, Hong Kong, up to two more readings, Wade-Giles, ü as yu, ü as v. */
export function spellingsBySystem(known: readonly string[]): readonly string[] {
  const [pinyin = '', hongKong = pinyin, third = pinyin, fourth = third] = known;
  const plain = [pinyin, hongKong, third, fourth].map((reading) => reading.replaceAll('ü', 'u'));
  return [...plain, wadeGiles(pinyin), pinyin.replaceAll('ü', 'yu'), pinyin.replaceAll('ü', 'v')];
}

/** A syllable of Pinyin in Wade-Giles without apostrophes and marks, as Taiwan's passports write names. */
export function wadeGiles(pinyin: string): string {
  const whole: Readonly<Record<string, string>> = { zi: 'tzu', ci: 'tzu', si: 'szu', ri: 'jih', er: 'erh', you: 'yu' };
  const known = whole[pinyin];
  if (known !== undefined) return known;
  return pinyin
    .replaceAll('ü', 'u')
    .replace(/^(zh|ch|sh)i$/, '$1ih')
    .replace(/^([gkh])e$/, '$1o')
    .replace(/ong$/, 'ung')
    .replace(/(?<=[iy])an$/, 'en')
    .replace(/(?<=i|^y)e$/, 'eh')
    .replace(/([xjqy])ue$/, '$1ueh')
    .replace(/(?<=[dtnlrzcs]|zh|ch|sh)uo$/, 'o')
    .replace(/^g(?=[aeiou])/, 'k')
    .replace(/^d/, 't')
    .replace(/^b/, 'p')
    .replace(/^(zh|j|q)/, 'ch')
    .replace(/^[zc](?!h)/, 'ts')
    .replace(/^x/, 'hs')
    .replace(/^r/, 'j');
}
