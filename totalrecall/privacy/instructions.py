"""Sentences that give the agent orders. In notes whose source is not the user they have no place (R092)."""

from __future__ import annotations

import re

from totalrecall.privacy.normalise import plain_view

_ORDERS = (
    (
        r"(?:ignore|disregard|forget|override|bypass)[ ,]+(?:\w+[ ,]+){0,3}?(?:previous"
        r"|prior|above|earlier|preceding|system|your|all)[ ,]+"
        r"(?:\w+[ ,]+){0,2}?(?:instructions?|rules?|prompts?|guidelines?|directions?|restrictions?|safety)"
    ),
    (
        r"(?:remember|save|store|memori[sz]e|note|adopt|follow|obey|add)[ ,]+(?:\w+[ ,]+){0,3}?"
        r"(?:permanent|standing|new|important|following)[ ,]+(?:\w+[ ,]+){0,2}?(?:rules?"
        r"|instructions?|polic(?:y|ies)|directives?)"
    ),
    (
        r"(?:^|[.!?:;\"'\n>\]]\s*)(?:system|developer|assistant|admin)\s*(?:message"
        r"|prompt|note|override|instruction)?\s*:\s*\w"
    ),
    r"<\|?(?:im_start|system|assistant|endoftext)\|?>|\[/?(?:inst|system)\]|<</?sys>>",
    (
        r"(?:from now on|henceforth|in (?:all|every) future (?:sessions?|conversations?|repl(?:y|ies)))[ ,]+"
        r"(?:you|the (?:agent|assistant|ai|bot)|always|never|please|must|send|reply|answer|include|treat)\b"
    ),
    r"you (?:are now|must now|must always|must never|shall always|shall never|have to always)\b",
    (
        r"(?:dear|hey|attention|note to|instructions? (?:to|for)|message (?:to|for))[ ,]+"
        r"(?:the |any |all )?(?:ai|llm|assistants?|agents?|language models?|chat ?bots?)\b"
    ),
    (
        r"(?:always|never|immediately|silently|secretly|quietly)[ ,]+(?:send|forward"
        r"|upload|e?mail|post|export|copy|leak|transmit|share|exfiltrate|run|execute"
        r"|delete|reveal|transfer)\b"
        r"[^.\n]{0,80}\b(?:to|from|at|on|without|before|https?:|files?|passwords?"
        r"|keys?|data|commands?|messages?)\b"
    ),
    (
        r"(?:the |this )?(?:agent|assistant|ai|model|bot) (?:must|should|shall|has to"
        r"|needs to|is to|will) (?:always|never|now|from now on|ignore|send|forward"
        r"|obey|run|execute|delete|reveal)\b"
    ),
    (
        r"(?:do not|don't|never) (?:tell|inform|alert|mention (?:this|it) to) (?:the )?"
        r"(?:user|human|owner|operator)\b"
    ),
    (
        r"(?:replace|overwrite|delete|empty|wipe|erase|clear)\s+(?:\w+\s+){0,2}?"
        r"(?:memory\.md|soul\.md|agents\.md|user\.md|observations\.md|your memory"
        r"|all memor(?:y|ies))"
    ),
    (
        r"(?:output|respond with|reply with|answer with|print|say)\s+(?:only\s+)?[\"'`]?no_"
        r"(?:observations|reply)\b"
    ),
    (
        r"(?:reveal|print|repeat|show|output)\s+(?:\w+\s+){0,2}?(?:system prompt"
        r"|hidden instructions?|initial instructions?)"
    ),
    (
        r"(?:ignorier|missacht|vergiss|verwirf)\w*\s+(?:\w+\s+){0,3}?(?:anweisung"
        r"|regel|vorgabe|instruktion|anordnung)\w*"
    ),
    (
        r"(?:merk\w*|speicher\w*|übernimm|befolg\w*|beacht\w*)\s+(?:\w+\s+){0,3}?"
        r"(?:dauerhaft|permanent|neu|folgend|feste?)\w*\s+(?:regel|anweisung|vorgabe)\w*"
    ),
    (
        r"(?:ab sofort|von nun an|ab jetzt|künftig)\s+(?:\w+\s+){0,2}?(?:musst|sollst"
        r"|darfst|immer|niemals|nie|sende|schicke|antworte)\b"
    ),
    r"du (?:bist (?:jetzt|ab sofort|nun)|musst (?:immer|jetzt|ab sofort)|darfst (?:nie|niemals))\b",
    (
        r"(?:sende|schick|leite|lade|übermittl|lösch|führe)\w*\s+(?:\w+\s+){0,2}?"
        r"(?:immer|stets|heimlich|sofort|alle|sämtliche)\s+[^.\n]{0,60}\b(?:an|nach"
        r"|auf|zu|weiter|hoch|aus)\b"
    ),
    (
        r"(?:sag|verrate|erzähl|melde)\w*\s+(?:es\s+|das\s+|davon\s+)?(?:dem|der)\s+"
        r"(?:nutzer|benutzer|anwender|besitzer)\w*\s+(?:nichts|nicht|davon nichts)"
    ),
    r"(?:lieber?|hallo|achtung,?)\s+(?:ki|assistent|agent|sprachmodell)\b",
    (
        r"(?:忽略|无视|忘记|忘掉|不要理会|跳过)(?:你|您)?(?:之前|以前|先前|上面|以上"
        r"|上述|前面|所有|一切|全部|的|系统)+(?:所有|的|系统)*(?:指令|指示|规则|提示"
        r"|要求|命令|说明)"
    ),
    (
        r"(?:记住|保存|遵守|执行|牢记)(?:这条|这个|以下|下面|如下|此|一条|这些|的)*"
        r"(?:永久|长期|新|固定|重要)(?:的|性)*(?:规则|指令|指示|命令)"
    ),
    (
        r"(?:从现在开始|从现在起|从今以后|今后|以后)[，,、]?(?:你|您)?(?:必须|务必"
        r"|都要|总是|始终|一律|不得|不准|永远|每次)"
    ),
    (
        r"(?:总是|始终|一律|必须|务必|立即|悄悄|偷偷)(?:要|地)?(?:把|将)[^。\n]{1,30}"
        r"(?:发送|发|转发|上传|提交|删除)(?:到|给|至|掉)?"
    ),
    r"(?:不要|别|不得)(?:告诉|通知|告知|提醒)(?:用户|主人|使用者)",
    r"(?:你现在是|你必须永远|系统(?:消息|提示|指令)\s*[:：]|亲爱的(?:助手|AI|智能体))",
)


_QUOTED = re.compile(r"[\"“„«「'‘`][^\"”“»」'’`\n]{3,200}[\"”“»」'’`]")
_TALK = re.compile(
    r"(?i)\b(?:quotes?|quoted|phrase|example|called|titled|study|studies|studied"
    r"|course|paper|article about|zitat|beispiel|zitiert|studier\w*|kurs)\b"
    r"|例子|引用|课程|论文|研究|短语",
)


def instructs_agent(text: str) -> bool:
    """Whether the text orders the agent about (English, German, Chinese), instead of telling what was done.

    A sentence that talks about such an order, with the order in quotes, is no order: the student of prompt
    injection keeps the note. Meant for notes whose source is not the user; the user may give orders.
    """
    plain = plain_view(text).text
    if _TALK.search(plain):
        plain = _QUOTED.sub('""', plain)
    return any(re.search(order, plain, re.IGNORECASE) for order in _ORDERS)
