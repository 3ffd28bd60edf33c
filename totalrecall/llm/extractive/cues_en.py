"""Rules for English."""

from __future__ import annotations

from totalrecall.domain.note import NoteType
from totalrecall.llm.extractive.cues import Cue, Rules

_DONE = (
    "added|applied|archived|built|changed|cleaned|closed|committed|completed|configured|converted|"
    "copied|created|"
    "deleted|deployed|disabled|downloaded|enabled|exported|finished|fixed|generated|implemented|"
    "imported|installed|"
    "lowered|merged|migrated|moved|opened|patched|prepared|published|pushed|raised|refactored|released|"
    "removed|"
    "renamed|repaired|replaced|resolved|restarted|restored|rewrote|saved|scheduled|sent|set|shipped|"
    "started|stopped|"
    "switched|tested|turned|updated|upgraded|uploaded|verified|wrote|written|booked|cancelled|reverted|rolled"
)
_VERBS = (
    "add|archive|ask|book|build|call|cancel|change|check|clean|close|commit|convert|copy|create|delete|"
    "deploy|draft|"
    "email|export|find|fix|forward|generate|give|import|install|look|list|mail|make|merge|migrate|move|"
    "open|order|plan|"
    "prepare|print|publish|push|put|read|rename|reply|run|save|schedule|search|send|set up|show|sort|"
    "start|stop|"
    "summari[sz]e|tell|test|translate|try|turn|update|upload|write"
)

ENGLISH = Rules(
    cues=(
        Cue(NoteType.RULE, 6.4, True,
            r"\b(?:ask|check with|tell|confirm with|consult) me (?:before|first)\b|\bask before\b"
            r"|^(?:please )?(?:use|write|keep|add|put|include|apply|run|set|name|log|check|sign|address|"
            r"answer) .*\b(?:in|for|on|to|of|"
            r"before|after|with) (?:all|every|any)(?:thing|where|one)?\b"
            r"|\b(?:nobody|no one|only (?!you|i|we|then|now|the|one)\w+)\b.*\b(?:may|can|should|is allowed)\b"
            r"|\byou (?:don['’]?t|do not) (?:need|have) to\b|\b(?:next|each) time\b.*\b(?:you|please)\b"
            r"|\b(?:from now on|going forward|in future|as a rule|under no circumstances|"
            r"by default,? (?:use|always))\b"
            r"|(?:^|[,;:.] ?|\b(?:and|but|please|you should|you must|to|so|then|also) )(?:please )?"
            r"(?:always|never)\b(?! (?:got|had|been|was|mind|again\b))"
            r"|\bmake sure (?:to always|you always|that you)|\bwithout (?:asking|checking with) me\b"
            r"|(?:^|[,;:] ?|\b(?:and|but|please) )(?:do not|don['’]?t) (?!forget|worry|know|think|mind|"
            r"bother|have|need)\w+"
            r"|\byou (?:must|may) (?:not|never|only)\b|\bevery time\b.*\b(?:you|please)\b|\bwhenever you\b"
            r"|\bno \w+(?: \w+){0,2} (?:without|before|unless)\b|^(?:keep|stick to|stop|"
            r"avoid)\b.*\b(?:always|\w+ing|all)\b"
            r"|^only \w+.*\b(?:allowed|please|when|if|ids?)\b"),
        Cue(NoteType.DECISION, 5.5, True,
            r"\b(?:final answer|the plan is)\b|^plan:|\bwe (?:ship|drop|skip|keep|build|cancel|postpone|"
            r"stay)\b"
            r"|\bwe(?:['’]ll| will| won['’]t) (?:ship|drop|skip|keep|build|cancel|postpone|do|have|need|"
            r"support|start)\b"
            r"|\b(?:is|are) (?:off the table|out of scope|postponed|cancelled|approved)\b"
            r"|\bwe(?:'ve| have)? (?:decided|settled|agreed|chose|chosen|picked|opted)\b|\bI(?:'ve|"
            r" have)? (?:decided|chosen|"
            r"settled|opted)\b|^(?:final )?decision\b|^(?:please )?decide\b[^.]*:|"
            r"\blet['’]?s (?:go with|use|take|stick with|do|"
            r"pick|choose|keep|skip|drop)\b(?! (?:a (?:break|look|step|moment|walk)|going|talking|this|"
            r"that|it)\b)"
            r"|\b(?:we|I)(?:['’]?ll| will|['’]re going to|['’]m going to| are going to) (?:go with|use|"
            r"take|stick (?:with|to)|"
            r"stay (?:on|with)|switch to|drop|keep|move to|adopt)\b|\bgo(?:ing)? with (?:the|option|"
            r"plan|a|an)\b"
            r"|\b(?:it|that)(?:'s| is) (?:decided|settled|final)\b|\bwe (?:go|went) (?:with|for)\b|"
            r"\bapproved\b"
            r"|\bchanged my mind\b"),
        Cue(NoteType.FACT, 5.6, True,
            r"\bmy (?:full |first |last )?name(?:'s| is)\b|\bcall me (?-i:[A-Z])|\bI am called\b"
            r"|\b(?:I am|I'm) (?:a|an|the) [\w -]{3,40} (?:at|for|from|in)\b"),
        Cue(NoteType.PREFERENCE, 5.0, False,
            r"\bI(?:'d| would)? (?:now |really |much )?(?:prefer|rather|(?:like|love|hate|dislike|enjoy|"
            r"favou?r)(?! (?:you |us "
            r"|it )?to\b))\b|\bI (?:do not|don['’]?t|can['’]?t) (?:like|stand|want (?!you))|"
            r"\bmy favou?rite\b|\bworks better for me\b"
            r"|\bI (?:drink|eat) \w+,? (?:not|no)\b|\bI use (?:tabs|spaces|vim|emacs|dark|light)\b|"
            r"\bI want (?:short|long|"
            r"brief|concise|detailed|plain)|\bmakes? me tired\b|\bI['’]m (?:allergic|vegetarian|vegan)\b"),
        Cue(NoteType.GOAL, 4.6, False,
            r"\b(?:my|our|the)? ?(?:goal|aim|target|objective)s?\b[\w ]{0,24}\b(?:is|are|:)|\b(?:I|"
            r"we) (?:want|plan|aim|hope|intend)"
            r" to (?!know|ask|see)|\b(?:I|we)['’]?(?:re|m)? ?(?:are|am)? (?:planning|trying|aiming|"
            r"hoping) to\b"),
        Cue(NoteType.HABIT, 4.2, False,
            r"\bI (?:usually|always|often|normally|typically|generally|mostly)\b|\bI never (?!got|had|"
            r"been|said)\w+"
            r"|\b(?:we|I) \w+ (?:\w+ ){0,3}(?:every|each) (?:day|morning|evening|night|week|month|"
            r"monday|tuesday|wednesday|"
            r"thursday|friday|saturday|sunday)|\bwe (?:usually|always|normally)\b"),
        Cue(NoteType.TASK, 4.4, False,
            r"\bremind me\b|\bdon['’]?t (?:let me )?forget\b|^to-?do\b|\b(?:I|we) (?:need|have|ought|"
            r"must|got) to\b|\bI must\b"
            r"|\b(?:has|have|needs?) to be (?:out|done|ready|finished|sent|in|delivered|paid)|"
            r"\bdeadline\b|(?:\b(?:is|are)|['’]s) due\b|\bdue (?:on|by)\b|\bunpaid\b|\bstill (?:open|"
            r"missing|pending|outstanding)\b"
            r"|\bappointment\b|\bremember to\b|\bopen (?:question|item|point)s?\b|\b(?:needs|"
            r"wants) (?:the|a|an|my|our)\b"
            r"|\b(?:still|yet) to (?:do|be done)\b|\bfollow up\b|\bReply that\b"),
        Cue(NoteType.FACT, 4.2, False,
            r"\bI (?:live|work|am based|study|grew up|come from|run|lead|own)\b|\bI['’]m (?:based|from|"
            r"studying)\b"
            r"|\b(?:birthday|anniversary)\b|\bmy (?:wife|husband|partner|son|daughter|boss|manager|"
            r"colleague|doctor|dog|cat|"
            r"mother|father|sister|brother|team|company|employer|address|phone|email|time ?zone|"
            r"contact|"
            r"landlord|neighbou?r|accountant|lawyer|dentist|client|girlfriend|boyfriend|parents|kids?|"
            r"child(?:ren)?|uncle|aunt)\b|\b(?:he|she|(?-i:[A-Z])\w+)(?:'s| is) (?:our|my|the) [\w ]{3,40}"
            r"|\b(?:our|the)(?: [\w-]+){1,4} (?:is|are) (?-i:[A-Z])\w+ (?-i:[A-Z])\w+|"
            r"\b(?-i:[A-Z])\w+ (?-i:[A-Z])\w+ from \w+"
            r"|(?:^|please |[,;:] |also )(?:save|note|remember|keep in mind)(?: that| the| my| our|:)|"
            r"\bfor the record\b|\bfyi\b"),
        Cue(NoteType.EVENT, 3.4, False,
            r"\b(?:I|we)(?:'ve| have)? (?:just |finally |already |now )?(?:deployed|shipped|released|"
            r"fixed|finished|signed|"
            r"launched|moved|bought|sold|hired"
            r"|merged|paid|cancelled|renewed|migrated|submitted)\b|\b(?:crashed|broke|went down|is down|"
            r"keeps failing|stopped "
            r"working|failed|rolled back|rotated|outage)\b"
            r"|\b\w+ (?:has |have |just |finally )*(?:accepted|declined|signed|approved|confirmed|"
            r"cancelled|resigned|delivered) "
            r"(?:the|our|my|his|her|their|it)\b"),
    ),
    joke=r"\b(?:joking|kidding|just a joke|jk|lol|haha+|rofl|sarcasm)\b|/s\s*$",
    hypothetical=r"\bif (?:I|we|you|they|he|she|it|there|only)\b[^.]{0,60}\b(?:ever|would|could|might|"
                 r"were|had|won)\b|\bwould(?:n't)? "
                 r"(?:have|be (?:nice|cool|great|fun))\b|\b(?:suppose|imagine|hypothetically|what if|"
                 r"in theory|wish)\b"
                 r"|\bwe would (?!like|prefer)",
    undecided=r"\b(?:not (?:yet )?(?:sure|decided)|unsure|undecided|no idea|haven['’]?t decided|maybe|"
              r"perhaps|might|may later"
              r"|think(?:ing)? about|consider(?:ing)?|let me think|we['’]?ll see|let['’]?s see|I guess|"
              r"probably not yet)\b",
    polite=r"^(?:(?:hey|hi|ok|and|so|also)[,!]? )?(?:(?:can|could|would|will) you (?:please |kindly )?|"
           r"would you mind |please )",
    request=rf"^(?:(?:now|then|ok|and|so|also|next|right|first),? )*(?:please )?(?:{_VERBS})\b|\bplease\b"
            r"|\b(?:can|could|would) you\b|\bI(?:'d| would) like you to\b|\bI want you to\b",
    correction=r"\bcorrection\b|\b(?:changed my mind|(?<!what )I meant|I misspoke|scratch that)\b|"
               r"^(?:no|nope|sorry|wait|"
               r"actually),? .*\b(?:is|are|it['’]s|not|instead|moved)\b|"
               r"\bnot \S+(?: \S+){0,3},? but\b|\bI now "
               r"(?:prefer|use|want)\b|\bno longer\b|\bis now\b|\bit['’]s [^,.]{1,40} now\b|"
               r"\bchanged? (?:it )?(?:from|to)\b|\b(?:is|has|have) moved to\b|^make (?:it|that) \d",
    deadline=r"\b(?:deadline|due|by|before|until|no later than|at the latest|expires?|ends?|end of|"
             r"has to be|must be|runs out)\b",
    promise=r"\b(?:will|['’]ll|going to|remind|meeting|appointment|call|dentist|doctor|flight|interview|"
            r"trip|visit|release|"
            r"deploy\w*|launch|review|demo|presentation|on leave|vacation|holiday|party|dinner|lunch|"
            r"exam|train|needs?|dies?|"
            r"at \d|on|is|are)\b",
    accept=r"^(?:(?:yes|yep|yeah|yup|ok|okay|sure|right|great|perfect|cool|good|fine|alright|absolutely|"
           r"definitely|exactly)\b[,.! ]*)*"
           r"(?:(?:yes|yep|yeah|yup|sure)|(?:please )?do (?:that|it|so)|go (?:ahead|for it)|"
           r"sounds? (?:good|great|fine)|agreed|"
           r"let['’]?s (?:do|go with|take|use) (?:it|that|this|so)|make it so|deal|works for me|"
           r"that works|please do|I agree|"
           r"good idea|do both)\b[,.! ]*(?:please|thanks|thank you|then)?[.! ]*(?:(?:let['’]?s|and|but|"
           r"with) .*)?$",
    decline=r"^(?:no|nope|nah|not (?:now|yet|really)|don['’]?t|never mind|later|maybe|hmm?)\b|"
            r"\b(?:not now|rather not|no thanks|"
            r"later|over the top|not yet)\b",
    retract=r"^(?:haha,? |no,? |sorry,? |i was |i['’]?m )*(?:just )?(?:kidding|joking|never ?mind|"
            r"forget (?:it|that)|scratch that|"
            r"ignore that|lol)[.! :)]*$",
    offer=r"\b(?:shall|should) (?:I|we)\b|\b(?:do you want|would you like) (?:me )?to\b|\bI (?:could|"
          r"can|would|might|['’]d)\b"
          r"|\bI(?:'d| would)? (?:recommend|suggest|propose|advise)\b|\b(?:how|what) about\b|"
          r"\byou (?:could|might|may|should)\b"
          r"|\bwould be (?:the )?(?:easiest|best|better|good|nice|simplest)\b|\boption\b|"
          r"\bmy (?:recommendation|suggestion)\b",
    claim=rf"\b(?:I(?:['’]ve| have)?|we(?:['’]ve| have))(?: (?:now|just|also|already|"
          rf"successfully))* (?:{_DONE})\b|^(?:done|fixed|created|deployed|"
          rf"updated|changed|moved|finished|installed|completed|all set)\b|\b(?:has|"
          rf"have) (?:now )?been (?:{_DONE})\b|\b(?:tests?|"
          r"build|suite|lint(?:er)?|checks?|migration)\b[\w ,]{0,30}\b(?:pass(?:es|ed)?|green|succeeded|"
          r"ran cleanly)\b"
          r"|\bis (?:now )?(?:live|deployed|up and running|on its way)\b",
    finding=r"\b(?:the|root) (?:cause|reason|problem|culprit|bug|issue) (?:is|was)\b|\bturns? out\b|"
            r"\bit fails because\b|\bcaused by\b"
            r"|\bI found\b",
    trouble=r"\b(?:failed|fails?|still (?:fails?|failing|broken|red)|did(?:n['’]t| not) (?:work|"
            r"succeed)|could(?:n['’]t| not)|"
            r"unable to|cannot|can['’]t)\b",
    filler=r"^(?:(?:please|ok(?:ay)?|so|well|oh|ah|hey|hi(?: there)?|hello|hm+|um+|and|also|but|then|"
           r"yes|yeah|right|great|good|nice|"
           r"quick intro|quick note|by the way|btw|fyi|actually|basically|just|anyway|morning|"
           r"good morning|as I said|I think(?: that)?|"
           r"I guess|for the record|note that|noted|done|sure|alright|cool|perfect|thanks|thank you|"
           r"sorry|of course)\b[,:;.!]*\s+)+",
    first_person=r"\b(?:I|I['’](?:m|ve|d|ll)|my|me|mine|myself)\b",
    order=r"\b(?:always|never|remember|ignore|disregard|must|you should|from now on|rule|system|"
          r"assistant|output|forward|"
          r"send|delete|replace|reply|instructions?|execute|obey)\b",
    small_talk=r"^(?:\W*(?:ok(?:ay)?|yes|no|yep|thanks|thank you|thx|hi|hello|hey|there|morning|good|"
               r"great|nice|cool|perfect|bye|"
               r"night|evening|afternoon|brilliant|awesome|sure|alright|lol|haha|welcome|you're|so much|"
               r"very much|a lot|got it|"
               r"right|fine|hm+|well|sorry|please|wow|excellent|super|later|then|now|much|done|noted|"
               r"understood|of course)\b\W*)+$",
    contrast=r"\b(?:is|it['’]?s|are|use|prefer|want)? ?(?P<new1>[\w.@/:-]+(?: [\w.@/:-]+){0,2}),? "
             r"(?:and )?not (?P<old1>[\w.@/:-]+"
             r"(?: [\w.@/:-]+)?)[.!]?$|\bnot (?P<old2>[\w.@/:-]+(?: [\w.@/:-]+){0,3}?),? but "
             r"(?P<new2>[\w.@/:-]+(?: [\w.@/:-]+){0,3})"
             r"|(?P<new3>[\w.@/:-]+(?: [\w.@/:-]+){0,2}) instead of (?:the |"
             r"a )?(?P<old3>[\w.@/:-]+(?: [\w.@/:-]+){0,2})"
             r"|\bfrom (?P<old4>[\w.@/:-]+(?: [\w.@/:-]+)?) to (?P<new4>[\w.@/:-]+(?: [\w.@/:-]+)?)",
)  # fmt: skip
"""The rules for English."""
