"""Rules for German."""

from __future__ import annotations

from totalrecall.domain.note import NoteType
from totalrecall.llm.extractive.cues import Cue, Rules

_DONE = (
    r"(?:ge\w{2,}(?:t|en)|\w+ge\w{2,}(?:t|en)|erstellt|erledigt|behoben|korrigiert|repariert|"
    r"installiert|aktualisiert|"
    r"übernommen|umbenannt|verschoben|entfernt|ersetzt|übertragen|bereitgestellt|exportiert|importiert|"
    r"konfiguriert|"
    r"veröffentlicht|implementiert|überarbeitet|verschickt|versendet|vorbereitet|bestellt|wiederhergestellt)"
)
_VERBS = (
    "schreib|schreibe|erstell|erstelle|mach|mache|leg|lege|such|suche|prüf|prüfe|schau|zeig|zeige|sag|"
    "schick|schicke|"
    "sende|öffne|starte|stoppe|lösch|lösche|verschieb|verschiebe|übersetze|fass|fasse|ruf|lies|füge|füg|"
    "ändere|benenne|"
    "installiere|aktualisiere|repariere|teste|plane|buche|kopiere|trag|trage"
)

GERMAN = Rules(
    cues=(
        Cue(NoteType.RULE, 6.4, True,
            r"^(?:bitte )?(?!ich|wir|er|sie|es|das|die|der|man|du|hat|habe|ist|"
            r"war)\w+ (?:\w+ ){0,2}(?:nie|niemals|immer)\b"
            r"|\bfrag(?:e|en sie)? mich,? (?:bitte )?(?:bevor|vorher|zuerst|erst|immer)\b|\bbevor (?:du|"
            r"sie) \w+"
            r"|^(?:niemand|nur \w+)\b[^.]*\b(?:darf|dürfen|soll)\b|^(?:bitte )?(?:nutze|verwende|"
            r"schreib|nimm|setze)\w* [^.]*\b(?:alle[nrs]?|"
            r"jede[mnrs]?|überall)\b|\b(?:du|sie) (?:musst|müssen|brauchst|brauchen) (?:mich )?(?:nicht|"
            r"nie)\b"
            r"|\bdas nächste mal\b|\bbeim nächsten mal\b"
            r"|\b(?:ab (?:jetzt|sofort|heute)|von nun an|künftig|in zukunft|zukünftig|grundsätzlich|"
            r"auf keinen fall|unter keinen "
            r"umständen)\b|(?:^|[,;:] ?|\b(?:bitte|und|aber|du|sie|mir|mich|uns|mails?|"
            r"an \w+) )(?:bitte )?(?:immer|nie|niemals)\b(?! (?:noch|wieder|diese\w*|dasselbe)\b)"
            r"|\b(?:schreib|antworte|nutze|nimm|mach|sprich|benutz|verwende)e?\b[^.]{0,60}\b(?:immer|"
            r"nie|niemals|nur)\b"
            r"|\b(?:bitte )?(?:keine?n?|nie(?:mals)?) \w+(?: \w+){0,3} ohne\b|^bitte keine?n?\b|\b(?:du|"
            r"sie) (?:darfst|dürfen|sollst|sollen) "
            r"(?:nie|nicht|kein|nur)|\bjedes mal\b|\bmerk(?:e)? dir\b|^nicht ohne\b|\bnur noch\b.*\bbitte\b"),
        Cue(NoteType.DECISION, 5.5, True,
            r"\bwir (?:haben (?:uns )?(?:\w+ ){0,4}(?:entschieden|beschlossen|geeinigt|festgelegt)|"
            r"nehmen|bleiben (?:bei|auf)|gehen mit|"
            r"setzen auf|verzichten|einigen uns|entscheiden uns|verwenden|wechseln|machen|bauen|lassen|"
            r"streichen|behalten|verschieben|liefern|"
            r"ziehen|kaufen|verkaufen|"
            r"sagen \w+ ab|kündigen)\b|\bwir (?:\w+ ){1,4}doch (?:ohne|mit|nicht)\b|\b(?:ist|"
            r"sind) (?:gestorben|vom tisch|gestrichen|beschlossen)\b"
            r"|\bes wird (?:jetzt )?(?:die|der|das|ein|eine)\b|"
            r"\bich (?:habe (?:mich )?(?:\w+ ){0,6}(?:entschieden|"
            r"beschlossen)|nehme)\b"
            r"|\b(?:haben|habe) (?:uns|mich) (?:\w+ ){0,5}?entschieden\b|^(?:entscheidung|beschluss|"
            r"beschlossen)\b"
            r"|\b(?:ist|sind) (?:entschieden|beschlossen|beschlossene sache)|"
            r"\blass(?:t)? uns [^.]{0,40}\b(?:nehmen|machen|verwenden|"
            r"nutzen|bleiben)\b|\bdann nehmen wir\b|\bheißt (?:jetzt|ab \w+|künftig)\b|"
            r"\bes bleibt (?:bei|dabei)\b|\bmachen wir so\b"),
        Cue(NoteType.FACT, 5.6, True,
            r"\bich heiße\b|\bmein(?:en?)? name(?:n)? (?:ist|lautet)\b|\bnenn(?:e|en)? (?:sie )?mich\b|"
            r"\bich bin (?:der|die|ein|eine) "
            r"[\w -]{3,40}\b(?:in|bei|aus|von)\b"),
        Cue(NoteType.PREFERENCE, 5.0, False,
            r"\b(?:ich|mir|wir) (?:bevorzuge|mag|hasse|liebe|möchte lieber|hätte (?:gern|lieber)|"
            r"trinke (?:lieber|keine?n?)|esse kein)"
            r"|\b(?:ist|sind|wäre|wären) mir (?:\w+ )?lieber\b|\bmir (?:ist|sind|wäre|wären|gefällt|"
            r"gefallen)\b[^.]{0,60}\b(?:lieber|besser|nicht|"
            r"gut)\b|\blieber (?:\w+ )?(?:als|statt|ohne|mit)\b|\bam liebsten\b|\bmein\w* lieblings|"
            r"\bich (?:will|möchte) (?:kurze|lange|keine)"
            r"|\bbevorzugt?\b|\bich kann [^.]{1,30} nicht (?:leiden|ausstehen|ab)\b|\bich (?:hasse|"
            r"vertrage|esse|trinke) (?:kein|nicht)\w*\b|\bkann ich nicht (?:leiden|ausstehen)\b"),
        Cue(NoteType.GOAL, 4.6, False,
            r"\b(?:mein|unser|das)? ?ziel\b[^.]{0,30}\b(?:ist|:)|\b(?:ich|wir) (?:will|wollen|plane|"
            r"planen|möchte|möchten|haben vor|habe vor)\b"
            r"[^.]*\b(?:\w+en)\b|\bwir planen\b"),
        Cue(NoteType.TASK, 4.4, False,
            r"\berinn(?:er|ere|ern sie) mich\b|\b(?:nicht vergessen|vergiss nicht)\b|\b(?:ich|"
            r"wir) (?:muss|müssen|brauche|brauchen|soll|"
            r"sollen)\b|\b(?:muss|müssen) (?:\w+ ){0,8}(?:sein|werden|fertig)\b|\bmuss (?:ich|er|sie|"
            r"das|die|der|wir)\b|\bbrauche ich\b|\b(?:frist|deadline|abgabe|stichtag)\b"
            r"|\b(?:termin|zahnarzt|arzttermin)\b|\btodo\b|\bfällig\b|\boffen ist noch\b|"
            r"\bläuft (?:\w+ ){0,4}ab\b|\bwill der kunde\b"
            r"|\bantworte,? dass\b"),
        Cue(NoteType.HABIT, 4.2, False,
            r"^(?:montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags|werktags|abends|"
            r"morgens|mittags|"
            r"jeden \w+|jede \w+)\b|\bich (?:\w+ )?(?:meistens|meist|normalerweise|gewöhnlich|"
            r"üblicherweise|oft|immer|jeden|"
            r"jede)\b|\b(?:ich|wir) \w+ (?:\w+ ){0,3}"
            r"(?:jeden|jede|jedes|montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags|"
            r"abends|morgens)\b"),
        Cue(NoteType.FACT, 4.2, False,
            r"\bich (?:wohne|arbeite|lebe|leite|studiere|komme aus|besitze)\b|\bgeburtstag\b|\bmein(?:e|"
            r"em|en)? (?:frau|mann|sohn|tochter|chef|"
            r"chefin|kollege|kollegin|hund|katze|mutter|vater|schwester|bruder|team|firma|adresse|arzt|"
            r"partner|partnerin)\b"
            r"|\b(?:ansprechpartner(?:in)?|kontakt|projektleiter(?:in)?|zuständig)\b[^.]{0,40}\b(?:ist|"
            r"sind|:)|\b(?:ist|heißt) (?:unser|unsere|"
            r"mein|meine)\b|\b(?:er|sie) (?:heißt|wird)\b|\bzugang hat\b|\bzur info\b|\b(?:heißt|heißen)\b"),
        Cue(NoteType.EVENT, 3.4, False,
            r"\b(?:ich|wir) (?:habe|haben|sind|bin) (?:\w+ ){0,6}(?:unterschrieben|abgeschlossen|"
            r"gekauft|verkauft|umgezogen|veröffentlicht|"
            r"gekündigt|bezahlt|eingestellt|fertiggestellt)\b|\b(?:abgestürzt|ausgefallen|kaputt|"
            r"läuft nicht|läuft aber nicht|unterschrieben|gekündigt|gewonnen|verloren|gestrichen|"
            r"angenommen|abgelehnt|zugesagt|abgesagt|bestätigt|geliefert|"
            r"brechen ab|geht nicht mehr|fehlgeschlagen)\b"),
    ),
    joke=r"\b(?:scherz|spaß|witz|haha+|hihi|lol|ironie)\b",
    hypothetical=r"\b(?:wenn|falls) (?:ich|wir|man|es|du)\b[^.]{0,60}\b(?:würde|würden|hätte|hätten|"
                 r"wäre|wären|könnte|könnten|irgendwann|jemals)\b"
                 r"|^angenommen,|\bmal angenommen\b|\bstell dir vor\b|\bhätten wir\b|\bwäre (?:schön|"
                 r"toll|cool|nett)\b|"
                 r"\bwas wäre wenn\b",
    undecided=r"\b(?:nicht sicher|unsicher|noch nicht entschieden|mal (?:sehen|schauen)|vielleicht|"
              r"eventuell|überlege|überlegen|keine ahnung|"
              r"weiß (?:ich )?(?:noch )?nicht|bereden|besprechen wir noch|abwarten)\b",
    polite=r"^(?:(?:hey|hi|hallo|ok|und|so)[,!]? )?(?:(?:kannst|könntest|würdest|magst|können|"
           r"könnten) (?:du|sie) (?:mir )?(?:bitte )?|bitte )",
    request=rf"^(?:(?:jetzt|dann|ok|und|so|auch|erst|also),? )*(?:bitte )?(?:{_VERBS})\b|\bbitte\b|"
            rf"\b(?:kannst|könntest) du\b",
    correction=r"\b(?:korrektur|berichtigung|doch nicht(?! (?:dein|euer|ihr|wahr|schlimm|normal))|"
               r"doch lieber|doch kein\w*|ich meinte|vertan|"
               r"mein fehler)\b|\bnicht \S+(?: \S+){0,3}, "
               r"sondern\b|\bstattdessen\b|\bsoll(?:en)? doch\b|\b(?:heißt|ist|sind|läuft|"
               r"lautet) jetzt\b|\bnicht mehr\b"
               r"|\bgeändert (?:auf|zu|in)\b|\b(?:verschoben|verlegt) auf\b",
    deadline=r"\b(?:frist|deadline|bis|fällig|spätestens|vor dem|abgabe|stichtag|läuft|endet|ende der|"
             r"monatsende|abgelaufen)\b",
    promise=r"\b(?:wird|werde|werden|kommt|komme|treffen|termin|zahnarzt|arzt|flug|besuch|lieferung|"
            r"liefert|erinner|muss|brauche|besprechung|"
            r"meeting|urlaub|prüfung|ist|um \d|feier|fahren|reise|geburtstag)\b",
    accept=r"^(?:(?:ja|jo|jep|ok|okay|gut|super|prima|klar|genau|perfekt|alles klar|"
           r"schön)\b[,.! ]*)*(?:ja|jo|jep|gern|gerne|(?:ja )?mach (?:das|es|so)|"
           r"machen wir(?: so)?|passt(?: so)?|einverstanden|so machen wir(?:'?s| es)|klingt gut|"
           r"in ordnung|abgemacht|dann so|leg los|nehmen wir)\b"
           r"[,.! ]*(?:bitte|danke|gern|gerne|so)?[.! ]*(?:(?:mit|aber|und|umkreis|nimm) .*)?$",
    decline=r"^(?:nein|nee|nö|lieber nicht|nicht (?:jetzt|nötig)|später|noch nicht|vielleicht|"
            r"mal (?:sehen|schauen))\b|\b(?:lieber nicht|nein danke|"
            r"später|noch nicht)\b",
    retract=r"^(?:haha,? |nein,? |war (?:nur )?(?:ein )?)*(?:scherz|spaß|witz|vergiss (?:es|das)|"
            r"quatsch|egal|lol)[.! :)]*$",
    offer=r"\b(?:soll|sollen) (?:ich|wir)\b|\b(?:möchtest|willst|magst) du\b|\bich (?:könnte|kann|würde|"
          r"empfehle|schlage)\b|\bwie wäre\b"
          r"|\b(?:du könntest|sie könnten|du solltest|sie sollten|man könnte)\b|\bwäre (?:eine|die|am|"
          r"ein)\b|\bmein (?:vorschlag|rat)\b",
    claim=rf"\b(?:ich habe|wir haben|habe ich)\b[^.]{{0,160}}\b{_DONE}\b|^(?:erledigt|fertig|behoben|"
          rf"eingerichtet|angelegt|umgesetzt|geändert|"
          rf"umgestellt)\b|\b(?:wurde|wurden|ist|sind) (?:\w+ ){{0,6}}{_DONE}\b|\b(?:tests?|"
          rf"build)\b[^.]{{0,30}}\b(?:laufen durch|grün|bestanden|"
          r"erfolgreich)\b|\bläuft (?:jetzt|wieder)\b",
    finding=r"\b(?:die ursache|der grund|das problem|der fehler|schuld) (?:ist|war|liegt|lag)\b|"
            r"\bliegt an\b|\bes stellte sich heraus\b",
    trouble=r"\b(?:fehlgeschlagen|gescheitert|hat nicht (?:geklappt|funktioniert)|schlägt fehl|"
            r"konnte nicht|startet (?:der dienst )?nicht)\b",
    filler=r"^(?:(?:bitte|ok(?:ay)?|also|na|ach(?: ja)?|hey|hi|hallo|hm+|äh|und|aber|dann|ja|genau|gut|"
           r"super|prima|übrigens|eigentlich|nur|"
           r"guten morgen|guten tag|ich glaube|ich denke|zur info|wie gesagt|danke|verstanden|"
           r"alles klar|gern|erledigt|sie haben recht|"
           r"kurze frage|merk dir(?: bitte)?)\b[,:;.!]*\s+)+",
    first_person=r"\b(?:ich|mein|meine|meinen|meinem|meiner|mir|mich)\b",
    order=r"\b(?:immer|nie|niemals|merk\w*|ignorier\w*|musst|müssen|sollst|ab sofort|regel|system|"
          r"assistent|ausgeben|überweis\w*|"
          r"lösch\w*|send\w*|schick\w*|antworte\w*|anweisung\w*|weiterleiten|leite\w*|bitte)\b",
    small_talk=r"^(?:\W*(?:ok(?:ay)?|ja|nein|danke|dir|ihnen|vielen|dank|hi|hallo|hey|guten|gute|morgen|"
               r"tag|abend|nacht|super|prima|toll|"
               r"klasse|gut|schön|bis|dann|später|tschüss|ciao|alles|klar|genau|perfekt|verstanden|gern|"
               r"gerne|bitte|sehr|moin|servus|"
               r"haha|hm+|na|mach|ich|mal|sehen|schauen|jo|passt)\b\W*)+$",
    contrast=r"\bnicht (?:mehr )?(?P<old1>(?:mit |auf |in |am |"
             r"um )?[\w.@/:-]+(?: [\w.@/:-]+){0,3}?)\b[^,.]{0,24}, sondern (?P<new1>[\w.@/:-]+"
             r"(?: [\w.@/:-]+){0,3})|(?P<new2>[\w.@/:-]+)[^,.]{0,20} statt(?:dessen)? (?:der |die |das |"
             r"dem |den )?(?P<old2>[\w.@/:-]+)"
             r"|(?P<new3>[\w.@/:-]+(?: \w+)?), nicht (?P<old3>[\w.@/:-]+(?: \w+)?)[.!]?$",
)  # fmt: skip
"""The rules for German."""
